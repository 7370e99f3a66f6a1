import { requireBytes } from '../failures.ts'
import { createRaster, type Raster } from '../raster.ts'
import { decodeBc6h } from './bc6h.ts'
import { decodeBc7 } from './bc7.ts'

/** Block compression formats BC1 (DXT1), BC2 (DXT2, DXT3) and BC3 (DXT4, DXT5) of 4 × 4 pixels. */
export type BlockCoding = 'bc1' | 'bc2' | 'bc3'

/** Expands a 5:6:5 colour to bytes. */
function expandColour(colour: number): [number, number, number] {
  return [
    Math.round(((colour >> 11) * 255) / 31),
    Math.round((((colour >> 5) & 63) * 255) / 63),
    Math.round(((colour & 31) * 255) / 31),
  ]
}

/** The four RGBA colours of a block; thirds are rounded to the nearest value. */
function fillColours(palette: Uint8Array, first: number, second: number, hasThirds: boolean): void {
  const [low, high] = [expandColour(first), expandColour(second)]
  for (let channel = 0; channel < 3; channel++) {
    const [a, b] = [low[channel]!, high[channel]!]
    palette[channel] = a
    palette[4 + channel] = b
    palette[8 + channel] = hasThirds ? Math.round((2 * a + b) / 3) : Math.round((a + b) / 2)
    palette[12 + channel] = hasThirds ? Math.round((a + 2 * b) / 3) : 0
  }
  palette[3] = 255
  palette[7] = 255
  palette[11] = 255
  palette[15] = hasThirds ? 255 : 0
}

/** The eight alpha values of a BC3 block: six or four steps between two endpoints, then 0 and 255. */
function fillAlphas(alphas: Uint8Array, first: number, second: number): void {
  alphas[0] = first
  alphas[1] = second
  const steps = first > second ? 7 : 5
  for (let index = 1; index < steps; index++) {
    alphas[index + 1] = Math.round(((steps - index) * first + index * second) / steps)
  }
  if (steps === 5) {
    alphas[6] = 0
    alphas[7] = 255
  }
}

/**
 * Decodes compressed blocks from `start` on to RGBA. The caller has checked the size against its limit.
 * @throws INVALID_FILE when blocks are missing
 */
export function readBlocks(
  bytes: Uint8Array,
  start: number,
  width: number,
  height: number,
  coding: BlockCoding,
): Raster & { data: Uint8Array } {
  const step = coding === 'bc1' ? 8 : 16
  const [columns, rows] = [Math.ceil(width / 4), Math.ceil(height / 4)]
  requireBytes(bytes, start + columns * rows * step, 'DDS')
  const raster = createRaster(width, height, 4, 8, 0)
  const palette = new Uint8Array(16)
  const alphas = new Uint8Array(8)
  const word = (at: number): number => bytes[at]! | (bytes[at + 1]! << 8)
  for (let block = 0; block < columns * rows; block++) {
    const at = start + block * step
    const colours = at + step - 8
    const [first, second] = [word(colours), word(colours + 2)]
    fillColours(palette, first, second, coding !== 'bc1' || first > second)
    if (coding === 'bc3') fillAlphas(alphas, bytes[at]!, bytes[at + 1]!)
    for (let pixel = 0; pixel < 16; pixel++) {
      const x = (block % columns) * 4 + (pixel & 3)
      const y = Math.floor(block / columns) * 4 + (pixel >> 2)
      if (x >= width || y >= height) continue
      const target = (y * width + x) * 4
      const choice = (bytes[colours + 4 + (pixel >> 2)]! >> ((pixel & 3) * 2)) & 3
      for (let channel = 0; channel < 4; channel++) raster.data[target + channel] = palette[choice * 4 + channel]!
      if (coding === 'bc2') raster.data[target + 3] = ((bytes[at + (pixel >> 1)]! >> ((pixel & 1) * 4)) & 15) * 17
      if (coding === 'bc3') {
        // Three bits per pixel; the last byte pair is only read if it belongs to the block.
        const bit = pixel * 3
        raster.data[target + 3] = alphas[(word(at + 2 + (bit >> 3)) >> (bit & 7)) & 7]!
      }
    }
  }
  return raster
}

