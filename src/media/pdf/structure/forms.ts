import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import type { ObjectImporter } from '../page/importer.ts'
import { entriesOf, itemsOf } from './trees.ts'

/** Maximum nesting depth of form fields. */
const MAX_DEPTH = 64

/** The form assembled from several documents. */
export interface FormParts {
  fields: PDFObject[]
  /** Names of the top-level fields, which must be unique. */
  names: Set<string>
  calculationOrder: PDFObject[]
  resources: Map<string, Map<string, PDFObject>>
  defaultAppearance: PDFObject | undefined
  /** From the only source; with several, the appearances are generated first. */
  needAppearances: boolean
}

export function emptyForm(): FormParts {
  return {
    fields: [],
    names: new Set(),
    calculationOrder: [],
    resources: new Map(),
    defaultAppearance: undefined,
    needAppearances: false,
  }
}

/**
 * Imports the fields whose widgets were copied (and registered). A top-level field with a duplicate name becomes
 * `name+1`, as in qpdf. Signature values and XFA are dropped because they cannot survive.
 */
export function importForm(importer: ObjectImporter, widgets: PDFObject[], form: FormParts): void {
  if (widgets.length === 0) return
  const entry = (key: string) => importer.source.getTrailer().get('Root', 'AcroForm', key)
  const reached = new Set<number>()
  for (const field of itemsOf(entry('Fields'))) addTopField(importer, field, reached, form)
  // Widgets not listed in the form still belong to a field.
  for (const widget of widgets) {
    if (!reached.has(widget.asIndirect())) addTopField(importer, topFieldOf(widget), reached, form)
  }
  for (const field of itemsOf(entry('CO'))) {
    const copy = importer.registered(field)
    if (copy) form.calculationOrder.push(copy)
  }
  for (const [kind, entries] of entriesOf(entry('DR'))) {
    const known = form.resources.get(kind) ?? new Map<string, PDFObject>()
    form.resources.set(kind, known)
    for (const [name, value] of entriesOf(entries)) if (!known.has(name)) known.set(name, importer.copy(value))
  }
  if (entry('DA').isString()) form.defaultAppearance ??= importer.copy(entry('DA'))
}

function addTopField(importer: ObjectImporter, source: PDFObject, reached: Set<number>, form: FormParts): void {
  const field = rebuildField(importer, source, undefined, reached, 0)
  if (!field) return
  const name = source.get('T').asString()
  if (name !== '') {
    let free = name
    for (let number = 1; form.names.has(free); number++) free = `${name}+${number}`
    form.names.add(free)
    if (free !== name) field.put('T', importer.target.newString(free))
  }
  form.fields.push(field)
}

/** The field for the target, or undefined if none of its widgets was copied. */
function rebuildField(
  importer: ObjectImporter,
  source: PDFObject,
  parent: PDFObject | undefined,
  reached: Set<number>,
  depth: number,
): PDFObject | undefined {
  if (!source.isIndirect() || !source.isDictionary() || reached.has(source.asIndirect()) || depth > MAX_DEPTH)
    return undefined
  reached.add(source.asIndirect())
  const widget = importer.registered(source)
  if (widget) {
    if (parent) widget.put('Parent', parent)
    return widget
  }
  const field = importer.target.createObject()
  field.writeObject(importer.target.newDictionary())
  const kids = importer.target.newArray()
  for (const kid of itemsOf(source.get('Kids'))) {
    const copy = rebuildField(importer, kid, field, reached, depth + 1)
    if (copy) kids.push(copy)
  }
  if (kids.length === 0) return undefined
  importer.register(source, field)
  for (const [key, value] of entriesOf(importer.copyDictionary(source, ['Kids', 'Parent', ...signatureKeys(source)]))) {
    field.put(key, value)
  }
  field.put('Kids', kids)
  if (parent) field.put('Parent', parent)
  return field
}

/** Keys of a signature field that become invalid when the file changes. */
export function signatureKeys(field: PDFObject): string[] {
  return field.getInheritable('FT').asName() === 'Sig' ? ['V'] : []
}

function topFieldOf(widget: PDFObject): PDFObject {
  let field = widget
  for (let depth = 0; depth < MAX_DEPTH && field.get('Parent').isDictionary(); depth++) field = field.get('Parent')
  return field
}

/** Writes the form into the document, if any. */
export function writeForm(pdf: PDFDocument, form: FormParts): void {
  if (form.fields.length === 0) return
  const dictionary = pdf.newDictionary()
  const list = (items: PDFObject[]) => {
    const array = pdf.newArray()
    for (const item of items) array.push(item)
    return array
  }
  dictionary.put('Fields', list(form.fields))
  if (form.calculationOrder.length > 0) dictionary.put('CO', list(form.calculationOrder))
  if (form.defaultAppearance) dictionary.put('DA', form.defaultAppearance)
  if (form.needAppearances) dictionary.put('NeedAppearances', true)
  const resources = pdf.newDictionary()
  for (const [kind, entries] of form.resources) {
    const group = pdf.newDictionary()
    for (const [name, value] of entries) group.put(name, value)
    resources.put(kind, group)
  }
  dictionary.put('DR', resources)
  pdf.getTrailer().get('Root').put('AcroForm', pdf.addObject(dictionary))
}
