import { firstOf } from '../../../lists.ts'
import { type Box, boxesIn } from '../../boxes.ts'
import type { Kind, Range } from './strip-kind.ts'

interface Item {
  id: number
  kind: Kind
  /** Its entry in the item list. */
  entry: Range
}

/** The metadata items by their entries (`infe`, ISO/IEC 14496-12, 8.11.6). */
function metadataItems(file: Buffer, list: Box): Item[] | undefined {
  const isShort = file[list.body] === 0
  const entries = boxesIn(file, { start: list.body + (isShort ? 6 : 8), end: list.end })
  return entries?.flatMap((entry) => {
    const version = file[entry.body]!
    if (version < 2) return []
    const typeAt = entry.body + 4 + (version === 2 ? 4 : 6)
    const type = file.toString('latin1', typeAt, typeAt + 4)
    const id = version === 2 ? file.readUInt16BE(entry.body + 4) : file.readUInt32BE(entry.body + 4)
    const kind: Kind | undefined = type === 'Exif' ? 'exif' : type === 'mime' ? 'xmp' : undefined
    return kind ? [{ id, kind, entry }] : []
  })
}

/** The byte ranges of all items (`iloc`, 8.11.3); those in `idat` are relative to its body. */
function locations(file: Buffer, box: Box, idat: number): { id: number; entry: Range; bytes: Range[] }[] | undefined {
  const version = file[box.body]!
  if (version > 2) return undefined
  const sizes = [4, 0].flatMap((shift) => (file[box.body + 4]! >> shift) & 15)
  const more = [4, 0].flatMap((shift) => (file[box.body + 5]! >> shift) & 15)
  const [offsetSize, lengthSize, baseSize, indexSize] = [...sizes, firstOf(more), version === 0 ? 0 : more[1]!] as [
    number,
    number,
    number,
    number,
  ]
  let at = box.body + 6
  const take = (size: number): number => {
    if (at + size > box.end) throw new RangeError('cut off')
    const value = size === 0 ? 0 : size === 8 ? Number(file.readBigUInt64BE(at)) : file.readUIntBE(at, size)
    at += size
    return value
  }
  const count = take(version < 2 ? 2 : 4)
  return Array.from({ length: count }, () => {
    const start = at
    const id = take(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : take(2) & 15
    take(2)
    const base = take(baseSize)
    const bytes = Array.from({ length: take(2) }, () => {
      take(indexSize)
      const from = base + take(offsetSize) + (method === 1 ? idat : 0)
      return { start: from, end: from + take(lengthSize) }
    })
    return { id, entry: { start, end: at }, bytes }
  })
}

/** References from removed items, and all references between them (`iref`, 8.11.12). */
function references(file: Buffer, box: Box, gone: ReadonlySet<number>): Range[] | undefined {
  const isShort = file[box.body] === 0
  return boxesIn(file, { start: box.body + 4, end: box.end })?.filter(({ body }) =>
    gone.has(isShort ? file.readUInt16BE(body) : file.readUInt32BE(body)),
  )
}

/** Returns the bytes of a box without some parts, with corrected size and entry count. */
function without(file: Buffer, box: Range, parts: readonly Range[], count?: { at: number; size: number }): Buffer {
  const pieces: Buffer[] = []
  let at = box.start
  for (const { start, end } of [...parts].sort((one, other) => one.start - other.start)) {
    pieces.push(file.subarray(at, start))
    at = end
  }
  const result = Buffer.concat([...pieces, file.subarray(at, box.end)])
  result.writeUInt32BE(result.length, 0)
  if (count) {
    const place = count.at - box.start
    result.writeUIntBE(result.readUIntBE(place, count.size) - parts.length, place, count.size)
  }
  return result
}

/** Profiles among the properties become free space of the same length, because properties are referenced by index. */
function freeProfiles(file: Buffer, properties: Box): boolean {
  const list = boxesIn(file, { start: properties.body, end: properties.end })
  const container = list?.find(({ type }) => type === 'ipco')
  const all = container && boxesIn(file, { start: container.body, end: container.end })
  for (const { type, start, body, end } of all ?? []) {
    const kind = type === 'colr' ? file.toString('latin1', body, body + 4) : ''
    if (kind !== 'prof' && kind !== 'rICC') continue
    file.write('free', start + 4, 'latin1')
    file.fill(0, body, end)
  }
  return all !== undefined
}

/**
 * Removes items of the given types from an AVIF. Their bytes are zeroed, and the space of their entries becomes free
 * space after the list, so that everything else keeps its offset.
 * @returns undefined for an unknown layout, which requires an encode
 */
export function stripAvif(given: Buffer, drops: ReadonlySet<Kind>): Buffer | undefined {
  const file = Buffer.from(given)
  const top = boxesIn(file, { start: 0, end: file.length })
  const meta = top?.find(({ type }) => type === 'meta')
  const inside = meta && boxesIn(file, { start: meta.body + 4, end: meta.end })
  if (!meta || !inside || meta.body !== meta.start + 8) return undefined
  const find = (wanted: string): Box | undefined => inside.find(({ type }) => type === wanted)
  const [list, places, properties] = [find('iinf'), find('iloc'), find('iprp')]
  if (!list || !places || !properties) return undefined
  const gone = metadataItems(file, list)?.filter(({ kind }) => drops.has(kind))
  const located = locations(file, places, find('idat')?.body ?? 0)
  if (!gone || !located || (drops.has('icc') && !freeProfiles(file, properties))) return undefined
  // User-defined boxes: XMP, or unknown data.
  for (const { start, body, end } of top!.filter(
    ({ type }) => type === 'uuid' && (drops.has('xmp') || drops.has('other')),
  )) {
    file.write('free', start + 4, 'latin1')
    file.fill(0, body, end)
  }
  if (gone.length === 0) return file
  const ids = new Set(gone.map(({ id }) => id))
  const leaving = located.filter(({ id }) => ids.has(id))
  const staying = located.filter(({ id }) => !ids.has(id)).flatMap(({ bytes }) => bytes)
  for (const range of leaving.flatMap(({ bytes }) => bytes)) {
    // A box without a length extends to the end of the file.
    if (range.end === range.start || range.end > file.length) return undefined
    if (staying.some(({ start, end }) => start < range.end && range.start < end)) return undefined
    file.fill(0, range.start, range.end)
  }
  const listed = file[list.body] === 0 ? 2 : 4
  const located4 = file[places.body]! < 2 ? 2 : 4
  const parts = inside.map((box) => {
    if (box === list)
      return without(
        file,
        box,
        gone.map(({ entry }) => entry),
        { at: box.body + 4, size: listed },
      )
    if (box === places)
      return without(
        file,
        box,
        leaving.map(({ entry }) => entry),
        { at: box.body + 6, size: located4 },
      )
    if (box.type === 'iref') return without(file, box, references(file, box, ids) ?? [])
    return file.subarray(box.start, box.end)
  })
  const shorter = Buffer.concat([file.subarray(meta.start, meta.body + 4), ...parts])
  const free = Buffer.alloc(meta.end - meta.start - shorter.length)
  if (free.length < 8) return undefined
  shorter.writeUInt32BE(shorter.length, 0)
  free.writeUInt32BE(free.length, 0)
  free.write('free', 4, 'latin1')
  return Buffer.concat([file.subarray(0, meta.start), shorter, free, file.subarray(meta.end)])
}
