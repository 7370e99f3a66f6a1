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
 * @returns undefined when the header is damaged, or cut off before the scan; `mayBeCutOff` gives the whole ones there are
 */
export function jpegSegments(jpeg: Buffer, { mayBeCutOff = false } = {}): JpegSegment[] | undefined {
  const segments: JpegSegment[] = []
  for (let at = 2; at + 4 <= jpeg.length; ) {
    if (jpeg[at] !== 0xff) return undefined
    const marker = jpeg[at + 1]!
    // Any number of FF may stand before a marker.
    const end = marker === 0xff ? at + 1 : isBare(marker) ? at + 2 : at + 2 + jpeg.readUInt16BE(at + 2)
    if (end > jpeg.length) break
    if (marker !== 0xff) segments.push({ marker, at, end })
    if (marker === START_OF_SCAN) return segments
    at = end
  }
  return mayBeCutOff ? segments : undefined
}

/**
 * Where the picture ends: behind the marker after its last scan (ITU T.81, B.1.1.2). What follows are other pictures and
 * films. Of one that is cut off, where its last scan or whole segment ends.
 * @param from where its first scan begins
 */
export function endOfPicture(jpeg: Buffer, from: number): { end: number; isCutOff: boolean } {
  for (let at = jpeg.indexOf(0xff, from); at >= 0 && at + 2 <= jpeg.length; at = jpeg.indexOf(0xff, at + 1)) {
    const marker = jpeg[at + 1]!
    if (marker === 0xd9) return { end: at + 2, isCutOff: false }
    // FF 00 and restarts stand within a scan; tables and headers between two scans may hold any bytes.
    if (marker < 0xc0 || marker === 0xff || isBare(marker)) continue
    const behind = at + 4 > jpeg.length ? Number.POSITIVE_INFINITY : at + 2 + jpeg.readUInt16BE(at + 2)
    if (behind > jpeg.length) return { end: at, isCutOff: true }
    at = behind - 1
  }
  return { end: jpeg.length, isCutOff: true }
}

/** Whether the data of a segment begins with `name`. */
export function isNamed(jpeg: Buffer, { at }: JpegSegment, name: string): boolean {
  return jpeg.toString('latin1', at + 4, at + 4 + name.length) === name
}
