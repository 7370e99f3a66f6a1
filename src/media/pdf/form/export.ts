import type { PDFDocument } from '../../../engines/mupdf.ts'
import { utf16Hex } from '../stamp/stamp-layout.ts'
import { itemsOf } from '../structure/trees.ts'
import { FLAGS, fieldValue, readFields } from './fields.ts'

/** A field of a form, for other programs. */
export interface ExportedField {
  name: string
  type: string
  /** A check box is true or false; a list with several choices is an array. */
  value: string | boolean | string[]
  /** Labels of the choices, or of the states of buttons. */
  options: string[]
  /** Pages that show it, from 1. */
  page: number | undefined
  /** Left, top, width and height of its first box, in points from the upper left of the displayed page. */
  rectangle: [x: number, y: number, width: number, height: number] | undefined
  required: boolean
  readOnly: boolean
  maxLength: number | undefined
}

/** All fields of the form, in file order. @throws MediaprocError INVALID_FILE for fields in a loop */
export function exportFields(pdf: PDFDocument): ExportedField[] {
  const fields = readFields(pdf)
  const places = rectangles(pdf)
  return fields.map((field) => {
    const shown = field.widgets.find(({ page }) => page > 0)
    return {
      name: field.name,
      type: field.type,
      value: fieldValue(field),
      options: field.choices.map(({ label }) => label),
      page: shown?.page,
      rectangle: shown && places.get(shown.object.asIndirect()),
      required: (field.flags & FLAGS.required) !== 0,
      readOnly: (field.flags & FLAGS.readOnly) !== 0,
      maxLength: field.maxLength > 0 ? field.maxLength : undefined,
    }
  })
}

/** The boxes of all widgets on the displayed pages, by object number. */
function rectangles(pdf: PDFDocument): Map<number, [number, number, number, number]> {
  const found = new Map<number, [number, number, number, number]>()
  const shared = new Set<number>()
  for (let index = 0; index < pdf.countPages(); index++) {
    const list = pdf.findPage(index).get('Annots')
    if (!list.isArray() || list.length === 0 || (list.isIndirect() && shared.has(list.asIndirect()))) continue
    if (list.isIndirect()) shared.add(list.asIndirect())
    const page = pdf.loadPage(index)
    const [a, b, c, d, e, f] = page.getTransform()
    const [left, top] = page.getBounds()
    page.destroy()
    list.forEach((annotation) => {
      if (!annotation.isIndirect() || !annotation.isDictionary()) return
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = itemsOf(annotation.get('Rect')).map((side) => side.asNumber())
      const xs = [a * x1 + c * y1 + e, a * x2 + c * y2 + e]
      const ys = [b * x1 + d * y1 + f, b * x2 + d * y2 + f]
      const [x, y] = [Math.min(...xs) - left, Math.min(...ys) - top]
      const round = (value: number) => Math.round(value * 100) / 100
      found.set(annotation.asIndirect(), [
        round(x),
        round(y),
        round(Math.max(...xs) - x - left),
        round(Math.max(...ys) - y - top),
      ])
    })
  }
  return found
}

/** The values as FDF, which PDF readers import (ISO 32000-1, 12.7.7). */
export function fdfOf(fields: readonly ExportedField[], pdfName: string): string {
  const entries = fields
    .filter(({ type }) => type !== 'button' && type !== 'signature')
    .map(({ name, value, type, options }) => `<< /T ${pdfText(name)} /V ${fdfValue(value, type, options)} >>`)
  return [
    '%FDF-1.2',
    '1 0 obj',
    `<< /FDF << /F ${pdfText(pdfName)} /Fields [`,
    ...entries,
    '] >> >>',
    'endobj',
    'trailer',
    '<< /Root 1 0 R >>',
    '%%EOF',
    '',
  ].join('\n')
}

function fdfValue(value: string | boolean | string[], type: string, options: readonly string[]): string {
  if (Array.isArray(value)) return `[${value.map(pdfText).join(' ')}]`
  if (typeof value === 'boolean') return pdfNameOf(value ? (options[0] ?? 'Yes') : 'Off')
  return type === 'radio' || type === 'checkbox' ? pdfNameOf(value || 'Off') : pdfText(value)
}

const pdfNameOf = (name: string): string =>
  `/${[...Buffer.from(name)].map((byte) => (/[\w.-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `#${byte.toString(16).padStart(2, '0')}`)).join('')}`

/** A string of PDF: plain for ASCII, otherwise UTF-16 with a byte order mark. */
function pdfText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `(${text.replace(/[\\()]/g, '\\$&')})`
  return `<${utf16Hex(text)}>`
}
