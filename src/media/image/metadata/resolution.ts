import type { Metadata } from '../../../engines/sharp.ts'
import { openTiffBlock, readDirectory, type TiffBlock, type TiffEntry } from '../decode/tiff-directory.ts'

/** What readers take for the resolution of a file that states none, in dots per inch (EXIF 2.32, 4.6.5: XResolution). */
export const ASSUMED_DENSITY = 72

/** Tags of TIFF 6.0, section 8. */
const RESOLUTION_X = 282
const RESOLUTION_Y = 283
const RESOLUTION_UNIT = 296
const RATIONAL = 5
const CENTIMETRES = 3
const NO_UNIT = 1

/** Dots per inch, across and down. */
export interface Resolution {
  x: number
  y: number
}

/** What the resolution tags of a directory say; undefined when they say nothing. */
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

/** What an EXIF block states; undefined when it states none. */
export function exifResolution(exif: Uint8Array): Resolution | undefined {
  const given = Buffer.from(exif.buffer, exif.byteOffset, exif.byteLength)
  const block = openTiffBlock(given.toString('latin1', 0, 6) === 'Exif\0\0' ? given.subarray(6) : given)
  return block && directoryResolution(block, readDirectory(block, block.u32(4)))
}

/** Dots per inch that an EXIF block states across; undefined when it states none. */
export const exifDensity = (exif: Uint8Array): number | undefined => exifResolution(exif)?.x

/** sharp's reading of a header, with the resolution from EXIF where the container itself has none (WebP, AVIF, HEIC). */
export function withExifDensity(metadata: Metadata): Metadata {
  const density = metadata.density ?? (metadata.exif && exifDensity(metadata.exif))
  return density ? { ...metadata, density } : metadata
}
