import type { MediaFile } from '../../../../src/media/file.ts'
import { decodeImage } from '../../../../src/media/image/decode/decode.ts'
import { readExif } from '../../../../src/media/image/metadata/exif.ts'

/** The header of an ICC profile. Offsets: ICC.1:2010, section 7.2. */
function readIcc(profile: Buffer): Record<string, string> | null {
  if (profile.length < 132) return null
  const word = (at: number): string => profile.toString('latin1', at, at + 4).trim()
  const description = profileDescription(profile)
  return {
    'Profile Size': `${profile.length} bytes`,
    'Color Space': word(16),
    'Connection Space': word(20),
    'Device Class': word(12),
    Version: `${profile[8]}.${profile[9]! >> 4}`,
    ...(description && { Description: description }),
  }
}

/** The `desc` tag: ASCII in version 2 profiles (textDescriptionType), UTF-16 in version 4 (multiLocalizedUnicodeType). */
function profileDescription(profile: Buffer): string | undefined {
  const count = Math.min(profile.readUInt32BE(128), 100)
  for (let entry = 0; entry < count; entry += 1) {
    const at = 132 + entry * 12
    if (at + 12 > profile.length) return undefined
    if (profile.toString('latin1', at, at + 4) !== 'desc') continue
    const start = profile.readUInt32BE(at + 4)
    if (start + 28 > profile.length) return undefined
    const kind = profile.toString('latin1', start, start + 4)
    if (kind === 'desc') {
      const length = profile.readUInt32BE(start + 8)
      return profile.toString('latin1', start + 12, start + 12 + length).replace(/\0+$/, '')
    }
    if (kind !== 'mluc') return undefined
    const length = profile.readUInt32BE(start + 20)
    const offset = profile.readUInt32BE(start + 24)
    return Buffer.from(profile.subarray(start + offset, start + offset + length - (length % 2)))
      .swap16()
      .toString('utf16le')
  }
  return undefined
}

/** Every attribute and every element with text of an XMP packet, by its prefixed name. */
async function readXmp(packet: Buffer): Promise<Record<string, string> | null> {
  const { XMLParser } = await import('fast-xml-parser')
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    processEntities: false,
    parseTagValue: false,
  })
  const found: Record<string, string> = {}
  const walk = (node: unknown, name: string): void => {
    if (Array.isArray(node)) for (const item of node) walk(item, name)
    else if (node && typeof node === 'object') {
      for (const [key, value] of Object.entries(node)) {
        if (key.startsWith('xmlns') || key.startsWith('?')) continue
        // Lists (rdf:Bag, rdf:Seq, rdf:Alt) belong to the property that holds them.
        walk(value, key.startsWith('rdf:') || key === '#text' ? name : key)
      }
    } else if (name.includes(':') && String(node) !== '')
      found[name] = found[name] ? `${found[name]}, ${node}` : String(node)
  }
  try {
    walk(parser.parse(packet), '')
    return found
  } catch {
    return null
  }
}

/** The metadata of an image. Absent parts have no key; unreadable ones are null. */
export async function inspectMetadata(file: MediaFile): Promise<Record<string, unknown>> {
  const { metadata } = (await decodeImage(file, { keepOrientation: true, firstPage: true })).origin
  const report: Record<string, unknown> = { filename: file.name, fileSize: file.bytes }
  if (metadata.exif) {
    try {
      Object.assign(report, await readExif(metadata.exif))
    } catch (error) {
      report.exif = null
      report.exifError = (error as Error).message
    }
  }
  if (metadata.icc) report.icc = readIcc(metadata.icc)
  if (metadata.xmp) report.xmp = await readXmp(metadata.xmp)
  return report
}
