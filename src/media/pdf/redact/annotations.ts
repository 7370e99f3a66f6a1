import type { PDFAnnotation, PDFDocument, PDFObject, PDFPage, PDFWidget } from '../../../engines/mupdf.ts'
import { firstOf, lastOf } from '../../../lists.ts'
import { entriesOf, itemsOf } from '../structure/trees.ts'
import { holdsTerm, type Terms } from './terms.ts'

/** Maximum depth to which the entries of an annotation, and the fields above a widget, are inspected. */
const MAX_DEPTH = 20

/** Field entries that a reader may display or submit (ISO 32000-1, tables 220, 222, 226). */
const VALUES = ['V', 'DV', 'RV', 'Opt', 'TU', 'AP']

/**
 * Removes annotations that contain a term in their text or their appearance; fields are kept and lose their value.
 * Returns how many.
 */
export function cleanAnnotations(pdf: PDFDocument, page: PDFPage, terms: Terms): number {
  let cleaned = 0
  for (const annotation of page.getAnnotations()) {
    if (!holds(annotation, terms)) continue
    page.deleteAnnotation(annotation)
    cleaned++
  }
  for (const widget of page.getWidgets()) {
    if (!holds(widget, terms) && !fieldsOf(widget.getObject()).some((field) => wordsHold(field, terms, MAX_DEPTH - 2)))
      continue
    emptyField(pdf, widget)
    emptyCaption(widget, terms)
    cleaned++
  }
  return cleaned
}

/**
 * Removes the value of the field that a widget belongs to, with its other spellings, and its appearance in all widgets
 * of the field.
 */
export function emptyField(pdf: PDFDocument, widget: PDFWidget): void {
  const fields = fieldsOf(widget.getObject())
  const isButton = widget.isCheckbox() || widget.isRadioButton()
  // The widgets of a field have no name of their own.
  const field = fields.find((one) => !one.get('T').isNull()) ?? firstOf(fields)
  for (const kid of itemsOf(field.get('Kids'))) {
    if (!kid.isDictionary() || !kid.get('T').isNull()) continue
    // The appearance of a button has its states, which do not depend on the value.
    for (const key of VALUES) if (!(isButton && key === 'AP')) kid.delete(key)
    if (isButton) kid.put('AS', pdf.newName('Off'))
  }
  for (const one of fields) for (const key of VALUES) if (one.get(key).isNull() === false) one.delete(key)
  widget.update()
}

/** Entries that a removed widget keeps: those that make it a field of the form. */
const FIELD_ENTRIES = new Set(['FT', 'Ff', 'T', 'Parent', 'Kids'])

/** Empties the dictionary of a removed annotation, because tags, replies and the form may refer to it. */
export function emptyAnnotation(annotation: PDFObject): void {
  const isField = !annotation.get('FT').isNull() || !annotation.get('T').isNull() || !annotation.get('Parent').isNull()
  const isWidget = annotation.get('Subtype').asName() === 'Widget' && isField
  for (const [key] of entriesOf(annotation)) if (!(isWidget && FIELD_ENTRIES.has(key))) annotation.delete(key)
}

function emptyCaption(widget: PDFWidget, terms: Terms): void {
  // The caption of a button is stored in its appearance characteristics.
  const look = widget.getObject().get('MK')
  for (const [key, value] of entriesOf(look))
    if (value.isString() && holdsTerm(terms, value.asString())) look.delete(key)
  widget.update()
}

/** The widget and its ancestor fields, whose values it inherits. */
function fieldsOf(widget: PDFObject): PDFObject[] {
  const fields = [widget]
  for (let depth = 0; depth < MAX_DEPTH && lastOf(fields).get('Parent').isDictionary(); depth++)
    fields.push(lastOf(fields).get('Parent'))
  return fields
}

function holds(annotation: PDFAnnotation, terms: Terms): boolean {
  return wordsHold(annotation.getObject(), terms, 0) || lookHolds(annotation, terms)
}

function lookHolds(annotation: PDFAnnotation, terms: Terms): boolean {
  const list = annotation.toDisplayList()
  const text = list.toStructuredText('')
  const found = holdsTerm(terms, text.asText())
  text.destroy()
  list.destroy()
  return found
}

function wordsHold(object: PDFObject, terms: Terms, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (object.isString()) return holdsTerm(terms, object.asString())
  if (object.isArray()) return itemsOf(object).some((item) => !item.isIndirect() && wordsHold(item, terms, depth + 1))
  if (!object.isDictionary()) return false
  return entriesOf(object).some(([key, value]) => {
    // Pages, popups and other fields are checked separately; actions and appearances may belong only to this
    // annotation.
    if (['P', 'Parent', 'Popup', 'IRT', 'Kids', 'StructParent', 'Dest', 'D'].includes(key)) return false
    if (value.isIndirect() && !['A', 'AA', 'RC', 'Contents', 'V', 'FS'].includes(key)) return false
    if (value.isStream()) {
      const buffer = value.readStream()
      const found = holdsTerm(terms, buffer.asString())
      buffer.destroy()
      return found
    }
    return wordsHold(value, terms, depth + 1)
  })
}
