import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { openMediaFile } from '../../src/media/file.ts'
import { decodeImage } from '../../src/media/image/decode/decode.ts'
import type { ImageFrame } from '../../src/media/image/frame.ts'

/** Real files, if they exist: their tests are skipped otherwise. */
export const CORPUS = join(import.meta.url.slice('file://'.length), '../../../../shared/corpus')

export interface Samples {
  width: number
  height: number
  channels: number
  data: Uint8Array | Uint16Array
}

/** A photo-like picture: smooth gradients, a soft disc and faint seeded noise. 8 bit, 1 to 4 channels. */
export function photo(width: number, height: number, channels: 1 | 2 | 3 | 4 = 3): Samples & { data: Uint8Array } {
  const data = new Uint8Array(width * height * channels)
  let state = 12345
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
      const noise = ((state >> 16) & 7) - 3
      const disc = 60 * Math.exp(-(((x / width - 0.3) / 0.2) ** 2) - ((y / height - 0.4) / 0.2) ** 2)
      const values = [
        30 + (180 * x) / width + disc,
        40 + (160 * y) / height + disc / 2,
        200 - (120 * (x + y)) / (width + height) - disc,
      ]
      for (let channel = 0; channel < channels; channel++) {
        const isAlpha = channels % 2 === 0 && channel === channels - 1
        const value = isAlpha ? (255 * y) / Math.max(1, height - 1) : values[channel]! + noise
        data[(y * width + x) * channels + channel] = Math.round(Math.max(0, Math.min(255, value)))
      }
    }
  return { width, height, channels, data }
}

/** Raw samples as a sharp pipeline. */
export function fromSamples({ data, width, height, channels }: Samples): Sharp {
  return sharp(data, { raw: { width, height, channels: channels as 3 } })
}

/** One colour. */
export function plain(width: number, height: number, colour: string): Sharp {
  return sharp({ create: { width, height, channels: colour.length > 7 ? 4 : 3, background: colour } })
}

/** Four quarters of different colours (red, green / blue, white), so that every rotation and mirroring is visible. */
export async function quarters(width: number, height: number): Promise<Buffer> {
  const [across, down] = [Math.round(width / 2), Math.round(height / 2)]
  const part = async (colour: string) =>
    plain(Math.max(across, width - across), Math.max(down, height - down), colour)
      .png()
      .toBuffer()
  const [green, blue, red] = await Promise.all(['#00ff00', '#0000ff', '#ff0000'].map(part))
  const cut = (input: Buffer, w: number, h: number) =>
    sharp(input).extract({ left: 0, top: 0, width: w, height: h }).png().toBuffer()
  return plain(width, height, '#ffffff')
    .composite([
      { input: await cut(red!, across, down), left: 0, top: 0 },
      { input: await cut(green!, width - across, down), left: across, top: 0 },
      { input: await cut(blue!, across, height - down), left: 0, top: down },
    ])
    .removeAlpha()
    .png()
    .toBuffer()
}

/** Grey of 16 bits (or RGB) with as many levels as there are columns. */
export function ramp16(width: number, height: number, channels: 1 | 3 = 1): Samples & { data: Uint16Array } {
  const data = new Uint16Array(width * height * channels)
  for (let index = 0; index < data.length; index++)
    data[index] = Math.round((((Math.floor(index / channels) % width) + 0.5) * 65535) / width)
  return { width, height, channels, data }
}

/** PNG of 16 bit samples. */
export async function png16({ data, width, height, channels }: Samples): Promise<Buffer> {
  const space = channels < 3 ? 'grey16' : 'rgb16'
  return sharp(data, { raw: { width, height, channels: channels as 3 } })
    .pipelineColourspace(space)
    .toColourspace(space)
    .png()
    .toBuffer()
}

/** What sharp decodes from a file, as stored: 8 bit, no rotation, no colour management. */
export async function readPixels(input: string | Buffer, page?: number): Promise<Samples & { data: Buffer }> {
  const { data, info } = await sharp(input, { ignoreIcc: true, ...(page !== undefined && { page }) })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

/** Like readPixels, but always RGBA in sRGB. */
export async function readRgba(input: string | Buffer, page?: number): Promise<Samples & { data: Buffer }> {
  const image = sharp(input, page === undefined ? {} : { page })
    .toColourspace('srgb')
    .ensureAlpha()
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels: info.channels }
}

/** Samples of a 16 bit file, unchanged. */
export async function read16(input: string | Buffer): Promise<Samples & { data: Uint16Array }> {
  const { space } = await sharp(input).metadata()
  const wide = space === 'grey16' ? 'grey16' : 'rgb16'
  const image = sharp(input, { ignoreIcc: true }).pipelineColourspace(wide).toColourspace(wide)
  const { data, info } = await image.raw({ depth: 'ushort' }).toBuffer({ resolveWithObject: true })
  const samples = new Uint16Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength))
  return { data: samples, width: info.width, height: info.height, channels: info.channels }
}

/** The colour at a point, without alpha if it is opaque. */
export function at({ data, width, channels }: Samples, x: number, y: number): number[] {
  const start = (y * width + x) * channels
  const colour = [...data.subarray(start, start + channels)]
  return colour.length === 4 && colour[3] === 255 ? colour.slice(0, 3) : colour
}

/** Largest and mean absolute difference of two pictures of the same shape. */
export function difference(one: Samples, other: Samples): { most: number; mean: number } {
  if (one.width !== other.width || one.height !== other.height || one.channels !== other.channels)
    throw new Error(
      `shapes differ: ${one.width} x ${one.height} x ${one.channels} and ${other.width} x ${other.height} x ${other.channels}`,
    )
  let most = 0
  let sum = 0
  one.data.forEach((value: number, index: number) => {
    const apart = Math.abs(value - other.data[index]!)
    most = Math.max(most, apart)
    sum += apart
  })
  return { most, mean: sum / one.data.length }
}

