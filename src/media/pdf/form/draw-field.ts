import type { Mupdf, PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { required } from '../../../lists.ts'
import { graphemes } from '../../text-pieces.ts'
import { pdfNumber } from '../stamp/stamp-form.ts'
import { layoutLines } from '../stamp/stamp-layout.ts'
import { itemsOf } from '../structure/trees.ts'
import { FLAGS, type FormField } from './fields.ts'
import { type LookOf, lookOf } from './look.ts'
import { measureText, wrapLines } from './wrap.ts'

/** Ascent and descent of Helvetica-like fonts, and the distance between lines, in em. */
const ASCENT = 0.76
const DESCENT = 0.22
const LEADING = 1.16

/** Limits of a font size that fits the box, in points; multi-line text starts smaller. */
const LEAST_SIZE = 4
const MULTILINE_SIZE = 12

/** The background of a chosen line. */
const MARKED = '0.6 0.757 0.855 rg'

export interface FieldText {
  /** Lines are separated by \n. */
  lines: string
  /** Indexes of the chosen lines of a list. */
  marked?: readonly number[]
}

/** Draws the value into every box of a field. Returns whether it is larger than one of them. */
export function drawField(mupdf: Mupdf, pdf: PDFDocument, field: FormField, text: FieldText): boolean {
  let isCut = false
  for (const { object } of field.widgets) {
    const rectangle = itemsOf(object.get('Rect')).map((side) => side.asNumber())
    const [left = 0, bottom = 0, right = 0, top = 0] = rectangle
    const look = lookOf(object, field, Math.abs(right - left), Math.abs(top - bottom))
    if (look.width < 1 || look.height < 1) continue
    const { content, resources, overflows } = contentOf(mupdf, pdf, field, look, text)
    isCut ||= overflows
    const form = pdf.newDictionary()
    form.put('Type', pdf.newName('XObject'))
    form.put('Subtype', pdf.newName('Form'))
    form.put('BBox', [0, 0, look.width, look.height])
    form.put('Matrix', look.matrix)
    if (resources) form.put('Resources', resources)
    const appearances = pdf.newDictionary()
    appearances.put('N', pdf.addStream([look.background, '/Tx BMC', content, 'EMC'].join('\n'), form))
    object.put('AP', appearances)
  }
  return isCut
}

interface Content {
  content: string
  resources?: PDFObject
  overflows: boolean
}

function contentOf(
  mupdf: Mupdf,
  pdf: PDFDocument,
  field: FormField,
  look: LookOf,
  { lines, marked }: FieldText,
): Content {
  if (lines === '') return { content: '', overflows: false }
  const isList = field.type === 'list'
  const isBlock = isList || (field.flags & FLAGS.multiline) !== 0
  const isComb = (field.flags & FLAGS.comb) !== 0 && field.maxLength > 0 && !isBlock
  const room = { width: look.width - 2 * look.padding, height: look.height - 2 * look.border }
  const measure = (part: string) => measureText(mupdf, part, look.font)
  const fit =
    isBlock && !isList
      ? fitBlock(lines, look.fontSize, room, measure)
      : {
          size: look.fontSize || sizeOfLine(lines, room, isList ? 1 / lines.split('\n').length : 1, measure),
          lines: lines.split('\n'),
        }
  const parts = isComb ? graphemes(lines) : fit.lines
  const { lines: laid, resources } = layoutLines(
    mupdf,
    pdf,
    parts.filter((part) => part !== ''),
    look.colour,
    look.font,
  )
  const { size } = fit
  const first = isBlock ? look.height - look.border - 1 - ASCENT * size : (look.height - (ASCENT - DESCENT) * size) / 2
  const cell = look.width / Math.max(1, field.maxLength)
  let widest = 0
  const drawn = parts.map((part, index) => {
    const y = isComb ? first : first - index * LEADING * size
    const mark = marked?.includes(index)
      ? `q ${MARKED} ${pdfNumber(look.border)} ${pdfNumber(y - 0.3 * size)} ${pdfNumber(look.width - 2 * look.border)} ${pdfNumber(LEADING * size)} re f Q `
      : ''
    if (part === '') return mark
    const line = required(laid, part)
    const width = line.width * size
    widest = Math.max(widest, width)
    const x = isComb ? index * cell + (cell - width) / 2 : look.padding + (look.align * (room.width - width)) / 2
    // Text that is too long begins at its beginning.
    const start = isComb ? x : Math.max(look.padding, x)
    const paint = look.colour.map(pdfNumber).join(' ')
    return `${mark}q ${pdfNumber(size)} 0 0 ${pdfNumber(size)} ${pdfNumber(start)} ${pdfNumber(y)} cm ${paint} rg ${line.content} Q`
  })
  const inset = pdfNumber(look.border)
  const clip = `${inset} ${inset} ${pdfNumber(look.width - 2 * look.border)} ${pdfNumber(look.height - 2 * look.border)} re W n`
  const height = isBlock ? ((fit.lines.length - 1) * LEADING + 0.9) * size : 0.7 * size
  const overflows = !isList && ((!isComb && widest > room.width + 2) || height > room.height)
  return { content: ['q', clip, ...drawn, 'Q'].join('\n'), resources, overflows }
}

interface Room {
  width: number
  height: number
}

type Measure = (text: string) => number

/** The size at which a line fills its box. */
function sizeOfLine(text: string, room: Room, share: number, measure: Measure): number {
  const width = Math.max(...text.split('\n').map(measure))
  const byHeight = (room.height * share) / (share < 1 ? LEADING : 1.3)
  const size = Math.min(byHeight, width > 0 ? room.width / width : byHeight, share < 1 ? MULTILINE_SIZE : byHeight)
  return Math.max(LEAST_SIZE, size)
}

/** The lines of a paragraph, and the largest size at which they fit, or the given size. */
function fitBlock(text: string, given: number, room: Room, measure: Measure): { size: number; lines: string[] } {
  for (let size = given || MULTILINE_SIZE; ; size -= 0.5) {
    const lines = wrapLines(text, room.width / size, measure)
    if (given || size <= LEAST_SIZE || lines.length * LEADING * size <= room.height) return { size, lines }
  }
}
