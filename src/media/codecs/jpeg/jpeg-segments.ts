/** A segment of a JPEG header: `at` is the offset of its marker, `end` that of the next marker (ITU T.81, annex B). */
export interface JpegSegment {
  marker: number
  at: number
  end: number
}

const START_OF_SCAN = 0xda

/** Markers without a length: TEM and the restarts. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

/**
 * The segments before the first scan, followed by that scan's header.
 * @returns undefined when the header is damaged, or truncated before the scan; `mayBeCutOff` returns the complete ones
 */
export function jpegSegments(jpeg: Buffer, { mayBeCutOff = false } = {}): JpegSegment[] | undefined {
  const segments: JpegSegment[] = []
  for (let at = 2; at + 4 <= jpeg.length; ) {
    if (jpeg[at] !== 0xff) return undefined
    const marker = jpeg[at + 1]!
    // Any number of FF fill bytes may precede a marker.
    const end = marker === 0xff ? at + 1 : isBare(marker) ? at + 2 : at + 2 + jpeg.readUInt16BE(at + 2)
    if (end > jpeg.length) break
    if (marker !== 0xff) segments.push({ marker, at, end })
    if (marker === START_OF_SCAN) return segments
    at = end
  }
  return mayBeCutOff ? segments : undefined
}

/**
 * The end of the picture: after the marker that follows its last scan (ITU T.81, B.1.1.2). Further images and videos
 * may follow it. For a truncated file, the end of its last scan or complete segment.
 * @param from offset of its first scan
 */
export function endOfPicture(jpeg: Buffer, from: number): { end: number; isCutOff: boolean } {
  for (let at = jpeg.indexOf(0xff, from); at >= 0 && at + 2 <= jpeg.length; at = jpeg.indexOf(0xff, at + 1)) {
    const marker = jpeg[at + 1]!
    if (marker === 0xd9) return { end: at + 2, isCutOff: false }
    // FF 00 and restarts occur inside a scan; tables and headers between two scans may contain any bytes.
    if (marker < 0xc0 || marker === 0xff || isBare(marker)) continue
    const behind = at + 4 > jpeg.length ? Number.POSITIVE_INFINITY : at + 2 + jpeg.readUInt16BE(at + 2)
    if (behind > jpeg.length) return { end: at, isCutOff: true }
    at = behind - 1
  }
  return { end: jpeg.length, isCutOff: true }
}

/** Whether the data of a segment starts with `name`. */
export function isNamed(jpeg: Buffer, { at }: JpegSegment, name: string): boolean {
  return jpeg.toString('latin1', at + 4, at + 4 + name.length) === name
}
