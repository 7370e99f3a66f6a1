import type { Tags } from '../../../../src/engines/exiftool.ts'

/** The descriptive metadata of an image, by kind; null if it has none of a kind. */
export interface MetadataReport {
  exif: Record<string, unknown> | null
  iptc: Record<string, unknown> | null
  xmp: Record<string, unknown> | null
  gps: Record<string, unknown> | null
  /** IPTC keywords and XMP subjects, each once. */
  keywords: string[]
}

/**
 * Directories of an EXIF block except GPS; the first one with a name provides its value, so the thumbnail's come last.
 */
const EXIF_GROUPS = ['IFD0', 'ExifIFD', 'InteropIFD', 'SubIFD', 'IFD1']

/** exiftool's placeholder for a binary value. */
const BINARY = /^\(Binary data (\d+) bytes, use -b option to extract\)$/

function readable(value: unknown): unknown {
  const size = typeof value === 'string' ? BINARY.exec(value)?.[1] : undefined
  return size === undefined ? value : `<binary ${size} bytes>`
}

/** Tags of the matching group, without their group prefix. */
function ofGroups(tags: Tags, fits: (group: string) => boolean): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(tags)) {
    const [group, name] = key.split(':') as [string, string | undefined]
    if (name !== undefined && fits(group) && !Object.hasOwn(found, name)) found[name] = readable(value)
  }
  return found
}

const orNull = (found: Record<string, unknown>): Record<string, unknown> | null =>
  Object.keys(found).length > 0 ? found : null

/** The values of a list tag as texts; exiftool returns a single value without a list, and numbers as numbers. */
export function listOf(value: unknown): string[] {
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).map(String)
}

/** Groups tags as exiftool returns them (family 1 groups, raw values). */
export function reportOf(tags: Tags): MetadataReport {
  const exif: Record<string, unknown> = {}
  for (const wanted of EXIF_GROUPS)
    for (const [name, value] of Object.entries(ofGroups(tags, (group) => group === wanted))) exif[name] ??= value
  // The composite position is signed; the stored one is not.
  const gps = { ...ofGroups(tags, (group) => group === 'GPS'), ...ofGroups(tags, (group) => group === 'Composite') }
  return {
    exif: orNull(exif),
    iptc: orNull(ofGroups(tags, (group) => group === 'IPTC')),
    xmp: orNull(ofGroups(tags, (group) => group.startsWith('XMP-'))),
    gps: orNull(gps),
    keywords: [...new Set([...listOf(tags['IPTC:Keywords']), ...listOf(tags['XMP-dc:Subject'])])],
  }
}
