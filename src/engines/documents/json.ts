import type { ParsedTokenInfo } from '@streamparser/json'
import { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { lastOf } from '../../lists.ts'
import { listed } from '../../wording.ts'

/** A number with its original text: preserves `1e400`, `1.50` and integers of 20 digits. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Objects are maps: maps keep the order of keys such as 2024, and have no keys with a special meaning in JavaScript.
 */
export type JsonObject = Map<string, JsonValue>
export type JsonValue = string | boolean | null | JsonNumber | JsonValue[] | JsonObject
type Container = JsonValue[] | JsonObject

/** Nesting limit: deeper than any real document; code that walks values recurses once per level. */
const MAX_DEPTH = 1000

/** Maximum number of keys remembered for a warning. */
const MAX_REPEATED = 100

/** The next expected token. */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing'

/**
 * Called for each item of a list when it is complete. A consumed item (true) is not added to the list, so a list of any
 * length needs the memory of one item. `parents` are the open lists and objects around it, outermost first.
 */
export type TakeItem = (item: JsonValue, parents: readonly Container[]) => boolean

/** A streaming JSON parser; numbers keep their text. */
export class JsonReader {
  readonly #name: string
  readonly #take: TakeItem | undefined
  readonly #tokenizer: { write(text: string | Uint8Array): void; end(): void }
  readonly #open: Container[] = []
  /** The key waiting for its value, for every open container. */
  readonly #keys: string[] = []
  #expected: Expected = 'value'
  #root: JsonValue = null
  readonly #repeated = new Set<string>()

  private constructor(name: string, take: TakeItem | undefined, library: typeof import('@streamparser/json')) {
    this.#name = name
    this.#take = take
    class ExactTokenizer extends library.Tokenizer {
      override parseNumber(text: string): number {
        return new JsonNumber(text) as unknown as number
      }
    }
    const tokenizer = new ExactTokenizer({ stringBufferSize: 65_536, numberBufferSize: 64 })
    // Its own decoder treats U+FEFF at the start of a string as a byte order mark, and drops it.
    const strings = (tokenizer as unknown as { bufferedString: { decoder: InstanceType<typeof TextDecoder> } })
      .bufferedString
    strings.decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    tokenizer.onToken = (token) => this.#accept(token, library.TokenType)
    this.#tokenizer = tokenizer
  }

  /** @param name the name of the text in messages */
  static async open(name: string, take?: TakeItem): Promise<JsonReader> {
    return new JsonReader(name, take, await import('@streamparser/json'))
  }

  /**
   * @param text or its UTF-8
   * @throws INVALID_FILE for invalid JSON, LIMIT_EXCEEDED when it is nested too deeply
   */
  write(text: string | Uint8Array): void {
    this.#guarded(() => this.#tokenizer.write(text))
  }

  /** The whole value, without the consumed items. @throws INVALID_FILE when the text ends too early */
  end(): JsonValue {
    this.#guarded(() => this.#tokenizer.end())
    if (this.#expected !== 'nothing') throw this.#invalid(`it ends where ${this.#expected} is expected`)
    return this.#root
  }

  /** Warns about duplicate keys of an object: all values but the last are lost. */
  reportRepeated(warn: (message: string) => void): void {
    if (this.#repeated.size === 0) return
    const keys = listed([...this.#repeated].map((key) => JSON.stringify(key.slice(0, 60))))
    warn(`${this.#name} has duplicate keys in an object, of which the last value is used: ${keys}`)
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw error instanceof MediaprocError ? error : this.#invalid((error as Error).message, error)
    }
  }

  #invalid(detail: string, cause?: unknown): MediaprocError {
    return new MediaprocError('INVALID_FILE', `${this.#name} is not valid JSON`, { detail, cause })
  }

  #accept({ token, value }: ParsedTokenInfo, type: typeof import('@streamparser/json').TokenType): void {
    const expected = this.#expected
    const wantsValue = expected === 'value' || expected === 'value or ]'
    if (expected === ', or end' && token === type.COMMA)
      this.#expected = this.#open.at(-1) instanceof Map ? 'key' : 'value'
    else if ((expected === 'key' || expected === 'key or }') && token === type.STRING) {
      this.#keys[this.#keys.length - 1] = value as string
      this.#expected = ':'
    } else if (expected === ':' && token === type.COLON) this.#expected = 'value'
    else if (wantsValue && token === type.LEFT_BRACE) this.#begin(new Map(), 'key or }')
    else if (wantsValue && token === type.LEFT_BRACKET) this.#begin([], 'value or ]')
    else if (token === type.RIGHT_BRACE && this.#canEnd('key or }', true)) this.#close()
    else if (token === type.RIGHT_BRACKET && this.#canEnd('value or ]', false)) this.#close()
    else if (wantsValue && isScalar(token, type)) this.#put(value as unknown as JsonValue)
    else throw this.#invalid(`${JSON.stringify(value)} where ${expected} is expected`)
  }

  #canEnd(whenEmpty: Expected, isObject: boolean): boolean {
    if (this.#expected !== whenEmpty && this.#expected !== ', or end') return false
    const innermost = this.#open.at(-1)
    return innermost !== undefined && innermost instanceof Map === isObject
  }

  #begin(container: Container, expected: Expected): void {
    if (this.#open.length >= MAX_DEPTH)
      throw limitExceeded(`${this.#name} is nested more than ${MAX_DEPTH} deep`, { hint: 'Flatten it first.' })
    this.#open.push(container)
    this.#keys.push('')
    this.#expected = expected
  }

  #close(): void {
    this.#keys.pop()
    this.#put(this.#open.pop()!)
  }

  /** The last value of a duplicate key is used, as in JSON.parse. */
  #set(object: JsonObject, key: string, value: JsonValue): void {
    const { size } = object
    object.set(key, value)
    if (object.size === size && this.#repeated.size < MAX_REPEATED) this.#repeated.add(key)
  }

  /** Adds a completed value to its container. */
  #put(value: JsonValue): void {
    const around = this.#open.at(-1)
    this.#expected = around ? ', or end' : 'nothing'
    if (around === undefined) this.#root = value
    else if (around instanceof Map) this.#set(around, lastOf(this.#keys), value)
    else if (!this.#take?.(value, this.#open)) around.push(value)
  }
}

function isScalar(token: number, type: typeof import('@streamparser/json').TokenType): boolean {
  return (
    token === type.STRING || token === type.NUMBER || token === type.TRUE || token === type.FALSE || token === type.NULL
  )
}

/** Parses a whole text. @param warn called with the lost values of duplicate keys @throws INVALID_FILE */
export async function parseJson(text: string, name: string, warn?: (message: string) => void): Promise<JsonValue> {
  const reader = await JsonReader.open(name)
  reader.write(text)
  const value = reader.end()
  if (warn) reader.reportRepeated(warn)
  return value
}

/**
 * Serialises a value as JSON; numbers keep their original text.
 * @param indent spaces per level, as for JSON.stringify; 0 gives a single line
 */
export function jsonText(value: JsonValue, indent = 0, margin = ''): string {
  if (value instanceof JsonNumber) return value.text
  if (!Array.isArray(value) && !(value instanceof Map)) return JSON.stringify(value)
  const inner = margin + ' '.repeat(indent)
  const colon = indent > 0 ? ': ' : ':'
  const items = Array.isArray(value)
    ? value.map((item) => jsonText(item, indent, inner))
    : [...value].map(([key, item]) => JSON.stringify(key) + colon + jsonText(item, indent, inner))
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (indent === 0 || items.length === 0) return open + items.join(',') + close
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${margin}${close}`
}
