import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { itemsOf } from '../structure/trees.ts'
import { buttonChoices, type Choice, listChoices } from './choices.ts'
import { nameText } from './states.ts'

/**
 * Maximum nesting depth, number of form fields, and number of all their boxes and choices, to stop at loops and in
 * malicious files: fields may share lists.
 */
const MAX_DEPTH = 64
const MAX_FIELDS = 100_000
const MAX_PARTS = 1_000_000

/** A value to fill in: text, a choice, several choices, or whether a box is checked. */
export type FieldValue = string | boolean | readonly string[]

export type FieldType = 'text' | 'checkbox' | 'radio' | 'dropdown' | 'list' | 'button' | 'signature'

/** Bits of field flags (ISO 32000-1, tables 221, 226, 228 and 230). */
export const FLAGS = {
  readOnly: 1,
  required: 1 << 1,
  multiline: 1 << 12,
  password: 1 << 13,
  radio: 1 << 15,
  pushButton: 1 << 16,
  combo: 1 << 17,
  editable: 1 << 18,
  multiSelect: 1 << 21,
  comb: 1 << 24,
} as const

/** A box on a page in which a field is shown. */
export interface Widget {
  object: PDFObject
  /** From 1; 0 if no page shows it. */
  page: number
}

export interface FormField {
  /** The complete name: the parts from the root, joined by periods. */
  name: string
  type: FieldType
  /** The dictionary with the value. */
  object: PDFObject
  flags: number
  widgets: Widget[]
  /** Choices, or the states of a check box or radio buttons without Off. */
  choices: Choice[]
  /** In characters; 0 is no limit. */
  maxLength: number
  /** The default appearance: font, size and colour (ISO 32000-1, 12.7.3.3). */
  appearance: string
  /** 0 left, 1 centred, 2 right. */
  alignment: number
}

/** Values that fields inherit from those above them. */
interface Inherited {
  name: string
  type: string
  flags: number
  maxLength: number
  appearance: string
  alignment: number
}

/**
 * The fields of a form that have a value, in file order.
 * @throws MediaprocError INVALID_FILE for fields in a loop, more than 64 levels deep, or more than 100,000
 */
export function readFields(pdf: PDFDocument): FormField[] {
  const form = pdf.getTrailer().get('Root', 'AcroForm')
  if (!form.isDictionary()) return []
  const pages = pagesOfWidgets(pdf)
  const fields: FormField[] = []
  const seen = new Set<number>()
  let parts = 0
  const root: Inherited = {
    name: '',
    type: '',
    flags: 0,
    maxLength: 0,
    appearance: form.get('DA').asString(),
    alignment: form.get('Q').asNumber(),
  }
  const waiting = itemsOf(form.get('Fields'))
    .map((object) => ({ object, above: root, depth: 1 }))
    .reverse()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { object, above, depth } = next
    if (!object.isDictionary()) continue
    const id = object.isIndirect() ? object.asIndirect() : undefined
    parts += object.get('Kids').length + object.get('Opt').length
    const isLoop = id !== undefined && seen.has(id)
    if (isLoop || depth > MAX_DEPTH || fields.length >= MAX_FIELDS || parts > MAX_PARTS)
      throw new MediaprocError('INVALID_FILE', 'The form has fields in a loop, too deep or too many', {
        hint: `Forms of at most ${MAX_FIELDS} fields, ${MAX_DEPTH} levels, and ${MAX_PARTS} boxes and choices are read.`,
      })
    if (id !== undefined) seen.add(id)
    const own = inheritedBy(object, above)
    const kids = itemsOf(object.get('Kids')).filter((kid) => kid.isDictionary())
    // Kids with a name are fields; others are the places of this one.
    const below = kids.filter((kid) => kid.get('T').isString())
    if (below.length > 0) {
      for (const kid of below.toReversed()) waiting.push({ object: kid, above: own, depth: depth + 1 })
      continue
    }
    const type = typeOf(own)
    if (type === undefined || own.name === '') continue
    const shown = kids.length > 0 ? kids : [object]
    const widgets = shown.map((widget) => ({
      object: widget,
      page: widget.isIndirect() ? (pages.get(widget.asIndirect()) ?? 0) : 0,
    }))
    const choices =
      type === 'dropdown' || type === 'list'
        ? listChoices(itemsOf(object.get('Opt')))
        : type === 'checkbox' || type === 'radio'
          ? buttonChoices(object, shown)
          : []
    fields.push({ ...own, type, object, widgets, choices })
  }
  return fields
}

function inheritedBy(object: PDFObject, above: Inherited): Inherited {
  const part = object.get('T').isString() ? object.get('T').asString() : ''
  const number = (key: string, other: number) => (object.get(key).isNumber() ? object.get(key).asNumber() : other)
  return {
    name: above.name !== '' && part !== '' ? `${above.name}.${part}` : above.name + part,
    type: object.get('FT').asName() || above.type,
    flags: number('Ff', above.flags),
    maxLength: number('MaxLen', above.maxLength),
    appearance: object.get('DA').isString() ? object.get('DA').asString() : above.appearance,
    alignment: number('Q', above.alignment),
  }
}

function typeOf({ type, flags }: Inherited): FieldType | undefined {
  if (type === 'Tx') return 'text'
  if (type === 'Sig') return 'signature'
  if (type === 'Ch') return flags & FLAGS.combo ? 'dropdown' : 'list'
  if (type !== 'Btn') return undefined
  if (flags & FLAGS.pushButton) return 'button'
  return flags & FLAGS.radio ? 'radio' : 'checkbox'
}

/** The page of each widget, by object number. */
function pagesOfWidgets(pdf: PDFDocument): Map<number, number> {
  const pages = new Map<number, number>()
  const shared = new Set<number>()
  for (let index = 0; index < pdf.countPages(); index++) {
    const list = pdf.findPage(index).get('Annots')
    const id = list.isIndirect() ? list.asIndirect() : undefined
    if (id !== undefined && shared.has(id)) continue
    if (id !== undefined) shared.add(id)
    for (const annotation of itemsOf(list)) if (annotation.isIndirect()) pages.set(annotation.asIndirect(), index + 1)
  }
  return pages
}

/** The value as text; of a list with several choices an array, of a check box whether it is on. */
export function fieldValue({ object, type, choices }: FormField): string | boolean | string[] {
  const value = object.getInheritable('V')
  if (type === 'signature') return value.isDictionary()
  if (value.isArray()) return itemsOf(value).map((one) => one.asString())
  const text = value.isName() ? nameText(value) : value.isStream() ? streamText(value) : value.asString()
  if (type === 'checkbox' && choices.length <= 1) return text !== '' && text !== 'Off'
  if (type === 'radio' || type === 'checkbox') return choices.find((one) => one.value === text)?.label ?? ''
  return text
}

function streamText(stream: PDFObject): string {
  const buffer = stream.readStream()
  const text = buffer.asString()
  buffer.destroy()
  return text
}
