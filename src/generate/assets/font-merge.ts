/** Chinese, Japanese and Korean fonts come in a hundred slices for browsers: here they become one file again. */
import { required } from '../../lists.ts'
import type { FontTables } from './font-tables.ts'

/** Bits of a component's flags (OpenType 1.9, "glyf"). */
const WORDS = 0x0001
const ONE_SCALE = 0x0008
const MORE = 0x0020
const TWO_SCALES = 0x0040
const FOUR_SCALES = 0x0080

/** Code points and their glyphs, from the `cmap` subtables of format 4 and 12. */
export function readCharacters(tables: FontTables): Map<number, number> {
  const cmap = required(tables, 'cmap')
  const found = new Map<number, number>()
  for (let index = 0; index < cmap.readUInt16BE(2); index++) {
    const table = cmap.subarray(cmap.readUInt32BE(4 + index * 8 + 4))
    const format = table.readUInt16BE(0)
    if (format === 4) readSegments(table, found)
    if (format === 12)
      for (let group = 0; group < table.readUInt32BE(12); group++) {
        const [first, last, glyph] = [0, 4, 8].map((at) => table.readUInt32BE(16 + group * 12 + at)) as [
          number,
          number,
          number,
        ]
        for (let point = first; point <= last; point++) found.set(point, glyph + point - first)
      }
  }
  return found
}

function readSegments(table: Buffer, found: Map<number, number>): void {
  const size = table.readUInt16BE(6)
  for (let at = 0; at < size; at += 2) {
    const last = table.readUInt16BE(14 + at)
    const first = table.readUInt16BE(16 + size + at)
    const delta = table.readUInt16BE(16 + 2 * size + at)
    const rangeAt = 16 + 3 * size + at
    const range = table.readUInt16BE(rangeAt)
    for (let point = first; point <= last && point !== 0xffff; point++) {
      const raw = range === 0 ? point : table.readUInt16BE(rangeAt + range + 2 * (point - first))
      const glyph = raw === 0 ? 0 : (raw + delta) & 0xffff
      if (glyph > 0) found.set(point, glyph)
    }
  }
}

interface Glyphs {
  shapes: Buffer[]
  /** Advance width and left side bearing, as stored. */
  metrics: Buffer[]
}

function readGlyphs(tables: FontTables): Glyphs {
  const count = required(tables, 'maxp').readUInt16BE(4)
  const isLong = required(tables, 'head').readInt16BE(50) === 1
  const [loca, glyf, hmtx] = ['loca', 'glyf', 'hmtx'].map((tag) => required(tables, tag)) as [Buffer, Buffer, Buffer]
  const offset = (index: number): number => (isLong ? loca.readUInt32BE(index * 4) : loca.readUInt16BE(index * 2) * 2)
  const full = required(tables, 'hhea').readUInt16BE(34)
  return {
    shapes: Array.from({ length: count }, (_, index) => glyf.subarray(offset(index), offset(index + 1))),
    metrics: Array.from({ length: count }, (_, index) => {
      if (index < full) return hmtx.subarray(index * 4, index * 4 + 4)
      const bearing = full * 4 + (index - full) * 2
      return Buffer.concat([hmtx.subarray((full - 1) * 4, (full - 1) * 4 + 2), hmtx.subarray(bearing, bearing + 2)])
    }),
  }
}

/** A composed glyph with the numbers of its parts changed; a plain one as it is. */
function renumbered(shape: Buffer, number: (glyph: number) => number): Buffer {
  if (shape.length === 0 || shape.readInt16BE(0) >= 0) return shape
  const copy = Buffer.from(shape)
  let at = 10
  let flags = MORE
  while (flags & MORE) {
    flags = copy.readUInt16BE(at)
    copy.writeUInt16BE(number(copy.readUInt16BE(at + 2)), at + 2)
    at += 4 + (flags & WORDS ? 4 : 2)
    at += flags & FOUR_SCALES ? 8 : flags & TWO_SCALES ? 4 : flags & ONE_SCALE ? 2 : 0
  }
  return copy
}

