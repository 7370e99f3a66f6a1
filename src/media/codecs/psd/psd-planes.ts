import { damaged, requireBytes, unsupportedVariant } from '../failures.ts'
import { unpackBits } from './packbits.ts'
import type { PsdSections } from './psd-sections.ts'

/** Compression codes of the merged image (Adobe Photoshop File Formats, "Image Data Section"). */
const RAW = 0
const PACKBITS = 1

/**
 * Reads the first `wanted` channels of the merged image, one plane after another, big-endian as stored. The caller has
 * checked the size. Channels after them (saved selections, spot colours) are not read.
 * @throws INVALID_FILE when truncated, UNSUPPORTED_FILE_TYPE for another compression
 */
export function readPlanes(bytes: Uint8Array, sections: PsdSections, wanted: number): Buffer[] {
  const { width, height, depth, channels, large, pixels } = sections
  requireBytes(bytes, pixels + 2, 'PSD')
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const compression = file.readUInt16BE(pixels)
  const rowBytes = Math.ceil((width * depth) / 8)
  const planeBytes = rowBytes * height
  const start = pixels + 2
  if (compression === RAW) {
    requireBytes(bytes, start + planeBytes * wanted, 'PSD')
    return Array.from({ length: wanted }, (_, plane) =>
      file.subarray(start + plane * planeBytes, start + (plane + 1) * planeBytes),
    )
  }
  if (compression !== PACKBITS)
    throw unsupportedVariant(`This PSD file compresses its merged picture by the unsupported method ${compression}`)
  const lengthBytes = large ? 4 : 2
  let at = start + channels * height * lengthBytes
  requireBytes(bytes, at, 'PSD')
  return Array.from({ length: wanted }, (_, plane) => {
    const unpacked = Buffer.alloc(planeBytes)
    for (let y = 0; y < height; y++) {
      const packed = file.readUIntBE(start + (plane * height + y) * lengthBytes, lengthBytes)
      requireBytes(bytes, at + packed, 'PSD')
      const written = unpackBits(file.subarray(at, at + packed), unpacked.subarray(y * rowBytes, (y + 1) * rowBytes))
      if (written < rowBytes) throw damaged(`The PSD file has ${written} of ${rowBytes} bytes in row ${y} of a channel`)
      at += packed
    }
    return unpacked
  })
}
