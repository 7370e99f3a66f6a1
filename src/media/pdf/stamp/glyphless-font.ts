import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { required } from '../../../lists.ts'

/** Ascent and descent of the font's boxes, and their width; thousandths of its size. */
export const ASCENT = 800
export const DESCENT = -200
export const ADVANCE = 500

const UNITS_PER_EM = 1000

/** A table of a TrueType font: 16-bit numbers, negative ones in two's complement. */
function words(...values: readonly number[]): Buffer {
  const table = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) table.writeUInt16BE(value & 0xffff, at * 2)
  return table
}

function checksum(table: Buffer): number {
  let sum = 0
  const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)])
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0
  return sum
}

/** A TrueType font with one empty glyph: readers require a font file even if nothing of it is drawn. */
export function emptyTrueType(): Buffer {
  const tables: [string, Buffer][] = [
    ['glyf', words(0, 0)],
    // Version 1.0, two words of revision and of the checksum, the magic number, flags, units, two dates, the box, style,
    // smallest size, direction, short offsets, format.
    [
      'head',
      words(
        1,
        0,
        1,
        0,
        0,
        0,
        0x5f0f,
        0x3cf5,
        0,
        UNITS_PER_EM,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        DESCENT,
        ADVANCE,
        ASCENT,
        0,
        8,
        2,
        0,
        0,
      ),
    ],
    ['hhea', words(1, 0, ASCENT, DESCENT, 0, ADVANCE, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1)],
    ['hmtx', words(ADVANCE, 0)],
    ['loca', words(0, 0)],
    ['maxp', words(1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)],
  ]
  const head = Buffer.alloc(12 + 16 * tables.length)
  head.writeUInt32BE(0x00010000, 0)
  // The largest power of two not above the number of tables, for a binary search.
  words(tables.length, 64, 2, tables.length * 16 - 64).copy(head, 4)
  const bodies: Buffer[] = []
  let offset = head.length
  for (const [at, [tag, table]] of tables.entries()) {
    const entry = 12 + 16 * at
    head.write(tag, entry, 'latin1')
    head.writeUInt32BE(checksum(table), entry + 4)
    head.writeUInt32BE(offset, entry + 8)
    head.writeUInt32BE(table.length, entry + 12)
    const padded = Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)])
    bodies.push(padded)
    offset += padded.length
  }
  return Buffer.concat([head, ...bodies])
}

const hex = (value: number): string => value.toString(16).padStart(4, '0')

/** The characters of a text as UTF-16, in hexadecimal digits. */
const utf16 = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => hex(text.charCodeAt(at))).join('')

/** The mapping from codes to characters for readers; at most 100 per block. */
function toUnicode(characters: readonly string[]): string {
  const blocks: string[] = []
  for (let from = 0; from < characters.length; from += 100) {
    const part = characters.slice(from, from + 100)
    const rows = part.map((character, at) => `<${hex(from + at + 1)}> <${utf16(character)}>`)
    blocks.push(`${part.length} beginbfchar\n${rows.join('\n')}\nendbfchar`)
  }
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def /CMapType 2 def',
    '1 begincodespacerange <0000> <ffff> endcodespacerange',
    ...blocks,
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n')
}

/** A font of invisible letters, and the encoding of text for it. */
export interface GlyphlessFont {
  object: PDFObject
  /** Encodes a text as a PDF string of glyph codes. */
  codes(text: string): string
}

/**
 * A font without shapes for the characters of some texts: for text that can be searched and copied, but is not drawn.
 */
export function addGlyphlessFont(pdf: PDFDocument, texts: Iterable<string>): GlyphlessFont {
  const characters = [...new Set(Array.from(texts, (text) => Array.from(text)).flat())].sort()
  const numbers = new Map(characters.map((character, at) => [character, at + 1]))
  const name = 'MediaprocGlyphless'
  const descriptor = pdf.addObject({
    Type: 'FontDescriptor',
    FontName: name,
    // Symbolic and monospaced.
    Flags: 5,
    FontBBox: [0, DESCENT, ADVANCE, ASCENT],
    ItalicAngle: 0,
    Ascent: ASCENT,
    Descent: DESCENT,
    CapHeight: ASCENT,
    StemV: 80,
    FontFile2: pdf.addStream(emptyTrueType(), { Length1: emptyTrueType().length }),
  })
  const descendant = pdf.addObject({
    Type: 'Font',
    Subtype: 'CIDFontType2',
    BaseFont: name,
    // All codes map to the single glyph.
    CIDToGIDMap: pdf.addStream(Buffer.alloc(2 * (characters.length + 1)), {}),
    CIDSystemInfo: { Registry: pdf.newString('Adobe'), Ordering: pdf.newString('Identity'), Supplement: 0 },
    FontDescriptor: descriptor,
    DW: ADVANCE,
  })
  const object = pdf.addObject({
    Type: 'Font',
    Subtype: 'Type0',
    BaseFont: name,
    Encoding: 'Identity-H',
    DescendantFonts: [descendant],
    ToUnicode: pdf.addStream(toUnicode(characters), {}),
  })
  return { object, codes: (text) => `<${Array.from(text, (one) => hex(required(numbers, one))).join('')}>` }
}
