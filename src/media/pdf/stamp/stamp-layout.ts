import type { Font, Mupdf, PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { firstOf, zip } from '../../../lists.ts'
import { graphemes } from '../../text-pieces.ts'
import { fontsFor } from './stamp-fonts.ts'

/** A line of text ready to be drawn, measured in em: 1 is the font size. */
export interface LaidLine {
  width: number
  /** Content that draws it from the origin along its baseline, one unit per em. */
  content: string
}

export interface LaidLines {
  lines: Map<string, LaidLine>
  /** Resources used by the contents. */
  resources: PDFObject
}

/** The characters 0x80 to 0x9F of WinAnsiEncoding (ISO 32000-1, annex D.2); · marks the five unused codes. */
const WINDOWS_1252 = '€·‚ƒ„…†‡ˆ‰Š‹Œ·Ž··‘’“”•–—˜™š›œ·žŸ'

/** Characters that need no glyph: joiners, directional marks, variation selectors. */
const IGNORABLE = /^\p{Default_Ignorable_Code_Point}$/u

/** The font size used for shaping, and the page size for one line; results are divided by the font size. */
const LAYOUT_SIZE = 100
const PAGE_HEIGHT = LAYOUT_SIZE * 8

/**
 * Lays out lines of text, for drawing in `target`: with a standard font if it has all characters, otherwise shaped,
 * in visual order and with embedded fonts subset to the glyphs in use. A character that no font has is
 * ENGINE_UNAVAILABLE. Shaped lines carry their text as /ActualText, so that it can be copied in reading order.
 * @param colour red, green, blue from 0 to 1
 * @param latinFont the standard font for text in Windows-1252
 */
export function layoutLines(
  mupdf: Mupdf,
  target: PDFDocument,
  texts: Iterable<string>,
  colour: readonly [number, number, number],
  latinFont = 'Helvetica',
): LaidLines {
  const lines = new Map<string, LaidLine>()
  const resources = target.newDictionary()
  const toShape: string[] = []
  const latinFace = new mupdf.Font(latinFont)
  for (const text of new Set(texts)) {
    const normal = text.normalize('NFC')
    const latin = toWindows1252(normal)
    if (!latin) toShape.push(text)
    else {
      const width = [...normal].reduce((sum, one) => sum + latinFace.advanceGlyph(latinFace.encodeCharacter(one)), 0)
      lines.set(text, { width, content: `BT /Latin 1 Tf <${Buffer.from(latin).toString('hex')}> Tj ET` })
    }
  }
  if (lines.size > 0) {
    const fonts = target.newDictionary()
    fonts.put('Latin', target.addSimpleFont(latinFace, 'Latin'))
    resources.put('Font', fonts)
  }
  if (toShape.length > 0) resources.put('XObject', shapeLines(mupdf, target, toShape, colour, lines))
  return { lines, resources: target.addObject(resources) }
}

function toWindows1252(text: string): Uint8Array | undefined {
  const bytes: number[] = []
  for (const character of text) {
    const code = character.codePointAt(0)!
    const high = character === '·' ? -1 : WINDOWS_1252.indexOf(character)
    if ((code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff)) bytes.push(code)
    else if (high >= 0) bytes.push(0x80 + high)
    else return undefined
  }
  return Uint8Array.from(bytes)
}

/**
 * Shapes text with the library's HTML layout, which supports joining, reordering and both directions, and writes each
 * line as a page of a separate PDF. The pages become form XObjects of `target`, with fonts subset to the glyphs in use
 * (which the library only does for a whole document). Returns the forms by name.
 */
function shapeLines(
  mupdf: Mupdf,
  target: PDFDocument,
  texts: string[],
  colour: readonly [number, number, number],
  lines: Map<string, LaidLine>,
): PDFObject {
  const buffer = new mupdf.Buffer()
  const writer = new mupdf.DocumentWriter(buffer, 'pdf', '')
  const boxes = texts.map((text) => shape(mupdf, writer, text.normalize('NFC'), colour))
  writer.close()
  const written = new mupdf.PDFDocument(buffer)
  const forms = target.newDictionary()
  try {
    written.subsetFonts()
    const graft = target.newGraftMap()
    zip(texts, boxes).forEach(([text, { left, baseLine, width }], index) => {
      const page = written.findPage(index)
      const scale = 1 / LAYOUT_SIZE
      const form = target.newDictionary()
      form.put('Type', target.newName('XObject'))
      form.put('Subtype', target.newName('Form'))
      form.put('BBox', graft.graftObject(page.get('MediaBox')))
      form.put('Matrix', [scale, 0, 0, scale, -left * scale, (baseLine - PAGE_HEIGHT) * scale])
      form.put('Resources', graft.graftObject(page.get('Resources')))
      const drawn = page.get('Contents').readStream()
      // Poppler only extracts the text of a span if the font is still set at its end.
      const content = `/Span <</ActualText <${utf16Hex(text)}>>> BDC\n${drawn.asString()}\nEMC`
      drawn.destroy()
      forms.put(`Line${index}`, target.addStream(content, form))
      lines.set(text, { width: width * scale, content: `/Line${index} Do` })
    })
  } finally {
    written.destroy()
  }
  return forms
}

/** The text in PDF's Unicode form: UTF-16 with a byte order mark, in hexadecimal. */
export function utf16Hex(text: string): string {
  return `FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}`
}

interface LineBox {
  left: number
  /** From the top of the page. */
  baseLine: number
  width: number
}

/**
 * Writes one line as a page. The font of each run is set by name here, because the layout itself would draw an empty
 * box if a font lacks a glyph.
 */
function shape(
  mupdf: Mupdf,
  writer: InstanceType<Mupdf['DocumentWriter']>,
  text: string,
  colour: readonly [number, number, number],
): LineBox {
  const fonts: Font[] = []
  const spans = splitByFont(mupdf, text).map(({ font, part }) => {
    const index = fonts.includes(font) ? fonts.indexOf(font) : fonts.push(font) - 1
    return `<span style="font-family:stamp${index}">${escapeHtml(part)}</span>`
  })
  const isRightToLeft = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(text)
  const css = `color:rgb(${colour.map((part) => Math.round(part * 255)).join()});margin:0;white-space:pre`
  const body = `<body dir="${isRightToLeft ? 'rtl' : 'ltr'}" style="${css}"><p style="margin:0">${spans.join('')}</p></body>`
  mupdf.installLoadFontFunction((name) => fonts[Number(/^stamp(\d+)$/.exec(name)?.[1] ?? -1)] ?? null)
  const html = `<html><head><style>@page{margin:0}</style></head>${body}</html>`
  const document = mupdf.Document.openDocument(Buffer.from(html), 'text/html')
  try {
    // Wide enough to avoid wrapping: no glyph is wider than two em.
    document.layout((text.length * 2 + 1) * LAYOUT_SIZE, PAGE_HEIGHT, LAYOUT_SIZE)
    const page = document.loadPage(0)
    const device = writer.beginPage(page.getBounds())
    page.run(device, mupdf.Matrix.identity)
    writer.endPage()
    return lineBox(page.toStructuredText('preserve-whitespace').asJSON())
  } finally {
    document.destroy()
    mupdf.installLoadFontFunction(() => null)
  }
}

function lineBox(structuredText: string): LineBox {
  const { blocks } = JSON.parse(structuredText) as {
    blocks: Array<{ lines?: Array<{ y: number; bbox: { x: number; w: number } }> }>
  }
  const lines = blocks.flatMap((block) => block.lines ?? [])
  // Only characters without a glyph, such as a zero-width space.
  if (lines.length === 0) return { left: 0, baseLine: 0, width: 0 }
  const left = Math.min(...lines.map(({ bbox }) => bbox.x))
  const right = Math.max(...lines.map(({ bbox }) => bbox.x + bbox.w))
  return { left, baseLine: firstOf(lines).y, width: right - left }
}

/** Splits the text into runs for which one font has all glyphs, with as few font changes as possible. */
function splitByFont(mupdf: Mupdf, text: string): Array<{ font: Font; part: string }> {
  const known: Font[] = []
  const more = fontsFor(mupdf, text)
  const parts: Array<{ font: Font; part: string }> = []
  for (const segment of graphemes(text)) {
    const last = parts.at(-1)
    if (last && (segment === ' ' || covers(last.font, segment))) {
      last.part += segment
      continue
    }
    let font = known.find((one) => covers(one, segment))
    while (!font) {
      const next = more.next()
      if (next.done) throw withoutGlyph(segment)
      known.push(next.value)
      if (covers(next.value, segment)) font = next.value
    }
    parts.push({ font, part: segment })
  }
  return parts
}

function covers(font: Font, text: string): boolean {
  return [...text].every((character) => IGNORABLE.test(character) || font.encodeCharacter(character) > 0)
}

function withoutGlyph(segment: string): MediaprocError {
  const codes = [...segment].map(
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`,
  )
  return new MediaprocError('ENGINE_UNAVAILABLE', `No font has the character ${segment} (${codes.join(' ')})`, {
    hint: 'Install a font for this script, such as the Noto fonts (Debian: apt install fonts-noto-core).',
  })
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
