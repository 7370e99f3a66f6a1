import { toEightBit, whiteOf } from '../convert.ts'
import { beyondFormat } from '../failures.ts'
import type { Raster } from '../raster.ts'
import { packBits } from './packbits.ts'

export interface PsdOptions {
  /** Dots per inch in the file; 72 when absent. */
  density?: number
  /** ICC profile of the pixels, embedded unchanged. */
  icc?: Uint8Array
  /**
   * `packbits` (the default for 8 bits) is smaller for drawings; 16 bits are stored `raw` unless requested otherwise.
   */
  compression?: 'raw' | 'packbits'
}

/** Maximum side length of a PSD file (larger ones need PSB). Pixels. */
const MAX_SIDE = 30000
const RESOLUTION = 1005
const ICC_PROFILE = 1039
/** Channel IDs of a layer: 0, 1, 2 are the colours. */
const TRANSPARENCY = -1

function bytes32(...values: number[]): Buffer {
  const result = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => {
    result.writeInt32BE(value | 0, index * 4)
  })
  return result
}

function bytes16(...values: number[]): Buffer {
  const result = Buffer.alloc(values.length * 2)
  values.forEach((value, index) => {
    result.writeUInt16BE(value & 0xffff, index * 2)
  })
  return result
}

/** The length of the parts, then the parts, padded to a multiple of `even`. */
function section(parts: Buffer[], even = 1): Buffer {
  const body = Buffer.concat(parts)
  const padding = (even - (body.length % even)) % even
  return Buffer.concat([bytes32(body.length + padding), body, Buffer.alloc(padding)])
}

function resource(id: number, data: Buffer): Buffer {
  // The size of a resource does not include the padding byte.
  const name = bytes16(0)
  const padding = Buffer.alloc(data.length % 2)
  return Buffer.concat([Buffer.from('8BIM', 'latin1'), bytes16(id), name, bytes32(data.length), data, padding])
}

function resources({ density = 72, icc }: PsdOptions): Buffer {
  const fixed = Math.round(density * 65536)
  // Each resolution: 16.16 pixels per inch, unit inch, ruler unit.
  const resolution = Buffer.concat([bytes32(fixed), bytes16(1, 1), bytes32(fixed), bytes16(1, 1)])
  const profile = icc ? [resource(ICC_PROFILE, Buffer.from(icc))] : []
  return section([resource(RESOLUTION, resolution), ...profile])
}

type Planes = Buffer[]

/** One big-endian plane per channel. With `matte`, colours are blended with white, as in merged images of Photoshop. */
function planesOf(raster: Raster, matte: boolean): Planes {
  const { data, channels, depth } = raster
  const pixels = data.length / channels
  const white = whiteOf(raster)
  return Array.from({ length: channels }, (_, channel) => {
    const plane = Buffer.alloc((pixels * depth) / 8)
    for (let pixel = 0; pixel < pixels; pixel++) {
      let value = data[pixel * channels + channel]!
      if (matte && channel < channels - 1) {
        const alpha = data[(pixel + 1) * channels - 1]! / white
        value = Math.round(value * alpha + white * (1 - alpha))
      }
      if (depth === 8) plane[pixel] = value
      else plane.writeUInt16BE(value, pixel * 2)
    }
    return plane
  })
}

/** Planes in the format's encoding: a compression code, the length of every row for PackBits, the rows. */
function imageData(planes: Planes, rowBytes: number, compression: 'raw' | 'packbits'): Buffer {
  if (compression === 'raw') return Buffer.concat([bytes16(0), ...planes])
  const rows = planes.flatMap((plane) =>
    Array.from({ length: plane.length / rowBytes }, (_, y) =>
      packBits(plane.subarray(y * rowBytes, (y + 1) * rowBytes)),
    ),
  )
  // Spread arguments are not used here: a large image has more rows than a call may have arguments.
  const lengths = Buffer.alloc(rows.length * 2)
  rows.forEach((row, index) => {
    lengths.writeUInt16BE(row.length, index * 2)
  })
  return Buffer.concat([bytes16(1), lengths, ...rows])
}

/**
 * One layer with the whole image. Only layers support transparency: without one, readers treat the fourth channel as a
 * saved selection. The negative count means that the merged image has transparency, too.
 */
function layers(raster: Raster, rowBytes: number, compression: 'raw' | 'packbits'): Buffer {
  const { width, height, channels, depth } = raster
  const data = planesOf(raster, false).map((plane) => imageData([plane], rowBytes, compression))
  const ids = [...Array.from({ length: channels - 1 }, (_, index) => index), TRANSPARENCY]
  const name = Buffer.from('\x07Layer 0', 'latin1')
  const record = [
    bytes32(0, 0, height, width),
    bytes16(channels),
    ...ids.flatMap((id, index) => [bytes16(id), bytes32(data[index]!.length)]),
    Buffer.from('8BIMnorm', 'latin1'),
    Buffer.from([255, 0, 0, 0]),
    section([bytes32(0, 0), name]),
  ]
  const info = [bytes16(-1), ...record, ...data]
  if (depth === 8) return section([section(info, 4), bytes32(0)])
  // Layers of 16 bits are not stored in the usual place but in a separate tagged block.
  return section([bytes32(0, 0), Buffer.from('8BIMLr16', 'latin1'), section(info, 4)])
}

/**
 * Encodes a PSD file of 8 or 16 bits, grey or RGB; floating point is tone-mapped to 8 bits. Without alpha it is a
 * single merged image; with alpha, a layer holds the transparency, and the merged image is flattened onto white, as
 * Photoshop does.
 * @throws TARGET_UNREACHABLE for a side over 30000 pixels
 */
export function encodePsd(source: Raster, options: PsdOptions = {}): Uint8Array {
  const raster = source.depth === 32 ? toEightBit(source) : source
  const { width, height, channels, depth } = raster
  if (width > MAX_SIDE || height > MAX_SIDE) {
    const sentence = `A PSD picture has at most ${MAX_SIDE} pixels on a side, this one has ${width} × ${height}`
    throw beyondFormat(sentence, 'Resize it first, or use TIFF.')
  }
  const compression = options.compression ?? (depth === 8 ? 'packbits' : 'raw')
  const rowBytes = (width * depth) / 8
  const hasAlpha = channels % 2 === 0
  const mode = channels >= 3 ? 3 : 1
  return Buffer.concat([
    Buffer.from('8BPS\0\x01\0\0\0\0\0\0', 'latin1'),
    bytes16(channels),
    bytes32(height, width),
    bytes16(depth, mode),
    bytes32(0),
    resources(options),
    hasAlpha ? layers(raster, rowBytes, compression) : bytes32(0),
    imageData(planesOf(raster, hasAlpha), rowBytes, compression),
  ])
}
