import { damaged, requireBytes, unsupportedVariant } from '../failures.ts'

/** Colour modes of a PSD header (Adobe Photoshop File Formats, "File header section"). */
export const PSD_MODE = { bitmap: 0, grey: 1, indexed: 2, rgb: 3, cmyk: 4, duotone: 8, lab: 9 } as const

/** The data before the pixels of a PSD or PSB file. */
export interface PsdSections {
  /** PSB, the variant for large documents: some lengths are wider. */
  large: boolean
  width: number
  height: number
  depth: 1 | 8 | 16 | 32
  mode: number
  /** Number of stored channels, colours first. */
  channels: number
  /** For indexed images: 256 reds, 256 greens, 256 blues. */
  colourTable: Uint8Array
  /** Image resources by ID. */
  resources: Map<number, Uint8Array>
  /** The first channel after the colours is the transparency of the merged image, not a saved selection. */
  transparent: boolean
  /** Offset of the merged image. */
  pixels: number
}

/** Tagged blocks with an 8-byte length in PSB files (same source, "Additional Layer Information"). */
const WIDE_KEYS = new Set(['LMsk', 'Lr16', 'Lr32', 'Layr', 'Mt16', 'Mt32', 'Mtrn', 'Alph', 'FMsk', 'lnk2', 'FEid'])

const RESOURCE_HEADER = 12

function readResources(section: Buffer): Map<number, Uint8Array> {
  const resources = new Map<number, Uint8Array>()
  let at = 0
  while (at + RESOURCE_HEADER <= section.length) {
    const id = section.readUInt16BE(at + 4)
    // The name is a Pascal string, padded together with its length byte to an even size.
    const name = section[at + 6]! + 1
    const start = at + 6 + name + (name % 2) + 4
    if (start > section.length) break
    const size = section.readUInt32BE(start - 4)
    if (size > section.length - start) break
    if (!resources.has(id)) resources.set(id, section.subarray(start, start + size))
    at = start + size + (size % 2)
  }
  return resources
}

/** Whether a negative layer count indicates that the merged image has transparency. */
function hasTransparency(section: Buffer, large: boolean): boolean {
  const wide = large ? 8 : 4
  const length = (at: number): number => (large ? Number(section.readBigUInt64BE(at)) : section.readUInt32BE(at))
  if (section.length < wide + 2) return false
  const layers = length(0)
  if (layers > 0) return section.readInt16BE(wide) < 0
  if (section.length < wide + 4) return false
  // Layers of 16 and 32 bits are in tagged blocks after the (empty) layers and the global mask.
  let at = wide + layers + 4 + section.readUInt32BE(wide + layers)
  while (at + 12 <= section.length) {
    const key = section.toString('latin1', at + 4, at + 8)
    const isWide = large && WIDE_KEYS.has(key)
    const start = at + (isWide ? 16 : 12)
    if (start > section.length) return false
    const size = isWide ? length(at + 8) : section.readUInt32BE(at + 8)
    if (key === 'Mt16' || key === 'Mt32' || key === 'Mtrn') return true
    if (key === 'Lr16' || key === 'Lr32' || key === 'Layr')
      return start + 2 <= section.length && section.readInt16BE(start) < 0
    at = start + size + ((4 - (size % 4)) % 4)
  }
  return false
}

/**
 * Reads the header and the sections of a PSD or PSB file.
 * @throws INVALID_FILE when damaged or truncated, UNSUPPORTED_FILE_TYPE for a bit depth that Photoshop does not write
 */
export function readSections(bytes: Uint8Array): PsdSections {
  requireBytes(bytes, 26, 'PSD')
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = file.readUInt16BE(4)
  if (file.toString('latin1', 0, 4) !== '8BPS' || (version !== 1 && version !== 2))
    throw damaged('The PSD file has an invalid signature or version')
  const large = version === 2
  const depth = file.readUInt16BE(22)
  if (depth !== 1 && depth !== 8 && depth !== 16 && depth !== 32)
    throw unsupportedVariant(`PSD files of ${depth} bits per channel are not supported`)
  const channels = file.readUInt16BE(12)
  if (channels < 1 || channels > 56) throw damaged(`The PSD file declares ${channels} channels; 1 to 56 are possible`)
  let at = 26
  const section = (wide = false): Buffer => {
    requireBytes(file, at + (wide ? 8 : 4), 'PSD')
    const length = wide ? Number(file.readBigUInt64BE(at)) : file.readUInt32BE(at)
    const start = at + (wide ? 8 : 4)
    requireBytes(file, start + length, 'PSD')
    at = start + length
    return file.subarray(start, at)
  }
  const colourTable = section()
  const resources = readResources(section())
  const transparent = hasTransparency(section(large), large)
  return {
    large,
    width: file.readUInt32BE(18),
    height: file.readUInt32BE(14),
    depth,
    mode: file.readUInt16BE(24),
    channels,
    colourTable,
    resources,
    transparent,
    pixels: at,
  }
}
