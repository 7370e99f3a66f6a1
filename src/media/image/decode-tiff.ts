import { readFile } from 'node:fs/promises'
import { type Metadata, openSharp, readMetadata } from '../../engines/sharp.ts'
import type { Raster } from '../codecs/raster.ts'
import type { MediaFile } from '../file.ts'
import { checkImageSize } from '../limits.ts'
import { rasterToPng } from './carrier.ts'
import { inkTiff } from './carrier-tiff.ts'
import { openTiffBlock, readDirectory, type TiffBlock } from './tiff-directory.ts'

/** Tags of TIFF 6.0, and those of their values that are asked for. */
const BITS = 258
const PHOTOMETRIC = 262
const SAMPLE_FORMAT = 339
const CIE_LAB = 8
const ICC_LAB = 9
const RGB = 2
const UNSIGNED = 1
const SIGNED = 2
const FLOATING = 3

interface Header {
  block: TiffBlock
  first(tag: number): number | undefined
  /** Writes a value of 16 bits into every place of a tag. */
  rewrite(tag: number, value: number): void
}

/** The directory of one page; undefined for BigTIFF and what is damaged, which libvips answers for. */
function headerOf(bytes: Buffer, page: number): Header | undefined {
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
    first: (tag) => {
      const entry = short(tag)
      return entry && block.u16(entry.at)
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

const SAMPLES = { uchar: Uint8Array, ushort: Uint16Array, uint: Uint32Array } as const

/** The samples as they are stored, once the header calls them unsigned. */
async function stored(
  bytes: Buffer,
  page: number,
): Promise<Metadata & { samples: Uint8Array | Uint16Array | Uint32Array }> {
  const about = await readMetadata(bytes, { page })
  const depth = (about.depth in SAMPLES ? about.depth : 'uchar') as keyof typeof SAMPLES
  const space = about.channels < 3 ? (depth === 'ushort' ? 'grey16' : 'b-w') : depth === 'ushort' ? 'rgb16' : 'srgb'
  const image = (await openSharp(bytes, { page, ignoreIcc: true })).pipelineColourspace(space).toColourspace(space)
  const { data, info } = await image.raw({ depth }).toBuffer({ resolveWithObject: true })
  const whole = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer
  return { ...about, channels: info.channels as Metadata['channels'], samples: new SAMPLES[depth](whole) }
}

/** Lab of 8 bit, a and b signed or with their middle at half, as Lab of 16 bit. */
function wideLab(samples: ArrayLike<number>, isSigned: boolean): Uint16Array {
  return Uint16Array.from(samples, (value, index) => {
    if (index % 3 === 0) return value * 257
    return (isSigned ? value ^ 0x80 : value) << 8
  })
}

/** Whole numbers of 32 bit as 16 bit, and signed ones from the lowest (black) to the highest (white) of their kind. */
function unsignedSamples(samples: Uint8Array | Uint16Array | Uint32Array, isSigned: boolean): Uint8Array | Uint16Array {
  if (samples instanceof Uint8Array) return isSigned ? samples.map((value) => value ^ 0x80) : samples
  if (samples instanceof Uint16Array) return isSigned ? samples.map((value) => value ^ 0x8000) : samples
  return Uint16Array.from(samples, (value) => (isSigned ? (value ^ 0x80000000) >>> 16 : value >>> 16))
}

/**
 * TIFFs whose samples sharp would cut off or refuse, in a form that it opens: signed whole numbers, whole numbers of 32 bit
 * and Lab of 8 bit. Undefined for all others. The header is changed in memory, so that libvips hands over the samples as
 * they are.
 */
export async function mendedTiff(file: MediaFile, page: number): Promise<Buffer | undefined> {
  const bytes = await readFile(file.path)
  const header = headerOf(bytes, page)
  if (!header) return undefined
  const [photometric, bits, format] = [PHOTOMETRIC, BITS, SAMPLE_FORMAT].map((tag) => header.first(tag))
  const isLab = photometric === CIE_LAB || photometric === ICC_LAB
  if (isLab && bits !== 8) return undefined
  if (isLab) header.rewrite(PHOTOMETRIC, RGB)
  const isSigned = format === SIGNED
  if (!isLab && !isSigned && (bits !== 32 || format === FLOATING)) return undefined
  header.rewrite(SAMPLE_FORMAT, UNSIGNED)
  const about = await readMetadata(bytes, { page })
  checkImageSize(file.name, about.width, about.height)
  const { samples, width, height, channels, icc, density } = await stored(bytes, page)
  const blocks = { ...(icc && { icc }), ...(density && { density }) }
  if (isLab)
    return channels === 3
      ? inkTiff({
          width,
          height,
          space: 'lab',
          data: wideLab(samples, photometric === CIE_LAB),
          ...(density && { density }),
        })
      : undefined
  const data = unsignedSamples(samples, isSigned)
  const depth = data instanceof Uint8Array ? 8 : 16
  return rasterToPng({ width, height, channels: channels as Raster['channels'], depth, data }, blocks)
}
