import { deflateSync } from 'node:zlib'
import { openSharp, type Sharp } from '../../../engines/sharp.ts'
import { pngChunk } from '../../codecs/png-chunks.ts'
import type { Raster } from '../../codecs/raster.ts'
import type { FrameState } from '../frame-state.ts'

/** Metadata that a decoder found in addition to the pixels, as raw blocks. */
export interface MetadataBlocks {
  icc?: Uint8Array
  /** With or without the leading `Exif\0\0`. */
  exif?: Uint8Array
  /** An XMP packet. */
  xmp?: Uint8Array
  /** Dots per inch. */
  density?: number
}

const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1')

/** Keyword, no compression, no language, no translated keyword (PNG specification, 11.3.3.4; XMP part 3, 1.1.5). */
const XMP_PREFIX = Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1')

/** EXIF without its JPEG prefix and with orientation 1, for pixels that are already rotated. Returns a copy. */
export function uprightExif(block: Uint8Array): Buffer {
  const given = Buffer.from(block)
  const exif = given.subarray(0, 6).equals(EXIF_PREFIX) ? given.subarray(6) : given
  const little = exif.toString('latin1', 0, 2) === 'II'
  const u16 = (at: number): number => (little ? exif.readUInt16LE(at) : exif.readUInt16BE(at))
  const u32 = (at: number): number => (little ? exif.readUInt32LE(at) : exif.readUInt32BE(at))
  if (exif.length < 14) return exif
  const directory = u32(4)
  if (directory + 2 > exif.length) return exif
  const count = u16(directory)
  for (let entry = 0; entry < count; entry += 1) {
    const at = directory + 2 + entry * 12
    if (at + 12 > exif.length) break
    if (u16(at) !== 0x0112) continue
    if (little) exif.writeUInt16LE(1, at + 8)
    else exif.writeUInt16BE(1, at + 8)
  }
  return exif
}

/** The data of a pHYs chunk: pixels per metre, twice, and the unit 1 for metres (PNG specification, 11.3.5.3). */
function physicalSize(density: number): Buffer {
  const body = Buffer.alloc(9)
  const perMetre = Math.round(density / 0.0254)
  body.writeUInt32BE(perMetre, 0)
  body.writeUInt32BE(perMetre, 4)
  body[8] = 1
  return body
}

/**
 * Pixels from a built-in decoder with their metadata blocks, as a weakly compressed PNG that sharp can open. sharp
 * cannot attach raw EXIF or an ICC profile (without converting) to raw pixels; a PNG carries both.
 */
export async function rasterToPng(raster: Raster, blocks: MetadataBlocks = {}): Promise<Buffer> {
  const { width, height, channels, data, depth } = raster
  const image = await openSharp(data as Uint8Array | Uint16Array, { raw: { width, height, channels } })
  const space = channels < 3 ? (depth === 16 ? 'grey16' : 'b-w') : depth === 16 ? 'rgb16' : 'srgb'
  const png = await image
    .pipelineColourspace(space)
    .toColourspace(space)
    .png({ compressionLevel: 0, adaptiveFiltering: false })
    .toBuffer()
  const chunks = metadataChunks(blocks)
  const afterHeader = 8 + 25
  return chunks.length === 0 ? png : Buffer.concat([png.subarray(0, afterHeader), ...chunks, png.subarray(afterHeader)])
}

/**
 * Raw pixels with metadata as a sharp pipeline to which only sharp's final operations may be added: colour space,
 * alpha, encoder. sharp only takes metadata from its first image: a single black pixel that carries it, over which the
 * real pixels are composited with OR once sizes are final. This avoids writing and re-reading a PNG, which takes half
 * as long as a JPEG encode.
 */
async function openFinished(raster: Raster, blocks: MetadataBlocks): Promise<Sharp> {
  const { width, height, channels, data } = raster
  const pixels = data as Parameters<Sharp['boolean']>[0]
  return (await openSharp(await blackPixel(raster, blocks))).boolean(pixels, 'or', { raw: { width, height, channels } })
}

/** A PNG of one black pixel with the channels and the depth of the raster. */
export function blackPixel({ channels, depth }: Raster, blocks: MetadataBlocks = {}): Promise<Buffer> {
  const data = depth === 16 ? new Uint16Array(channels) : new Uint8Array(channels)
  return rasterToPng({ width: 1, height: 1, channels, depth, data }, blocks)
}

/**
 * The opener of a frame of raw pixels. A PNG of them is only created for operations; an encoder, which usually comes
 * next, does not need it.
 */
export function openerOf(raster: Raster, blocks: MetadataBlocks = {}): FrameState['open'] {
  let png: Promise<Buffer> | undefined
  return async (_pages, isFinished) => {
    if (isFinished) return openFinished(raster, blocks)
    png ??= rasterToPng(raster, blocks)
    return openSharp(await png)
  }
}

/** Metadata as PNG chunks, which follow the header. */
export function metadataChunks(blocks: MetadataBlocks): Buffer[] {
  const chunks: Buffer[] = []
  if (blocks.icc)
    chunks.push(pngChunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(blocks.icc)])))
  if (blocks.exif) chunks.push(pngChunk('eXIf', uprightExif(blocks.exif)))
  if (blocks.xmp) chunks.push(pngChunk('iTXt', Buffer.concat([XMP_PREFIX, blocks.xmp])))
  if (blocks.density) chunks.push(pngChunk('pHYs', physicalSize(blocks.density)))
  return chunks
}
