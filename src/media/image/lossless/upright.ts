import { isNamed, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'

const ORIENTATION = 0x0112
const PHOTO_DIRECTORY = 0x8769
const PIXEL_SIDES = new Map([
  [0xa002, 'width'],
  [0xa003, 'height'],
] as const)
const SHORT = 3
const LONG = 4
/** The TIFF header of an EXIF block is after its marker, its length and `Exif\0\0`. */
const TIFF_AT = 10

interface Size {
  width: number
  height: number
}

/** Sets the orientation and the pixel sides of an EXIF block, from its TIFF header on, in place (EXIF 2.32, 4.6). */
function mendExif(block: Buffer, size: Size): void {
  if (block.length < 14) return
  const little = block.toString('latin1', 0, 2) === 'II'
  const short = (at: number): number => (little ? block.readUInt16LE(at) : block.readUInt16BE(at))
  const long = (at: number): number => (little ? block.readUInt32LE(at) : block.readUInt32BE(at))
  const write = (entry: number, value: number): void => {
    const type = short(entry + 2)
    if (type === SHORT && value < 65536) {
      if (little) block.writeUInt16LE(value, entry + 8)
      else block.writeUInt16BE(value, entry + 8)
    } else if (type === LONG) {
      if (little) block.writeUInt32LE(value, entry + 8)
      else block.writeUInt32BE(value, entry + 8)
    }
  }
  const visit = (at: number, isFirst: boolean): void => {
    if (at < 8 || at + 2 > block.length) return
    const end = Math.min(block.length - 12, at + 2 + (short(at) - 1) * 12)
    for (let entry = at + 2; entry <= end; entry += 12) {
      const tag = short(entry)
      const side = PIXEL_SIDES.get(tag as 0xa002 | 0xa003)
      if (isFirst && tag === ORIENTATION) write(entry, 1)
      else if (isFirst && tag === PHOTO_DIRECTORY) visit(long(entry + 8), false)
      else if (!isFirst && side) write(entry, size[side])
    }
  }
  visit(long(4), true)
}

/**
 * Marks a JPEG as upright, in place: the orientation in EXIF and XMP becomes 1, and EXIF's sides those of the picture.
 * @param size of the picture, px
 */
export function markUpright(jpeg: Buffer, size: Size): void {
  for (const segment of jpegSegments(jpeg) ?? []) {
    if (segment.marker !== 0xe1) continue
    const part = jpeg.subarray(segment.at, segment.end)
    if (isNamed(jpeg, segment, 'Exif\0')) mendExif(part.subarray(TIFF_AT), size)
    else if (isNamed(jpeg, segment, 'http://ns.adobe.com/xap/')) {
      const text = part.toString('latin1')
      for (const { index, 0: whole } of text.matchAll(/tiff:Orientation(?:="|>)[2-8]/g))
        part.write('1', index + whole.length - 1, 'latin1')
    }
  }
}
