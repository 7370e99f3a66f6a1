import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import type { ObjectImporter } from '../page/importer.ts'
import { itemsOf } from './trees.ts'

/** Maximum nesting depth of the layer list. */
const MAX_DEPTH = 32

/** Optional content (layers) merged from several documents. */
export interface LayerParts {
  groups: PDFObject[]
  hidden: PDFObject[]
  locked: PDFObject[]
  order: PDFObject[]
}

export function emptyLayers(): LayerParts {
  return { groups: [], hidden: [], locked: [], order: [] }
}

/** Imports the layers that the copied pages use, visible or hidden as in the document's default configuration. */
export function importLayers(importer: ObjectImporter, layers: LayerParts): void {
  const properties = importer.source.getTrailer().get('Root', 'OCProperties')
  if (!properties.isDictionary()) return
  const numbers = (key: string) => new Set(itemsOf(properties.get('D', key)).map((group) => group.asIndirect()))
  const shown = numbers('ON')
  const hidden = numbers('OFF')
  const locked = numbers('Locked')
  const hiddenByDefault = properties.get('D', 'BaseState').asName() === 'OFF'
  for (const group of itemsOf(properties.get('OCGs'))) {
    const copy = importer.copied(group)
    if (!copy) continue
    layers.groups.push(copy)
    if (hidden.has(group.asIndirect()) || (hiddenByDefault && !shown.has(group.asIndirect()))) layers.hidden.push(copy)
    if (locked.has(group.asIndirect())) layers.locked.push(copy)
  }
  layers.order.push(...itemsOf(copyOrder(importer, properties.get('D', 'Order'), 0)))
}

/** The layer tree displayed by viewers, without layers that were not copied. */
function copyOrder(importer: ObjectImporter, order: PDFObject, depth: number): PDFObject {
  const copy = importer.target.newArray()
  for (const item of itemsOf(order)) {
    if (item.isString()) copy.push(item)
    else if (item.isArray()) {
      const below = depth < MAX_DEPTH ? copyOrder(importer, item, depth + 1) : undefined
      if (below && itemsOf(below).some((entry) => !entry.isString())) copy.push(below)
    } else {
      const group = importer.copied(item)
      if (group) copy.push(group)
    }
  }
  return copy
}

/** Writes the layers into the document, if any. */
export function writeLayers(pdf: PDFDocument, layers: LayerParts): void {
  if (layers.groups.length === 0) return
  const list = (items: PDFObject[]) => {
    const array = pdf.newArray()
    for (const item of items) array.push(item)
    return array
  }
  const configuration = pdf.newDictionary()
  for (const [key, items] of entriesOfParts(layers)) if (items.length > 0) configuration.put(key, list(items))
  const properties = pdf.newDictionary()
  properties.put('OCGs', list(layers.groups))
  properties.put('D', configuration)
  pdf.getTrailer().get('Root').put('OCProperties', pdf.addObject(properties))
}

function entriesOfParts(layers: LayerParts): Array<[string, PDFObject[]]> {
  return [
    ['OFF', layers.hidden],
    ['Locked', layers.locked],
    ['Order', layers.order],
  ]
}
