/** Boxes of ISO base media files (ISO/IEC 14496-12, 4.2), such as MP4, M4A, HEIF and AVIF. */

/** A box within a buffer; the end is exclusive. */
export interface Box {
  type: string
  start: number
  end: number
  /** Offset of its content, after size and type. */
  body: number
}

/** The boxes in a range of a buffer; undefined if one does not fit into it. */
export function boxesIn(bytes: Buffer, { start, end }: { start: number; end: number }): Box[] | undefined {
  const found: Box[] = []
  for (let at = start; at < end; ) {
    if (at + 8 > end) return undefined
    const stated = bytes.readUInt32BE(at)
    const isLong = stated === 1
    if (isLong && at + 16 > end) return undefined
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : stated === 0 ? end - at : stated
    const body = at + (isLong ? 16 : 8)
    if (size < body - at || at + size > end) return undefined
    found.push({ type: bytes.toString('latin1', at + 4, at + 8), start: at, end: at + size, body })
    at += size
  }
  return found
}

/** Builds a box. */
export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(content.reduce((sum, { length }) => sum + length, header.length))
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, ...content])
}

/** Builds a box with a version and flags (`FullBox`). @param flags the version is its first byte */
export function fullBox(type: string, flags: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(flags)
  return box(type, bytes, ...content)
}
