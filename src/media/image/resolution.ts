import type { Metadata } from '../../engines/sharp.ts'
import { openTiffBlock, readDirectory } from './tiff-directory.ts'

/** What readers take for the resolution of a file that states none, in dots per inch (EXIF 2.32, 4.6.5: XResolution). */
export const ASSUMED_DENSITY = 72

/** Tags of TIFF 6.0, section 8. */
const RESOLUTION_X = 282
const RESOLUTION_UNIT = 296
const RATIONAL = 5
const CENTIMETRES = 3
const NO_UNIT = 1

/** Dots per inch that an EXIF block states; undefined when it states none. */
export function exifDensity(exif: Uint8Array): number | undefined {
  const given = Buffer.from(exif.buffer, exif.byteOffset, exif.byteLength)
  const block = openTiffBlock(given.toString('latin1', 0, 6) === 'Exif\0\0' ? given.subarray(6) : given)
  if (!block) return undefined
  const entries = new Map(readDirectory(block, block.u32(4)).map((entry) => [entry.tag, entry]))
  const [across, unit] = [entries.get(RESOLUTION_X), entries.get(RESOLUTION_UNIT)]
  const unitNumber = unit ? block.u16(unit.at) : undefined
  if (across?.type !== RATIONAL || unitNumber === NO_UNIT) return undefined
  const value = block.u32(across.at) / block.u32(across.at + 4)
  if (!Number.isFinite(value) || value <= 0) return undefined
  return unitNumber === CENTIMETRES ? value * 2.54 : value
}

/** sharp's reading of a header, with the resolution from EXIF where the container itself has none (WebP, AVIF, HEIC). */
export function withExifDensity(metadata: Metadata): Metadata {
  const density = metadata.density ?? (metadata.exif && exifDensity(metadata.exif))
  return density ? { ...metadata, density } : metadata
}
