import type { PDFObject } from '../../../engines/mupdf.ts'
import { eachOperation } from '../page/content.ts'
import { shownBytes } from '../redact/streams.ts'
import { entriesOf, itemsOf } from '../structure/trees.ts'

/** The start of a form XObject, a pattern or a mask costs as much time as this number of bytes of content. */
const PER_DRAWING = 256
/** Length of the shortest operation that draws an XObject: `/A Do `. */
const SHORTEST_DRAWING = 6
/** Deeper nesting is not followed. */
const MAX_DEPTH = 30
/** Between the content streams of a page. */
const SPACE = Buffer.from('\n')

const PAINTS: ReadonlySet<string> = new Set([
  ...['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'S', 's', 'sh', 'BI', 'Tj', 'TJ', "'", '"'],
])
const SHOWS_TEXT: ReadonlySet<string> = new Set(['Tj', 'TJ', "'", '"'])

/** What interpreting a content stream costs. */
interface Cost {
  /** Its length and those of all it draws, as often as it draws them. */
  bytes: number
  /** Operators that paint, as often as they run. */
  paints: number
}

const NOTHING: Cost = { bytes: 0, paints: 0 }
const UNKNOWN: Cost = { bytes: Number.POSITIVE_INFINITY, paints: 0 }

const named = (resources: PDFObject, kind: string, name: string | undefined): PDFObject | undefined => {
  const group = resources.isDictionary() ? resources.get(kind) : undefined
  const value = group?.isDictionary() && name !== undefined ? group.get(name.slice(1)) : undefined
  return value === undefined || value.isNull() ? undefined : value
}

/** The samples of an image are not content: decoded and parsed as operators, they take seconds for each photograph. */
const isImage = (drawing: PDFObject): boolean => drawing.isStream() && drawing.get('Subtype').asName() === 'Image'

class Drawings {
  readonly #most: number
  readonly #known = new Map<number, Cost>()
  #read = 0

  constructor(most: number) {
    this.#most = most
  }

  /** @param inherited the resources of what draws it, for a stream without any */
  costOf(stream: PDFObject | undefined, inherited: PDFObject, depth: number): Cost {
    if (!stream?.isStream()) return NOTHING
    const number = stream.isIndirect() ? stream.asIndirect() : 0
    const before = this.#known.get(number)
    if (before) return before
    // MuPDF does not follow a drawing into itself.
    this.#known.set(number, NOTHING)
    const own = stream.get('Resources')
    const cost = this.contentCost(shownBytes(stream), own.isDictionary() ? own : inherited, depth)
    this.#known.set(number, cost)
    return cost
  }

  /** @param content decoded */
  contentCost(content: Buffer, resources: PDFObject, depth: number): Cost {
    this.#read += content.length
    if (depth > MAX_DEPTH || this.#read > this.#most) return UNKNOWN
    const cost: Cost = { bytes: content.length, paints: 0 }
    /** The largest pattern, mask and glyph that the stream has selected: each painting draws them. */
    const selected = { pattern: 0, mask: 0, glyph: 0 }
    const nested = (found: PDFObject | undefined): Cost => this.costOf(found, resources, depth + 1)
    const paint = (times: number): void => {
      cost.paints += times
      cost.bytes += times * (selected.pattern + selected.mask)
    }
    eachOperation(content, ({ operator, operands }) => {
      const name = operands.findLast((operand) => operand.startsWith('/'))
      if (operator === 'Do') {
        const drawing = named(resources, 'XObject', name)
        const { bytes, paints } = drawing && isImage(drawing) ? NOTHING : nested(drawing)
        cost.bytes += PER_DRAWING + bytes
        paint(paints + 1)
      } else if (operator === 'scn' || operator === 'SCN') {
        const { bytes } = nested(named(resources, 'Pattern', name))
        if (bytes > 0) selected.pattern = Math.max(selected.pattern, PER_DRAWING + bytes)
      } else if (operator === 'gs') {
        const mask = named(resources, 'ExtGState', name)?.get('SMask')
        const { bytes } = nested(mask?.isDictionary() ? mask.get('G') : undefined)
        if (bytes > 0) selected.mask = Math.max(selected.mask, PER_DRAWING + bytes)
      } else if (operator === 'Tf') {
        selected.glyph = Math.max(selected.glyph, this.#glyphCost(named(resources, 'Font', name), resources, depth))
      } else if (PAINTS.has(operator)) {
        paint(1)
        if (selected.glyph > 0 && SHOWS_TEXT.has(operator)) cost.bytes += selected.glyph * operands.join('').length
      }
    })
    return cost
  }

  /** What the glyphs of a Type 3 font draw besides their own content, at most. */
  #glyphCost(font: PDFObject | undefined, resources: PDFObject, depth: number): number {
    if (!font?.isDictionary()) return 0
    const own = font.get('Resources')
    const costs = entriesOf(font.get('CharProcs')).map(([, glyph]) => {
      const { bytes } = this.costOf(glyph, own.isDictionary() ? own : resources, depth + 1)
      return bytes === Number.POSITIVE_INFINITY ? bytes : bytes - shownBytes(glyph).length
    })
    return Math.max(0, ...costs)
  }
}

/** Whether something that these resources name may draw other content: all else costs no more than its operators. */
function mayNest(resources: PDFObject): boolean {
  const group = (kind: string): Array<[string, PDFObject]> => entriesOf(resources.get(kind))
  return (
    group('XObject').some(([, drawing]) => !isImage(drawing)) ||
    group('Pattern').length > 0 ||
    group('ExtGState').some(([, state]) => state.isDictionary() && state.get('SMask').isDictionary()) ||
    group('Font').some(([, font]) => font.isDictionary() && font.get('CharProcs').isDictionary())
  )
}

/**
 * How much content is interpreted to draw a page: form XObjects, patterns, masks and glyphs count as often as they are
 * drawn. A small file may repeat them without end. Annotations are not included.
 * @returns bytes, without those for single images if they cannot exceed `most`; Infinity if the streams have more than
 *   `most` bytes without any repetition
 */
export function drawnBytes(page: PDFObject, most: number): number {
  const contents = page.get('Contents')
  const streams = (contents.isArray() ? itemsOf(contents) : [contents]).filter((one) => one.isStream())
  const content = Buffer.concat(streams.flatMap((stream) => [shownBytes(stream), SPACE]))
  const resources = page.getInheritable('Resources')
  // Most pages need no parsing: if each of their shortest operators drew an image, they would still be below the limit.
  const least = content.length * (1 + PER_DRAWING / SHORTEST_DRAWING)
  if (least <= most && !(resources.isDictionary() && mayNest(resources))) return content.length
  return new Drawings(most).contentCost(content, resources, 0).bytes
}