function writeCharacters(characters: Map<number, number>): Buffer {
  const groups: [number, number, number][] = []
  for (const [point, glyph] of [...characters].sort(([one], [other]) => one - other)) {
    const last = groups.at(-1)
    if (last && last[1] === point - 1 && last[2] + point - last[0] === glyph) last[1] = point
    else groups.push([point, point, glyph])
  }
  const table = Buffer.alloc(28 + groups.length * 12)
  // One subtable, of Windows with all of Unicode, of format 12.
  for (const [at, word] of [0, 1, 3, 10].entries()) table.writeUInt16BE(word, at * 2)
  table.writeUInt32BE(12, 8)
  table.writeUInt16BE(12, 12)
  table.writeUInt32BE(table.length - 12, 16)
  table.writeUInt32BE(groups.length, 24)
  for (const [index, group] of groups.entries())
    for (const [place, value] of group.entries()) table.writeUInt32BE(value, 28 + index * 12 + place * 4)
  return table
}

/**
 * The base font with the glyphs of `slices` (cut from the same design) for code points that neither it nor `covered` has.
 * The base's own glyphs keep their numbers, so its kerning and substitutions stay true; vertical metrics are left out.
 */
export function mergeSlices(base: FontTables, slices: readonly FontTables[], covered: ReadonlySet<number>): FontTables {
  const characters = readCharacters(base)
  const { shapes, metrics } = readGlyphs(base)
  const maxp = Buffer.from(required(base, 'maxp'))
  for (const slice of slices) {
    const glyphs = readGlyphs(slice)
    const numbers = new Map<number, number>()
    const add = (glyph: number): number => {
      const known = numbers.get(glyph)
      if (known !== undefined) return known
      const number = shapes.push(Buffer.alloc(0)) - 1
      numbers.set(glyph, number)
      metrics.push(glyphs.metrics[glyph]!)
      shapes[number] = renumbered(glyphs.shapes[glyph]!, add)
      return number
    }
    for (const [point, glyph] of readCharacters(slice))
      if (!characters.has(point) && !covered.has(point)) characters.set(point, add(glyph))
    // Points, contours and depth of the most complicated glyph: the largest of all.
    const own = required(slice, 'maxp')
    for (let at = 6; at < 32; at += 2) maxp.writeUInt16BE(Math.max(maxp.readUInt16BE(at), own.readUInt16BE(at)), at)
  }
  maxp.writeUInt16BE(shapes.length, 4)
  const head = Buffer.from(required(base, 'head'))
  head.writeInt16BE(1, 50)
  const hhea = Buffer.from(required(base, 'hhea'))
  hhea.writeUInt16BE(metrics.length, 34)
  const loca = Buffer.alloc((shapes.length + 1) * 4)
  const padded = shapes.map((shape) => (shape.length % 2 ? Buffer.concat([shape, Buffer.alloc(1)]) : shape))
  let offset = 0
  for (const [index, { length }] of padded.entries()) {
    offset += length
    loca.writeUInt32BE(offset, (index + 1) * 4)
  }
  const merged = new Map(base)
  for (const tag of ['vhea', 'vmtx', 'STAT']) merged.delete(tag)
  return merged
    .set('cmap', writeCharacters(characters))
    .set('glyf', Buffer.concat(padded))
    .set('loca', loca)
    .set('hmtx', Buffer.concat(metrics))
    .set('hhea', hhea)
    .set('head', head)
    .set('maxp', maxp)
}

/** The font without these characters: others have them better. Of its `cmap`, only the plain mapping is kept. */
export function withoutCharacters(tables: FontTables, points: readonly number[]): FontTables {
  const characters = readCharacters(tables)
  for (const point of points) characters.delete(point)
  return new Map(tables).set('cmap', writeCharacters(characters))
}
