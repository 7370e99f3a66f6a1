/** A segment of a JPEG header: `at` is where its marker stands, `end` where the next one does (ITU T.81, annex B). */
export interface JpegSegment {
  marker: number
  at: number
  end: number
}

const START_OF_SCAN = 0xda

/** Markers that have no length: TEM and the restarts. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/**
 * The segments in front of the first scan, and that scan's own header last.
 * @returns undefined when the header is damaged or cut off before the scan
 */
export function jpegSegments(jpeg: Buffer): JpegSegment[] | undefined {
  const segments: JpegSegment[] = []
  for (let at = 2; at + 4 <= jpeg.length; ) {
    if (jpeg[at] !== 0xff) return undefined
    const marker = jpeg[at + 1]!
    // Any number of FF may stand before a marker.
    const end = marker === 0xff ? at + 1 : isBare(marker) ? at + 2 : at + 2 + jpeg.readUInt16BE(at + 2)
    if (end > jpeg.length) return undefined
    if (marker !== 0xff) segments.push({ marker, at, end })
    if (marker === START_OF_SCAN) return segments
    at = end
  }
  return undefined
}

/** Whether the data of a segment begins with `name`. */
export function isNamed(jpeg: Buffer, { at }: JpegSegment, name: string): boolean {
  return jpeg.toString('latin1', at + 4, at + 4 + name.length) === name
}