/**
 * Decodes single-channel blocks, compressed like BC3 alpha: one channel is grey (BC4), two are red and green (BC5).
 * @throws INVALID_FILE when blocks are missing
 */
export function readLevels(
  bytes: Uint8Array,
  start: number,
  { width, height, count, isSigned }: { width: number; height: number; count: 1 | 2; isSigned: boolean },
): Raster {
  const [columns, rows] = [Math.ceil(width / 4), Math.ceil(height / 4)]
  requireBytes(bytes, start + columns * rows * count * 8, 'DDS')
  const channels = count === 1 ? 1 : 3
  const raster = createRaster(width, height, channels, 8, 0)
  // From -128..127 to 0..255, which keeps the order of the endpoints; 0 is in the middle, also for blue.
  const offset = isSigned ? 0x80 : 0
  if (isSigned) raster.data.fill(offset)
  const levels = new Uint8Array(8)
  for (let block = 0; block < columns * rows * count; block += 1) {
    const at = start + block * 8
    const place = Math.floor(block / count)
    fillAlphas(levels, bytes[at]! ^ offset, bytes[at + 1]! ^ offset)
    for (let pixel = 0; pixel < 16; pixel += 1) {
      const x = (place % columns) * 4 + (pixel & 3)
      const y = Math.floor(place / columns) * 4 + (pixel >> 2)
      if (x >= width || y >= height) continue
      const bit = pixel * 3
      const pair = bytes[at + 2 + (bit >> 3)]! | ((bit >> 3 < 5 ? bytes[at + 3 + (bit >> 3)]! : 0) << 8)
      raster.data[(y * width + x) * channels + (block % count)] = levels[(pair >> (bit & 7)) & 7]!
    }
  }
  return raster
}

/** Copies decoded blocks of 16 pixels to their positions; pixels outside the image are skipped. */
function placeBlocks(raster: Raster, decode: (block: number) => ArrayLike<number>): void {
  const { width, height, channels, data } = raster
  const columns = Math.ceil(width / 4)
  for (let block = 0; block < columns * Math.ceil(height / 4); block += 1) {
    const pixels = decode(block)
    const [left, top] = [(block % columns) * 4, Math.floor(block / columns) * 4]
    for (let y = 0; y < 4 && top + y < height; y += 1)
      for (let sample = 0; sample < Math.min(4, width - left) * channels; sample += 1)
        data[((top + y) * width + left) * channels + sample] = pixels[y * 4 * channels + sample]!
  }
}

/**
 * Decodes BC7 blocks to RGBA.
 * @throws INVALID_FILE when blocks are missing
 */
export function readBc7(bytes: Uint8Array, start: number, width: number, height: number): Raster {
  requireBytes(bytes, start + Math.ceil(width / 4) * Math.ceil(height / 4) * 16, 'DDS')
  const raster = createRaster(width, height, 4, 8, 0)
  const pixels = new Uint8Array(64)
  placeBlocks(raster, (block) => {
    decodeBc7(bytes, start + block * 16, pixels)
    return pixels
  })
  return raster
}

/**
 * Decodes BC6H blocks to linear RGB floats.
 * @throws INVALID_FILE when blocks are missing
 */
export function readBc6h(bytes: Uint8Array, start: number, width: number, height: number, isSigned: boolean): Raster {
  requireBytes(bytes, start + Math.ceil(width / 4) * Math.ceil(height / 4) * 16, 'DDS')
  const raster = createRaster(width, height, 3, 32, 0)
  const pixels = new Float32Array(48)
  placeBlocks(raster, (block) => {
    decodeBc6h(bytes, start + block * 16, isSigned, pixels)
    return pixels
  })
  return raster
}
