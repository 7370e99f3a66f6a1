import { loadMupdf, type Mupdf, type PDFDocument, withMupdfErrors } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { counted, listed } from '../../../wording.ts'
import type { PdfHandle } from '../handle.ts'
import { generateAppearances, needsAppearances } from '../structure/appearances.ts'
import { checkText, chosenState, chosenValues, fieldFault } from './check-value.ts'
import { drawField } from './draw-field.ts'
import { type FieldValue, FLAGS, type FormField, readFields } from './fields.ts'
import { setState } from './states.ts'

export interface FillOptions {
  /** Fill fields that readers do not allow to change (default false: an error). */
  readOnly?: boolean
}

/**
 * Fills fields of the form, by their complete names, and draws them so that every reader shows the value.
 * @param nearest finds the name that was probably meant
 * @returns warnings
 * @throws MediaprocError TARGET_UNREACHABLE for an unknown field, or a value that a field does not take
 */
export async function fillForm(
  document: PdfHandle,
  values: ReadonlyMap<string, FieldValue>,
  nearest: (name: string, names: readonly string[]) => string | undefined,
  options: FillOptions = {},
): Promise<string[]> {
  const mupdf = await loadMupdf()
  const { pdf } = document
  let fields = fieldsByName(pdf)
  if (fields.size === 0) throw withoutForm(pdf)
  const warnings: string[] = []
  // Readers that draw values themselves would draw over these; and the states of buttons are those of their appearances.
  const lacksStates = ({ type, choices }: FormField) =>
    (type === 'checkbox' || type === 'radio') && choices.length === 0
  if (
    needsAppearances(pdf) ||
    [...fields.values()].flat().some((field) => values.has(field.name) && lacksStates(field))
  ) {
    generateAppearances(document)
    fields = fieldsByName(pdf)
  }
  withMupdfErrors('PROCESSING_FAILED', 'The form could not be filled', () => {
    const cut: string[] = []
    for (const [name, value] of values) {
      const same = fields.get(name)
      if (!same) throw unknownField(name, [...fields.keys()], nearest)
      const results = same.map((field) => {
        if (field.flags & FLAGS.readOnly && !options.readOnly)
          throw fieldFault(field, 'is read-only', 'Set readOnly to fill it all the same.')
        removeOldValues(field)
        return setValue(mupdf, pdf, field, value)
      })
      if (results.includes(true)) cut.push(name)
    }
    if (cut.length > 0)
      warnings.push(`The text is too long for the box of ${counted(cut.length, 'field')}: ${listed(cut)}`)
    const form = pdf.getTrailer().get('Root', 'AcroForm')
    // Readers would show the values of the XFA copy. That it is left out is reported for every document.
    form.delete('XFA')
    if (form.get('CO').isArray() && form.get('CO').length > 0)
      warnings.push('The form calculates fields with scripts, which are not run: check its sums')
    document.checkUnharmed()
  })
  return warnings
}

/** Fields of one complete name are one field, and have one value (ISO 32000-1, 12.7.3.2). */
function fieldsByName(pdf: PDFDocument): Map<string, FormField[]> {
  const named = new Map<string, FormField[]>()
  for (const field of readFields(pdf)) {
    const same = named.get(field.name)
    if (same) same.push(field)
    else named.set(field.name, [field])
  }
  return named
}

/** Removes values that readers may prefer: text with markup, and those of the boxes. */
function removeOldValues({ object, widgets }: FormField): void {
  object.delete('RV')
  for (const { object: widget } of widgets) {
    // One box of a field is often one dictionary with it, under another reference.
    if (widget.get('Parent').isNull() || !widget.get('T').isNull()) continue
    for (const key of ['V', 'RV', 'I']) widget.delete(key)
  }
}

function withoutForm(pdf: PDFDocument): MediaprocError {
  const isXfa = !pdf.getTrailer().get('Root', 'AcroForm', 'XFA').isNull()
  return new MediaprocError(
    'TARGET_UNREACHABLE',
    isXfa ? 'The form is an XFA form, which has no fields on its pages' : 'The document has no form fields',
    { hint: 'The tool export-form lists the fields of a form.' },
  )
}

function unknownField(
  name: string,
  names: readonly string[],
  nearest: (name: string, names: readonly string[]) => string | undefined,
): MediaprocError {
  // Many forms have fields such as form1[0].page1[0].name[0], of which the last part is unique.
  const meant =
    nearest(name, names) ??
    names.find(
      (one) =>
        one
          .split('.')
          .at(-1)
          ?.replace(/\[\d+\]$/, '') === name,
    )
  return new MediaprocError('TARGET_UNREACHABLE', `The form has no field ${listed([name])}`, {
    hint: meant === undefined ? `It has: ${listed(names, 10)}.` : `Did you mean ${listed([meant])}?`,
  })
}

/** Sets and draws one field. Returns whether its text is too long for its box. */
function setValue(mupdf: Mupdf, pdf: PDFDocument, field: FormField, value: FieldValue): boolean {
  if (field.type === 'text') {
    const text = checkText(field, value)
    field.object.put('V', pdf.newString(text))
    const shown = field.flags & FLAGS.password ? '*'.repeat(text.length) : text
    return drawField(mupdf, pdf, field, { lines: shown })
  }
  if (field.type === 'dropdown' || field.type === 'list') {
    const chosen = chosenValues(field, value)
    const strings = chosen.map((one) => pdf.newString(one.value))
    const [first] = strings
    const list = pdf.newArray()
    for (const one of strings) list.push(one)
    if (first === undefined) field.object.delete('V')
    else field.object.put('V', strings.length > 1 ? list : first)
    if (field.type === 'dropdown') return drawField(mupdf, pdf, field, { lines: chosen[0]?.label ?? '' })
    const indexes = chosen.map((one) => field.choices.indexOf(one)).sort((one, other) => one - other)
    field.object.put('I', indexes)
    return drawField(mupdf, pdf, field, { lines: field.choices.map(({ label }) => label).join('\n'), marked: indexes })
  }
  if (field.type === 'checkbox' || field.type === 'radio') {
    const boxes = field.widgets.map(({ object }) => object)
    setState(mupdf, pdf, field.object, boxes, chosenState(field, value))
    return false
  }
  throw fieldFault(
    field,
    field.type === 'signature' ? 'is for a signature' : 'is a button and has no value',
    field.type === 'signature' ? 'The tool sign-certificate signs documents.' : 'Leave it out.',
  )
}