/** An animation of plain frames, each with a square in its middle if their colours are given. */
export async function animation(
  path: string,
  colours: readonly string[],
  options: { delay?: number[]; loop?: number; width?: number; height?: number; subjects?: readonly string[] } = {},
): Promise<string> {
  const {
    width = 40,
    height = 24,
    delay = colours.map((_, index) => 50 + index * 30),
    loop = 3,
    subjects = [],
  } = options
  const square = async (colour: string) => ({
    input: await plain(width >> 1, height >> 1, colour)
      .png()
      .toBuffer(),
  })
  const frames = await Promise.all(
    colours.map(async (colour, index) => {
      const squares = await Promise.all(subjects.slice(index, index + 1).map(square))
      return plain(width, height, colour).composite(squares).png().toBuffer()
    }),
  )
  const joined = sharp(frames, { join: { animated: true } })
  await (path.endsWith('.gif') ? joined.gif({ delay, loop }) : joined.webp({ delay, loop, lossless: true })).toFile(
    path,
  )
  return path
}

function fixed(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(Math.round(value * 65536))
  return bytes
}

/**
 * A scripted ICC profile: sRGB's primaries with red and green exchanged and a gamma of 1.8, so that colours are far
 * off if it is lost, applied twice or ignored. ICC.1:2001-04, matrix/TRC display profile.
 */
export function swappedProfile(): Buffer {
  const xyz = (...values: number[]) => Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), ...values.map(fixed)])
  const gamma = Buffer.from([0x63, 0x75, 0x72, 0x76, 0, 0, 0, 0, 0, 0, 0, 1, 0x01, 0xcd, 0, 0])
  const text = (type: string, body: Buffer) => Buffer.concat([Buffer.from(`${type}\0\0\0\0`, 'latin1'), body])
  const name = Buffer.from('Swapped\0', 'latin1')
  const length = Buffer.from([0, 0, 0, name.length])
  const tags: [string, Buffer][] = [
    ['desc', text('desc', Buffer.concat([length, name, Buffer.alloc(78)]))],
    ['cprt', text('text', Buffer.from('none\0\0\0\0', 'latin1'))],
    ['wtpt', xyz(0.9642, 1, 0.8249)],
    ['rXYZ', xyz(0.3851, 0.7169, 0.0971)],
    ['gXYZ', xyz(0.4361, 0.2225, 0.0139)],
    ['bXYZ', xyz(0.1431, 0.0606, 0.7141)],
    ['rTRC', gamma],
    ['gTRC', gamma],
    ['bTRC', gamma],
  ]
  let offset = 128 + 4 + tags.length * 12
  const table: Buffer[] = []
  const bodies: Buffer[] = []
  for (const [signature, body] of tags) {
    const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)])
    const entry = Buffer.alloc(12)
    entry.write(signature, 0, 'latin1')
    entry.writeUInt32BE(offset, 4)
    entry.writeUInt32BE(body.length, 8)
    table.push(entry)
    bodies.push(padded)
    offset += padded.length
  }
  const header = Buffer.alloc(132)
  header.writeUInt32BE(offset, 0)
  header.set([2, 0x10, 0, 0], 8)
  header.write('mntrRGB XYZ ', 12, 'latin1')
  header.write('acsp', 36, 'latin1')
  Buffer.concat([fixed(0.9642), fixed(1), fixed(0.8249)]).copy(header, 68)
  header.writeUInt32BE(tags.length, 128)
  return Buffer.concat([header, ...table, ...bodies])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  let crc = 0xffffffff
  for (const byte of chunk.subarray(4, 8 + data.length)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  chunk.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 8 + data.length)
  return chunk
}

/** A PNG with an added profile and unchanged pixels. */
export function pngWithProfile(png: Buffer, profile: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('test\0\0', 'latin1'), deflateSync(profile)])
  return Buffer.concat([png.subarray(0, 33), pngChunk('iCCP', body), png.subarray(33)])
}

/** A JPEG with an added profile and unchanged pixels. */
export function jpegWithProfile(jpeg: Buffer, profile: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), profile])
  const marker = Buffer.from([0xff, 0xe2, 0, 0])
  marker.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), marker, body, jpeg.subarray(2)])
}

/**
 * A file of full length that no decoder accepts. Bytes that decoders need are overwritten: in a JPEG a code table, in a
 * WebP the start of its picture, as both tolerate any other damage; elsewhere the middle of the file.
 */
export function damaged(file: Buffer): Buffer {
  const isWebp = file.toString('latin1', 8, 12) === 'WEBP'
  const table = file[0] === 0xff ? file.indexOf(Buffer.from([0xff, 0xc4])) + 5 : undefined
  const from = table ?? (isWebp ? 20 : file.length >> 1)
  const bytes = Buffer.from(file)
  return bytes.fill(0xff, from, from + 16)
}

/** Writes bytes (or a pipeline's PNG) as a file in `folder`. */
export async function put(folder: string, name: string, content: Uint8Array | Sharp): Promise<string> {
  const path = join(folder, name)
  writeFileSync(path, content instanceof Uint8Array ? content : await content.toBuffer())
  return path
}

/** A file decoded by the image medium. */
export async function frameOf(path: string): Promise<ImageFrame> {
  return decodeImage(await openMediaFile(path))
}
