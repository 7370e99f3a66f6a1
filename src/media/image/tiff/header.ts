import { openTiffBlock, readDirectory, type TiffBlock } from '../decode/tiff-directory.ts'

/** TIFF 6.0 tags that describe how samples are stored, and the values relevant for decoding. */
export const TAGS = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  samplesPerPixel: 277,
  stripBytes: 279,
  planes: 284,
  tileOffsets: 324,
  tileBytes: 325,
  extraSamples: 338,
  sampleFormat: 339,
  jpegStart: 513,
  jpegQuantisation: 519,
} as const

export const PHOTOMETRIC = { whiteIsZero: 0, blackIsZero: 1, rgb: 2, cieLab: 8, iccLab: 9 } as const
/** Compressions of which libvips reads none. */
export const COMPRESSION = { oldJpeg: 6, lzma: 34_925 } as const
export const PLANES = { together: 1, separate: 2 } as const
export const FORMAT = { unsigned: 1, signed: 2, floating: 3 } as const
const LONG = 4

/** The directory of one page, in a mutable copy of the file. */
export interface TiffHeader {
  block: TiffBlock
  /** The first value of a tag with 16-bit values. */
  first(tag: number): number | undefined
  /** All values of a tag with 16-bit values; none if it is absent. */
  all(tag: number): number[]
  /** Sets all values of a tag to a 16-bit value. */
  rewrite(tag: number, value: number): void
  /** The position of a tag's entry. */
  entryAt(tag: number): number | undefined
}

/** Returns the directory of a page, from 0; undefined for BigTIFF and damage, which libvips handles. */
export function openTiffHeader(bytes: Buffer, page: number): TiffHeader | undefined {
  const block = openTiffBlock(bytes)
  if (block?.u16(2) !== 42) return undefined
  let at = block.u32(4)
  for (let index = 0; index < page; index += 1) {
    const next = at + 2 + (at + 2 <= bytes.length ? block.u16(at) : 0) * 12
    if (next + 4 > bytes.length) return undefined
    at = block.u32(next)
  }
  const entries = new Map(readDirectory(block, at).map((entry) => [entry.tag, entry]))
  const short = (tag: number) => {
    const entry = entries.get(tag)
    return entry?.type === 3 && entry.count > 0 ? entry : undefined
  }
  const isLittle = bytes[0] === 0x49
  return {
    block,
    entryAt: (tag) => {
      const end = at + 2 + block.u16(at) * 12
      for (let entry = at + 2; entry < end; entry += 12) if (block.u16(entry) === tag) return entry
      return undefined
    },
    first: (tag) => {
      const entry = short(tag)
      return entry && block.u16(entry.at)
    },
    all: (tag) => {
      const entry = short(tag)
      return entry ? Array.from({ length: entry.count }, (_, index) => block.u16(entry.at + index * 2)) : []
    },
    rewrite: (tag, value) => {
      const entry = short(tag)
      for (let index = 0; entry && index < entry.count; index += 1) {
        if (isLittle) bytes.writeUInt16LE(value, entry.at + index * 2)
        else bytes.writeUInt16BE(value, entry.at + index * 2)
      }
    },
  }
}

/** Returns a 16- or 32-bit value, 0 if the tag is absent. */
function numberOf({ block, entryAt }: TiffHeader, tag: number): number {
  const entry = entryAt(tag)
  return entry === undefined ? 0 : block.u16(entry + 2) === LONG ? block.u32(entry + 8) : block.u16(entry + 8)
}

/** Returns width and height in pixels; undefined if one is missing. */
export function tiffSize(header: TiffHeader): [number, number] | undefined {
  const [width, height] = [numberOf(header, TAGS.width), numberOf(header, TAGS.height)]
  return width > 0 && height > 0 ? [width, height] : undefined
}

/** Bytes per value in a list of positions or lengths. */
export const valueBytes = ({ block }: TiffHeader, entry: number): 2 | 4 => (block.u16(entry + 2) === LONG ? 4 : 2)
