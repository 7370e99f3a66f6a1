import type { PDFObject } from '../../../engines/mupdf.ts'
import { itemsOf } from '../structure/trees.ts'
import { onState } from './states.ts'

export interface Choice {
  /** The value in the file. */
  value: string
  /** The text that readers show. */
  label: string
}

/** The choices of a list or menu. */
export function listChoices(options: readonly PDFObject[]): Choice[] {
  return options.map((option) => {
    if (!option.isArray()) return { value: option.asString(), label: option.asString() }
    return { value: option.get(0).asString(), label: option.get(1).asString() }
  })
}

/** The states of a check box or of radio buttons without Off; equal ones once. */
export function buttonChoices(object: PDFObject, widgets: readonly PDFObject[]): Choice[] {
  const texts = itemsOf(object.get('Opt'))
  const known = new Map<string, Choice>()
  for (const [index, widget] of widgets.entries()) {
    const value = onState(widget)
    // Names of states may be numbers that stand for a text in Opt.
    if (value !== undefined && !known.has(value)) known.set(value, { value, label: texts[index]?.asString() || value })
  }
  return [...known.values()]
}
