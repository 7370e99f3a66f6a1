import { readFile } from 'node:fs/promises'
import { type Metadata, openSharp, readMetadata } from '../../engines/sharp.ts'
import type { Raster } from '../codecs/raster.ts'
import { floatToSrgb8 } from '../codecs/tonemap.ts'
import type { MediaFile } from '../file.ts'
import { checkImageSize } from '../limits.ts'
import { rasterToPng } from './carrier.ts'
import { inkTiff } from './carrier-tiff.ts'
import { openTiffBlock, readDirectory, type TiffBlock } from './tiff-directory.ts'

/** Tags of TIFF 6.0, and those of their values that are asked for. */
const BITS = 258
const PHOTOMETRIC = 262
const SAMPLES_PER_PIXEL = 277
const PLANES = 284
const TILE_OFFSETS = 324
const TILE_BYTES = 325
const EXTRA_SAMPLES = 338
const UNKNOWN_TAG = 65_000
const SAMPLE_FORMAT = 339
const CIE_LAB = 8
const ICC_LAB = 9
const RGB = 2
const BLACK_IS_ZERO = 1
const TOGETHER = 1
const SEPARATE = 2
const LONG = 4
const UNSIGNED = 1
const SIGNED = 2
const FLOATING = 3

interface Header {
  block: TiffBlock
  first(tag: number): number | undefined
  /** Writes a value of 16 bits into every place of a tag. */
  rewrite(tag: number, value: number): void
  /** Where the entry of a tag stands in the directory. */
  entryAt(tag: number): number | undefined
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
    entryAt: (tag) => {
      const end = at + 2 + block.u16(at) * 12
      for (let entry = at + 2; entry < end; entry += 12) if (block.u16(entry) === tag) return entry
      return undefined
    },
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

/** Width and height, in numbers of 16 or 32 bits. */
function sizeOf({ block, entryAt }: Header): [number, number] | undefined {
  const read = (tag: number): number => {
    const entry = entryAt(tag)
    return entry === undefined ? 0 : block.u16(entry + 2) === LONG ? block.u32(entry + 8) : block.u16(entry + 8)
  }
  const [width, height] = [read(256), read(257)]
  return width > 0 && height > 0 ? [width, height] : undefined
}

/**
 * Tiles of separate planes, which libvips refuses: every plane is read as a grey picture of its own, by a directory that
 * names its tiles only. Undefined where the tiles are not so many times the planes.
 */
async function planarTiles(bytes: Buffer, page: number, planes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let shape: { width: number; height: number; depth: 8 | 16 } | undefined
  for (let plane = 0; plane < planes; plane += 1) {
    const own = Buffer.from(bytes)
    const header = headerOf(own, page)!
    const isLittle = own[0] === 0x49
    const put = (at: number, value: number, size: 2 | 4): void =>
      void (isLittle ? own.writeUIntLE(value, at, size) : own.writeUIntBE(value, at, size))
    for (const tag of [TILE_OFFSETS, TILE_BYTES]) {
      const entry = header.entryAt(tag)
      const count = entry === undefined ? 0 : header.block.u32(entry + 4)
      if (entry === undefined || count === 0 || count % planes !== 0) return undefined
      const bytesEach = ((header.block.u16(entry + 2) === LONG ? 4 : 2) * count) / planes
      // Four bytes or fewer stand in the entry itself.
      const start = (bytesEach * planes > 4 ? header.block.u32(entry + 8) : entry + 8) + plane * bytesEach
      put(entry + 4, count / planes, 4)
      if (bytesEach > 4) put(entry + 8, start, 4)
      else own.copy(own, entry + 8, start, start + bytesEach)
    }
    const bits = header.first(BITS)!
    for (const [tag, value] of [
      [BITS, bits],
      [SAMPLES_PER_PIXEL, 1],
      [PLANES, TOGETHER],
      [PHOTOMETRIC, BLACK_IS_ZERO],
      [SAMPLE_FORMAT, UNSIGNED],
    ] as const) {
      const entry = header.entryAt(tag)
      if (entry === undefined) continue
      put(entry + 4, 1, 4)
      put(entry + 8, value, 2)
    }
    const extra = header.entryAt(EXTRA_SAMPLES)
    // A tag that nobody knows takes its place.
    if (extra !== undefined) put(extra, UNKNOWN_TAG, 2)
    const depth = bits === 16 ? 'ushort' : 'uchar'
    const image = await openSharp(own, { page, ignoreIcc: true })
    const space = depth === 'ushort' ? 'grey16' : 'b-w'
    const { data, info } = await image
      .pipelineColourspace(space)
      .toColourspace(space)
      .extractChannel(0)
      .raw({ depth })
      .toBuffer({ resolveWithObject: true })
    shape = { width: info.width, height: info.height, depth: bits === 16 ? 16 : 8 }
    parts.push(data)
  }
  const { width, height, depth } = shape!
  const step = depth / 8
  const data = Buffer.alloc(width * height * planes * step)
  parts.forEach((part, plane) => {
    for (let pixel = 0; pixel < width * height; pixel += 1)
      part.copy(data, (pixel * planes + plane) * step, pixel * step, (pixel + 1) * step)
  })
  const whole = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer
  const samples = depth === 16 ? new Uint16Array(whole) : new Uint8Array(whole)
  return rasterToPng({ width, height, channels: planes as Raster['channels'], depth, data: samples })
}

/** Grey in floating point, linear light, which libvips takes for whole numbers from 0 to 255. */
async function floatGrey(bytes: Buffer, page: number, { width, height }: Metadata): Promise<Buffer> {
  const image = await openSharp(bytes, { page, ignoreIcc: true })
  const spaced = image.pipelineColourspace('b-w').toColourspace('b-w').extractChannel(0)
  const { buffer, byteOffset, byteLength } = await spaced.raw({ depth: 'float' }).toBuffer()
  const levels = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer)
  const data = new Float32Array(levels.length * 3)
  for (let pixel = 0; pixel < levels.length; pixel += 1) data.fill(levels[pixel]!, pixel * 3, pixel * 3 + 3)
  const shown = floatToSrgb8({ width, height, channels: 3, depth: 32, data })
  const grey = shown.data.filter((_, index) => index % 3 === 0)
  return rasterToPng({ width, height, channels: 1, depth: 8, data: grey })
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
  const planes = header.first(SAMPLES_PER_PIXEL) ?? 1
  const isTiled = header.entryAt(TILE_OFFSETS) !== undefined && header.first(PLANES) === SEPARATE
  const isPlain = (format ?? UNSIGNED) === UNSIGNED && (bits === 8 || bits === 16)
  if (isTiled && isPlain && (photometric === RGB || photometric === BLACK_IS_ZERO) && planes > 1 && planes <= 4) {
    const size = sizeOf(header)
    if (size) checkImageSize(file.name, ...size)
    return size && planarTiles(bytes, page, planes)
  }
  if (format === FLOATING && planes === 1) {
    const about = await readMetadata(bytes, { page })
    checkImageSize(file.name, about.width, about.height)
    return floatGrey(bytes, page, about)
  }
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
