/**
 * Portable float maps: linear light as floating point, grey or RGB. Decoding gives 16 bit sRGB: 0 is black and 1 is white;
 * where the picture is brighter (its 99.5th percentile is above 1), that percentile is white. Encoding writes 0 to 1.
 */
import { defineFormat, type FormatPicture } from 'mediaproc/tool'
import { damaged, Reader } from './reader.ts'

const HEADER = /^P([Ff])\s(?:\s*#[^\n]*\n)*\s*(\d{1,9})\s+(\d{1,9})\s+([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s/
const CLIPPED_SHARE = 0.005
/** Maximum number of samples for the percentile. */
const SAMPLES = 1 << 18

interface Header {
  width: number
  height: number
  channels: 1 | 3
  isLittle: boolean
  /** Offset of the first sample. */
  start: number
}

const found = (bytes: Uint8Array): RegExpExecArray | null =>
  HEADER.exec(Buffer.from(bytes.subarray(0, 1024)).toString('latin1'))

function headerOf(bytes: Uint8Array): Header {
  const [header, kind, width, height, scale] = found(bytes) ?? []
  if (header === undefined) throw damaged('The file is not a portable float map')
  const channels = kind === 'F' ? 3 : 1
  return { width: Number(width), height: Number(height), channels, isLittle: Number(scale) < 0, start: header.length }
}

/** The factor that makes the brightest values white. */
function exposureOf(values: Float32Array): number {
  const step = Math.max(1, Math.floor(values.length / SAMPLES)) | 1
  const samples = new Float32Array(Math.ceil(values.length / step))
  let count = 0
  for (let at = 0; at < values.length; at += step) {
    const value = values[at] ?? 0
    if (value > 0 && Number.isFinite(value)) samples[count++] = value
  }
  const sorted = samples.subarray(0, count).sort()
  const bright = sorted[Math.min(count - 1, Math.floor(count * (1 - CLIPPED_SHARE)))] ?? 0
  return bright > 1 ? 1 / bright : 1
}

/** Transfer function of sRGB (IEC 61966-2-1) and its inverse, 0 to 1. */
const toSrgb = (linear: number): number => (linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055)
const toLinear = (srgb: number): number => (srgb <= 0.04045 ? srgb / 12.92 : ((srgb + 0.055) / 1.055) ** 2.4)

function decode(bytes: Uint8Array): FormatPicture {
  const { width, height, channels, isLittle, start } = headerOf(bytes)
  const length = width * height * channels
  const reader = new Reader(bytes, 'PFM', 'little')
  const { buffer, byteOffset } = reader.part(start, length * 4)
  const view = new DataView(buffer, byteOffset, length * 4)
  const values = new Float32Array(length)
  for (let index = 0; index < length; index += 1) values[index] = view.getFloat32(index * 4, isLittle)
  const exposure = exposureOf(values)
  const pixels = new Uint16Array(length)
  const row = width * channels
  for (let y = 0; y < height; y += 1) {
    // Rows are stored bottom-up.
    const from = (height - 1 - y) * row
    for (let x = 0; x < row; x += 1) {
      const value = (values[from + x] ?? 0) * exposure
      pixels[y * row + x] = value > 0 ? Math.round(toSrgb(Math.min(1, value)) * 65535) : 0
    }
  }
  return { width, height, channels, bitDepth: 16, pixels }
}

function encode({ width, height, channels, bitDepth, pixels }: FormatPicture): Uint8Array {
  const header = Buffer.from(`P${channels === 3 ? 'F' : 'f'}\n${width} ${height}\n-1.0\n`, 'latin1')
  const out = Buffer.alloc(header.length + pixels.length * 4)
  out.set(header)
  const white = bitDepth === 8 ? 255 : 65535
  const row = width * channels
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < row; x += 1) {
      const at = header.length + ((height - 1 - y) * row + x) * 4
      out.writeFloatLE(toLinear((pixels[y * row + x] ?? 0) / white), at)
    }
  return out
}

export const pfm = defineFormat({
  id: 'pfm',
  extensions: ['pfm'],
  mediaType: 'image/x-portable-floatmap',
  detect: (head) => found(head) !== null,
  size: headerOf,
  decode,
  encode,
  holds: { grey: true, bitDepth: 16 },
})
