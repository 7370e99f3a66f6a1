import { StringDecoder } from 'node:string_decoder'
import { strictParser } from '../saxes.ts'

export interface MarkupVisitor {
  /** `name` without its namespace's prefix. */
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Streams XML of any size; supports only the five predefined entities. Calls `visit` with each event. */
export class MarkupReader {
  readonly #parser: { write(text: string): unknown; close(): unknown }
  readonly #decoder = new StringDecoder('utf8')

  private constructor(parser: { write(text: string): unknown; close(): unknown }) {
    this.#parser = parser
  }

  static async open(visit: MarkupVisitor): Promise<MarkupReader> {
    const parser = await strictParser()
    parser.on('opentag', ({ name, attributes }) => visit.open?.(local(name), attributes))
    if (visit.text) {
      parser.on('text', (text) => visit.text!(text))
      parser.on('cdata', (text) => visit.text!(text))
    }
    if (visit.close) parser.on('closetag', ({ name }) => visit.close!(local(name)))
    return new MarkupReader(parser)
  }

  /** @throws Error if it is not well-formed */
  write(bytes: Buffer): void {
    this.#parser.write(this.#decoder.write(bytes))
  }

  end(): void {
    this.#parser.close()
  }
}

/** A whole stream. */
export async function readMarkup(stream: AsyncIterable<Buffer>, visit: MarkupVisitor): Promise<void> {
  const reader = await MarkupReader.open(visit)
  for await (const bytes of stream) reader.write(bytes)
  reader.end()
}
