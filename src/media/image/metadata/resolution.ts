import type { Metadata } from '../../../engines/sharp.ts'
import { openTiffBlock, readDirectory, type TiffBlock, type TiffEntry } from '../decode/tiff-directory.ts'

/** The resolution that readers assume for a file without one, in dots per inch (EXIF 2.32, 4.6.5: XResolution). */
export const ASSUMED_DENSITY = 72

/** Tags of TIFF 6.0, section 8. */
const RESOLUTION_X = 282
const RESOLUTION_Y = 283
const RESOLUTION_UNIT = 296
const RATIONAL = 5
const CENTIMETRES = 3
const NO_UNIT = 1

/** Dots per inch, horizontal and vertical. */
export interface Resolution {
  x: number
  y: number
}

/** The resolution in the tags of a directory; undefined if there is none. */
export function directoryResolution({ u16, u32 }: TiffBlock, entries: readonly TiffEntry[]): Resolution | undefined {
  const tags = new Map(entries.map((entry) => [entry.tag, entry]))
  const [across, down, unit] = [tags.get(RESOLUTION_X), tags.get(RESOLUTION_Y), tags.get(RESOLUTION_UNIT)]
  const unitNumber = unit ? u16(unit.at) : undefined
  if (across?.type !== RATIONAL || unitNumber === NO_UNIT) return undefined
  const perInch = (entry: TiffEntry): number => {
    const value = u32(entry.at) / u32(entry.at + 4)
    return unitNumber === CENTIMETRES ? value * 2.54 : value
  }
  const x = perInch(across)
  const y = down?.type === RATIONAL ? perInch(down) : x
  return [x, y].every((value) => Number.isFinite(value) && value > 0) ? { x, y } : undefined
}

/** The resolution in an EXIF block; undefined if there is none. */
export function exifResolution(exif: Uint8Array): Resolution | undefined {
  const given = Buffer.from(exif.buffer, exif.byteOffset, exif.byteLength)
  const block = openTiffBlock(given.toString('latin1', 0, 6) === 'Exif\0\0' ? given.subarray(6) : given)
  return block && directoryResolution(block, readDirectory(block, block.u32(4)))
}

/** Horizontal dots per inch in an EXIF block; undefined if there is none. */
export const exifDensity = (exif: Uint8Array): number | undefined => exifResolution(exif)?.x

/** The header as read by sharp, with the resolution from EXIF if the container has none (WebP, AVIF, HEIC). */
export function withExifDensity(metadata: Metadata): Metadata {
  const density = metadata.density ?? (metadata.exif && exifDensity(metadata.exif))
  return density ? { ...metadata, density } : metadata
}
