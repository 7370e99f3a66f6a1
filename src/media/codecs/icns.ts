import { damaged, requireBytes, viewOf } from './failures.ts'
import { checkRasterSize, createRaster, type Raster } from './raster.ts'

/** The image chosen from an Apple icon: pixels, or an embedded PNG or JPEG 2000 file. */
export type AppleIconPicture = Raster | { png: Uint8Array } | { jp2: Uint8Array }

/** Types that contain whole files, by side length in pixels. */
const FILES: Record<string, number> = {
  icp4: 16,
  icp5: 32,
  icp6: 64,
  ic07: 128,
  ic08: 256,
  ic09: 512,
  ic10: 1024,
  ic11: 32,
  ic12: 64,
  ic13: 256,
  ic14: 512,
}
/** Types with packed colours: their side length, and the type of their mask. */
const PLANES: Record<string, { side: number; mask: string }> = {
  is32: { side: 16, mask: 's8mk' },
  il32: { side: 32, mask: 'l8mk' },
  ih32: { side: 48, mask: 'h8mk' },
  it32: { side: 128, mask: 't8mk' },
}
/** Packed colours preceded by alpha. */
const WITH_ALPHA: Record<string, number> = { ic04: 16, ic05: 32 }

const isPng = (data: Uint8Array): boolean => Buffer.from(data.subarray(1, 4)).toString('latin1') === 'PNG'

/**
 * Unpacks consecutive planes: a byte with the high bit repeats the next byte 3 to 130 times; otherwise 1 to 128 bytes
 * follow.
 */
function unpack(data: Uint8Array, length: number): Uint8Array {
  const planes = new Uint8Array(length)
  for (let at = 0, to = 0; to < length; ) {
    const code = data[at++]
    if (code === undefined) throw damaged('The icon is cut off')
    const count = code & 0x80 ? code - 125 : code + 1
    if (code & 0x80) planes.fill(data[at++] ?? 0, to, Math.min(length, to + count))
    else {
      planes.set(data.subarray(at, at + Math.min(count, length - to)), to)
      at += count
    }
    to += count
  }
  return planes
}

/** @param alpha one byte per pixel, or undefined for opaque */
function interleave(planes: Uint8Array, side: number, alpha: Uint8Array | undefined): Raster {
  const channels = alpha ? 4 : 3
  const raster = createRaster(side, side, channels, 8, 0)
  for (let pixel = 0; pixel < side * side; pixel += 1) {
    for (let plane = 0; plane < 3; plane += 1)
      raster.data[pixel * channels + plane] = planes[plane * side * side + pixel]!
    if (alpha) raster.data[pixel * channels + 3] = alpha[pixel] ?? 0
  }
  return raster
}

/**
 * Returns the largest image of an Apple icon (ICNS).
 * @param maxPixels maximum number of pixels, 0 for no limit
 * @throws INVALID_FILE when damaged, truncated, or without a colour image, LIMIT_EXCEEDED
 */
export function decodeIcns(bytes: Uint8Array, maxPixels: number): AppleIconPicture {
  requireBytes(bytes, 8, 'icon')
  const view = viewOf(bytes)
  const parts = new Map<string, Uint8Array>()
  for (let at = 8; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at + 4)
    if (length < 8) throw damaged('The icon declares a part without a length')
    requireBytes(bytes, at + length, 'icon')
    parts.set(Buffer.from(bytes.subarray(at, at + 4)).toString('latin1'), bytes.subarray(at + 8, at + length))
    at += length
  }
  const sideOf = (kind: string): number => FILES[kind] ?? PLANES[kind]?.side ?? WITH_ALPHA[kind] ?? 0
  const best = [...parts.keys()].reduce((chosen, kind) => (sideOf(kind) > sideOf(chosen) ? kind : chosen), '')
  const [data, side] = [parts.get(best), sideOf(best)]
  if (!data || side === 0) throw damaged('The icon holds no picture in colour')
  checkRasterSize(side, side, 4, 8, maxPixels)
  if (isPng(data)) return { png: data }
  if (FILES[best]) return { jp2: data }
  if (WITH_ALPHA[best]) {
    // Skips the signature ARGB.
    const planes = unpack(data.subarray(4), side * side * 4)
    return interleave(planes.subarray(side * side), side, planes.subarray(0, side * side))
  }
  // The largest type starts with four unused bytes.
  const packed = best === 'it32' ? data.subarray(4) : data
  return interleave(unpack(packed, side * side * 3), side, parts.get(PLANES[best]!.mask))
}
