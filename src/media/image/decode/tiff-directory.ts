/** An entry of a TIFF directory, also used in EXIF blocks (TIFF 6.0, section 2). */
export interface TiffEntry {
  tag: number
  type: number
  count: number
  /** Offset of its value in the block: inside the entry if it has at most four bytes. */
  at: number
}

/** A block in TIFF format: numbers by offset, in its own byte order. */
export interface TiffBlock {
  bytes: Buffer
  u16(at: number): number
  u32(at: number): number
}

const TYPE_BYTES: Record<number, number> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8 }

/** Opens a block that starts with a TIFF header; undefined if it does not. */
export function openTiffBlock(bytes: Buffer): TiffBlock | undefined {
  const order = bytes.toString('latin1', 0, 2)
  if (bytes.length < 8 || (order !== 'II' && order !== 'MM')) return undefined
  const little = order === 'II'
  return {
    bytes,
    u16: (at) => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)),
    u32: (at) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)),
  }
}

/**
 * The entries of the directory at `start` whose values are inside the block; none if there is no directory. With
 * `anywhere`, also entries whose values are outside, for callers that only need the tags.
 */
export function readDirectory(
  block: TiffBlock,
  start: number,
  { anywhere = false }: { anywhere?: boolean } = {},
): TiffEntry[] {
  const { bytes, u16, u32 } = block
  if (start < 8 || start + 2 > bytes.length) return []
  const entries: TiffEntry[] = []
  const end = Math.min(bytes.length - 12, start + 2 + (u16(start) - 1) * 12)
  for (let entry = start + 2; entry <= end; entry += 12) {
    const [type, count] = [u16(entry + 2), u32(entry + 4)]
    const length = (TYPE_BYTES[type] ?? 1) * count
    const at = length > 4 ? u32(entry + 8) : entry + 8
    if (anywhere || at + length <= bytes.length) entries.push({ tag: u16(entry), type, count, at })
  }
  return entries
}
