/** Reading and writing the containers of fonts: WOFF in, TrueType (what libvips' FreeType and MuPDF read) out. */

import { inflateSync } from 'node:zlib'
import { required } from '../../lists.ts'

/** The tables of a font by their tag, such as `glyf`. */
export type FontTables = Map<string, Buffer>

const SFNT_HEADER = 12
const SFNT_ENTRY = 16
const TRUETYPE = 0x00010000

/** The tables that a WOFF 1.0 file (W3C, 2012) wraps, inflated. */
export function readWoff(woff: Buffer): FontTables {
  const count = woff.readUInt16BE(12)
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const at = 44 + index * 20
      const [offset, packed, length] = [
        woff.readUInt32BE(at + 4),
        woff.readUInt32BE(at + 8),
        woff.readUInt32BE(at + 12),
      ]
      const data = woff.subarray(offset, offset + packed)
      return [woff.toString('latin1', at, at + 4), packed < length ? inflateSync(data) : data] as const
    }),
  )
}

/** Four bytes, as a table with zeros behind it counts them. */
function checksum(table: Buffer): number {
  let sum = 0
  for (let at = 0; at < table.length; at += 4) {
    const rest = table.subarray(at, at + 4)
    sum =
      (sum +
        (rest.length === 4 ? rest.readUInt32BE(0) : rest.readUIntBE(0, rest.length) << (8 * (4 - rest.length)))) >>>
      0
  }
  return sum
}

/** A TrueType file of these tables (OpenType 1.9, "Font file"). */
export function writeTrueType(tables: FontTables): Buffer {
  // The directory is searched by halves: it must be in order.
  const sorted = [...tables].sort(([one], [other]) => (one < other ? -1 : 1))
  const count = sorted.length
  const exponent = Math.floor(Math.log2(count))
  const header = Buffer.alloc(SFNT_HEADER + count * SFNT_ENTRY)
  header.writeUInt32BE(TRUETYPE, 0)
  header.writeUInt16BE(count, 4)
  header.writeUInt16BE(SFNT_ENTRY << exponent, 6)
  header.writeUInt16BE(exponent, 8)
  header.writeUInt16BE(count * SFNT_ENTRY - (SFNT_ENTRY << exponent), 10)
  let offset = header.length
  const parts: Buffer[] = [header]
  for (const [index, [tag, data]] of sorted.entries()) {
    const at = SFNT_HEADER + index * SFNT_ENTRY
    header.write(tag, at, 'latin1')
    header.writeUInt32BE(checksum(data), at + 4)
    header.writeUInt32BE(offset, at + 8)
    header.writeUInt32BE(data.length, at + 12)
    const padding = Buffer.alloc((4 - (data.length % 4)) % 4)
    parts.push(data, padding)
    offset += data.length + padding.length
  }
  return Buffer.concat(parts)
}

/** Windows, Unicode, American English: the names that every program reads. */
const PLATFORM = [3, 1, 0x409] as const
const REGULAR = 400
const BOLD = 700
const BLACK = 900

const STYLES: Readonly<Record<number, string>> = { [REGULAR]: 'Regular', [BOLD]: 'Bold', [BLACK]: 'Black' }

/**
 * The font under its real family: cut from variable fonts, the files call themselves 'Noto Sans SC Thin' or 'Montserrat
 * Black', so that a lookup of the family with a weight does not find them. Copyright and licence stay.
 */
export function withName(tables: FontTables, family: string, weight: number): FontTables {
  const old = required(tables, 'name')
  const strings = old.readUInt16BE(4)
  const kept = Array.from({ length: old.readUInt16BE(2) }, (_, index) => {
    const at = 6 + index * 12
    const words = [0, 2, 4, 6, 8, 10].map((offset) => old.readUInt16BE(at + offset)) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const [platform, encoding, language, id, length, start] = words
    const isPlain = platform === PLATFORM[0] && encoding === PLATFORM[1] && language === PLATFORM[2]
    return { isPlain, id, text: old.subarray(strings + start, strings + start + length) }
  }).filter(({ isPlain, id }) => isPlain && [0, 7, 8, 9, 13, 14].includes(id))
  const style = STYLES[weight]!
  const isLinked = weight === REGULAR || weight === BOLD
  const own: [number, string][] = [
    [1, isLinked ? family : `${family} ${style}`],
    [2, isLinked ? style : 'Regular'],
    [4, `${family} ${style}`],
    [6, `${family.replaceAll(' ', '')}-${style}`],
    [16, family],
    [17, style],
  ]
  const encoded = own.map(([id, text]) => ({ id, text: Buffer.from(text, 'utf16le').swap16() }))
  const records = [...kept, ...encoded].sort((one, other) => one.id - other.id)
  const directory = Buffer.alloc(6 + records.length * 12)
  directory.writeUInt16BE(records.length, 2)
  directory.writeUInt16BE(directory.length, 4)
  let start = 0
  for (const [index, { id, text }] of records.entries()) {
    for (const [place, word] of [...PLATFORM, id, text.length, start].entries())
      directory.writeUInt16BE(word, 6 + index * 12 + place * 2)
    start += text.length
  }
  return new Map(tables).set('name', Buffer.concat([directory, ...records.map(({ text }) => text)]))
}
