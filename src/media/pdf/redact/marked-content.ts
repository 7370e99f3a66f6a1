import type { PDFObject } from '../../../engines/mupdf.ts'
import type { MediaprocError } from '../../../errors.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { bytesOfString, eachOperation, type Operation } from '../page/content.ts'
import { contentStreams } from '../page/page-content.ts'
import { NamedResources } from './named-resources.ts'
import { shownBytes } from './streams.ts'

/** Maximum nesting depth of form XObjects. */
const MAX_DEPTH = 20
/** Maximum numbers of one page: of sequences and drawn forms, of all marks and drawings of a stream, and of operators. */
const MAX_PARTS = 100_000
const MAX_MARKS = 1_000_000
const MAX_OPERATORS = 10_000_000

/** Operators that draw paths and shadings. */
export const PAINTING = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 's', 'S', 'sh'])
/** A drawn image is listed with its object number. */
export const IMAGE = 'image '
const SHOWING = new Set(['Tj', 'TJ', "'", '"'])
const MARKS = new Set(['BDC', 'BMC', 'EMC', 'Do'])
/** The operator before the data of an inline image. */
export const INLINE_IMAGE = 'ID'

/** What a stream displays: operators of drawings, numbers of bytes of text, and the other operators that matter here. */
type Part = string | number | Operation

export interface Stream {
  object: PDFObject
  content: Buffer
  parts: Part[]
}

/** A marked-content sequence, with that of drawn forms and without that of nested sequences (ISO 32000-1, 14.6). */
export interface Sequence {
  stream: Stream
  /** The byte offsets of its opening operator with operands. */
  start: number
  end: number
  /** The sequence around it. */
  outer: Sequence | undefined
  /** Its number, to which structure elements refer; several if its name may refer to several properties. */
  ids: number[]
  /** Properties in the resources. */
  properties: PDFObject[]
  /** Number of bytes of shown text, which is that of glyphs. */
  text: number
  /** Drawn paths and images. */
  drawn: string[]
}

/** A drawn form, with the forms that it draws. */
interface DrawnForm {
  /** Its object number. */
  number: number
  /** Number of bytes of text, and number of drawings, of the page before the form and after it. */
  text: [before: number, after: number]
  drawn: [before: number, after: number]
}

/** The marked content of a page and of the forms it draws, in drawing order. */
export interface MarkedContent {
  sequences: Sequence[]
  forms: DrawnForm[]
  /** All drawn paths and images. */
  drawn: string[]
}

/** @throws MediaprocError LIMIT_EXCEEDED */
export function readMarkedContent(page: PDFObject): MarkedContent {
  const content = Buffer.concat(contentStreams(page).flatMap((part) => [shownBytes(part), Buffer.from('\n')]))
  const reader = new Reader()
  reader.draw(streamOf(page, content), new NamedResources(page.getInheritable('Resources')))
  return reader
}

/** A form as it is stored. */
interface Form {
  stream: Stream
  /** Undefined: those of the content around it. */
  resources: NamedResources | undefined
}

class Reader implements MarkedContent {
  readonly sequences: Sequence[] = []
  readonly forms: DrawnForm[] = []
  readonly drawn: string[] = []
  readonly #open: Sequence[] = []
  readonly #stored = new Map<number, Form>()
  /** The object numbers of the forms that are drawn at the moment. */
  readonly #nested = new Set<number>()
  #operators = 0
  #text = 0

  draw(stream: Stream, resources: NamedResources): void {
    this.#operators += stream.parts.length
    if (this.#operators > MAX_OPERATORS) throw tooMany(MAX_OPERATORS, 'operators')
    const open = this.#open
    const outside = open.length
    for (const part of stream.parts) {
      if (typeof part === 'string') this.#add(part)
      else if (typeof part === 'number') {
        this.#text += part
        const inner = open.at(-1)
        if (inner) inner.text += part
      } else if (part.operator === 'EMC') {
        if (open.length > outside) open.pop()
      } else if (part.operator === 'Do') {
        for (const drawing of resources.find('XObject', part.operands.at(-1))) this.#drawObject(drawing, resources)
      } else {
        const { operator, operands, start, end } = part
        const properties = operator === 'BDC' ? resources.find('Properties', operands.at(-1)) : []
        const ids = idsOf(part, properties)
        const one: Sequence = { stream, start, end, outer: open.at(-1), ids, properties, text: 0, drawn: [] }
        open.push(one)
        this.sequences.push(one)
        this.#checkParts()
      }
    }
    open.length = outside
  }

  #add(drawing: string): void {
    this.drawn.push(drawing)
    this.#open.at(-1)?.drawn.push(drawing)
  }

  #drawObject(drawing: PDFObject, around: NamedResources): void {
    if (!drawing.isStream()) return
    const number = drawing.asIndirect()
    if (drawing.get('Subtype').asName() !== 'Form') {
      this.#add(`${IMAGE}${number}`)
      return
    }
    // A form in itself is not displayed.
    if (this.#nested.has(number)) return
    if (this.#nested.size >= MAX_DEPTH) throw tooMany(MAX_DEPTH, 'forms inside each other')
    let form = this.#stored.get(number)
    if (!form) {
      const own = drawing.get('Resources')
      const resources = own.isDictionary() ? new NamedResources(own) : undefined
      form = { stream: streamOf(drawing, shownBytes(drawing)), resources }
      this.#stored.set(number, form)
    }
    const drawn: DrawnForm = { number, text: [this.#text, 0], drawn: [this.drawn.length, 0] }
    this.forms.push(drawn)
    this.#checkParts()
    this.#nested.add(number)
    this.draw(form.stream, form.resources ?? around)
    this.#nested.delete(number)
    drawn.text[1] = this.#text
    drawn.drawn[1] = this.drawn.length
  }

  #checkParts(): void {
    if (this.forms.length + this.sequences.length > MAX_PARTS) throw tooMany(MAX_PARTS, 'marked parts')
  }
}

function tooMany(most: number, what: string): MediaprocError {
  return limitExceeded(`A page has more than ${most} ${what}`, { hint: 'Redact words instead of areas.' })
}

/** A stream with its parts; adjacent texts are one. */
function streamOf(object: PDFObject, content: Buffer): Stream {
  const parts: Part[] = []
  let marks = 0
  eachOperation(content, (operation) => {
    const { operator, operands } = operation
    if (SHOWING.has(operator)) {
      const bytes = operands.reduce((sum, one) => sum + (/^[(<]/.test(one) ? bytesOfString(one).length : 0), 0)
      const last = parts.at(-1)
      if (typeof last === 'number') parts[parts.length - 1] = last + bytes
      else parts.push(bytes)
    } else if (PAINTING.has(operator) || operator === INLINE_IMAGE) parts.push(operator)
    else if (MARKS.has(operator)) {
      if (++marks > MAX_MARKS) throw tooMany(MAX_MARKS, 'marks and drawings')
      parts.push(operation)
    }
    if (parts.length > MAX_OPERATORS) throw tooMany(MAX_OPERATORS, 'operators')
  })
  return { object, content, parts }
}

function idsOf({ operands }: Operation, properties: readonly PDFObject[]): number[] {
  if (operands.includes('/MCID')) return [Number(operands[operands.indexOf('/MCID') + 1])]
  return properties.flatMap((one) => (one.get('MCID').isNumber() ? [one.get('MCID').asNumber()] : []))
}
