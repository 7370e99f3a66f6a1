import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { MEANING } from './actual-text.ts'
import {
  IMAGE,
  INLINE_IMAGE,
  type MarkedContent,
  PAINTING,
  readMarkedContent,
  type Sequence,
  type Stream,
} from './marked-content.ts'
import { rewriteStream } from './streams.ts'

/** Entries that replace or describe content for readers of its text (ISO 32000-1, 14.9). */
export const REPLACEMENTS = ['ActualText', 'Alt', 'E']

/** What lost content on a page. */
export interface ChangedContent {
  /** Numbers of marked-content sequences. */
  sequences: Set<number>
  /** Object numbers of images and forms. */
  drawings: Set<number>
}

/**
 * Removes the replacement texts of sequences that lost content since `before` was read, with those of the sequences
 * around them.
 * @param hasCovered a drawing under an area is left: the sequences with drawings lose their texts, because the library
 *   does not say in which one it is
 */
export function cleanMarkedContent(
  pdf: PDFDocument,
  page: PDFObject,
  before: MarkedContent,
  hasCovered: boolean,
): ChangedContent {
  const after = readMarkedContent(page)
  const { sequences } = after
  // The library keeps all sequences; without a counterpart a sequence counts as changed.
  const isSame = before.sequences.length === sequences.length
  const changed = new Set<Sequence>()
  // Those inside come after those around them.
  for (const [index, one] of [...sequences.entries()].reverse()) {
    const old = before.sequences[index]
    const isChanged = !isSame || !old || one.text !== old.text || !areSame(one.drawn, old.drawn)
    const isCovered = hasCovered && one.drawn.some((what) => PAINTING.has(what))
    if (isChanged || isCovered || changed.has(one))
      for (const sequence of [one, one.outer]) if (sequence) changed.add(sequence)
  }
  const ofStreams = new Map<Stream, Map<number, Sequence>>()
  for (const one of changed)
    ofStreams.set(one.stream, (ofStreams.get(one.stream) ?? new Map<number, Sequence>()).set(one.start, one))
  for (const [{ object, content }, own] of ofStreams) {
    const cleaned = withoutReplacements(content, own)
    if (cleaned.equals(content)) continue
    if (object === page) object.put('Contents', pdf.addStream(cleaned, {}))
    else rewriteStream(object, cleaned)
  }
  for (const { properties } of changed) for (const one of properties) for (const key of REPLACEMENTS) one.delete(key)
  const lost = isSame ? [...changed] : [...changed, ...before.sequences]
  return { sequences: new Set(lost.flatMap(({ ids }) => ids)), drawings: changedDrawings(before, after, hasCovered) }
}

/** The object numbers of images and forms that lost content; the library writes each form as a new object. */
function changedDrawings(before: MarkedContent, after: MarkedContent, hasCovered: boolean): Set<number> {
  const isSame = before.forms.length === after.forms.length
  const changed = before.forms.filter(({ text, drawn }, index) => {
    const other = after.forms[index]
    if (!isSame || !other || text[1] - text[0] !== other.text[1] - other.text[0]) return true
    const [own, others] = [before.drawn.slice(...drawn), after.drawn.slice(...other.drawn)]
    return !areSame(own, others) || (hasCovered && own.some((what) => PAINTING.has(what)))
  })
  const left = new Map<string, number>()
  for (const what of after.drawn) left.set(what, (left.get(what) ?? 0) + 1)
  const numbers = new Set(changed.map(({ number }) => number))
  for (const what of before.drawn) {
    const count = (left.get(what) ?? 0) - 1
    left.set(what, count)
    if (count < 0 && what.startsWith(IMAGE)) numbers.add(Number(what.slice(IMAGE.length)))
  }
  return numbers
}

/** Whether the same was drawn; pixels of an inline image may have been removed. */
const areSame = (drawn: readonly string[], old: readonly string[]): boolean =>
  drawn.length === old.length && drawn.every((what, index) => what === old[index] && what !== INLINE_IMAGE)

/** The content without the replacement texts of these sequences, by their offsets. */
function withoutReplacements(content: Buffer, sequences: ReadonlyMap<number, Sequence>): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (const { start, end } of [...sequences.values()].sort((one, other) => one.start - other.start)) {
    const kept = content.toString('latin1', start, end).replace(MEANING, '')
    parts.push(content.subarray(from, start), Buffer.from(kept, 'latin1'))
    from = end
  }
  return Buffer.concat([...parts, content.subarray(from)])
}
