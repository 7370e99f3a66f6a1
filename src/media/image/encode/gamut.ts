/** XYZ (D50, the connection space of ICC profiles) to linear sRGB: the inverse of sRGB's own primaries (IEC 61966-2-1). */
const TO_LINEAR_SRGB = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
] as const

/**
 * How far below 0 a primary may be in linear sRGB: a smaller excess is barely visible. Display P3's green is at -0.22.
 */
const EXCESS = -0.05

const PRIMARIES = ['rXYZ', 'gXYZ', 'bXYZ']
const SRGB_NAME = /sRGB/i

/** The tags of an ICC profile with their data (ICC.1:2022, 7.3). */
function profileTags(icc: Buffer): Map<string, Buffer> {
  const tags = new Map<string, Buffer>()
  if (icc.length < 132) return tags
  const count = Math.min(icc.readUInt32BE(128), Math.floor((icc.length - 132) / 12))
  for (let entry = 132; entry < 132 + count * 12; entry += 12) {
    const start = icc.readUInt32BE(entry + 4)
    tags.set(icc.toString('latin1', entry, entry + 4), icc.subarray(start, start + icc.readUInt32BE(entry + 8)))
  }
  return tags
}

/** The description of a profile, as a `desc` (version 2) or an `mluc` (version 4) tag. */
function nameOf(description: Buffer | undefined): string {
  if (!description || description.length < 12) return ''
  if (description.toString('latin1', 0, 4) === 'desc') {
    const length = description.readUInt32BE(8)
    return description
      .toString('latin1', 12, 12 + length)
      .replaceAll('\0', '')
      .trim()
  }
  if (description.length < 28) return ''
  const start = description.readUInt32BE(24)
  const name = Buffer.from(description.subarray(start, start + description.readUInt32BE(20)))
  return name
    .subarray(0, name.length & ~1)
    .swap16()
    .toString('utf16le')
    .trim()
}

/**
 * The name of a profile with colours outside sRGB, detected from its primaries; undefined for sRGB, for profiles within
 * sRGB and for grey. A profile without primaries (CMYK, or table-based RGB) counts as wide gamut unless it is called
 * sRGB.
 */
export function wideGamutName(profile: Uint8Array): string | undefined {
  const icc = Buffer.from(profile.buffer, profile.byteOffset, profile.byteLength)
  const space = icc.toString('latin1', 16, 20).trim()
  if (space !== 'RGB' && space !== 'CMYK') return undefined
  const tags = profileTags(icc)
  const name = nameOf(tags.get('desc')) || `an ${space} profile`
  const primaries = PRIMARIES.map((tag) => tags.get(tag)).filter((data) => data !== undefined && data.length >= 20)
  if (primaries.length < 3) return SRGB_NAME.test(name) ? undefined : name
  const isWide = primaries.some((data) => {
    const xyz = [8, 12, 16].map((at) => data!.readInt32BE(at) / 65536)
    return TO_LINEAR_SRGB.some((row) => row.reduce((sum, factor, index) => sum + factor * xyz[index]!, 0) < EXCESS)
  })
  return isWide ? name : undefined
}
