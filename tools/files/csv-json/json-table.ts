import { JsonNumber, JsonReader, type JsonValue, jsonText } from '../../../src/engines/documents/json.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { type MediaFile, printableName } from '../../../src/media/file.ts'
import { writeGrowingCsv } from '../../../src/media/growing-csv.ts'
import { type ReadingOptions, utf8Chunks } from '../../../src/media/text-file.ts'

const NEW_LINE = 0x0a
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const SPACES = new Set([0x20, 0x09, 0x0d])

/**
 * JSON Lines as one JSON array: each line that is not empty is an item. A value has no line break inside, so that the
 * lines need not be parsed.
 */
async function* asArray(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[')
  let [isFirst, isBlank, isStart] = [true, true, true]
  for await (const bytes of chunks) {
    const hasMark = isStart && BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte)
    const chunk = hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
    isStart = false
    const parts: Uint8Array[] = []
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(NEW_LINE, at)
      const end = found < 0 ? chunk.length : found
      const line = chunk.subarray(at, end)
      if (isBlank && line.some((byte) => !SPACES.has(byte))) {
        if (!isFirst) parts.push(Buffer.from(','))
        ;[isFirst, isBlank] = [false, false]
      }
      // The line break stays, so that messages name the right line.
      parts.push(chunk.subarray(at, found < 0 ? end : end + 1))
      if (found >= 0) isBlank = true
      at = end + 1
    }
    yield Buffer.concat(parts)
  }
  yield Buffer.from(']')
}

/**
 * JSON of any size as a table: an array of objects, or JSON Lines; an object whose only key holds such an array; or a flat object of
 * plain values, which becomes rows of key and value. Everything else is refused. The columns are all keys in order of
 * first appearance.
 */
export async function jsonToCsv(
  file: MediaFile,
  path: string,
  options: ReadingOptions & { signal: AbortSignal; warn: (message: string) => void },
): Promise<void> {
  const columns = new Map<string, number>()
  await writeGrowingCsv(path, tableOf(file, columns, options), {
    signal: options.signal,
    header: () => [...columns.keys()],
  })
}

/** Yields the header as far as it is known, then the rows; `columns` maps every key to its index. */
async function* tableOf(
  file: MediaFile,
  columns: Map<string, number>,
  options: ReadingOptions & { warn: (message: string) => void },
): AsyncGenerator<string[][]> {
  const name = printableName(file.name)
  const refuse = (why: string): never => {
    throw new MediaprocError('PROCESSING_FAILED', `${name} is not a table: ${why}`, {
      hint: 'Expected an array of objects, an object with one such array, or a flat object.',
    })
  }
  let rows: string[][] = []
  let count = 0
  const reader = await JsonReader.open(name, (item, [outer, ...inner]) => {
    const isRow = inner.length === 0 || (inner.length === 1 && outer instanceof Map)
    if (!isRow) return false
    count += 1
    rows.push(item instanceof Map ? rowOf(item, columns) : refuse(`item ${count} of the array is not an object`))
    return true
  })
  let isBegun = false
  const chunks = utf8Chunks(file, options)
  for await (const bytes of file.type.id === 'jsonl' ? asArray(chunks) : chunks) {
    reader.write(bytes)
    if (rows.length === 0) continue
    yield isBegun ? rows : [[...columns.keys()], ...rows]
    isBegun = true
    rows = []
  }
  const value = reader.end()
  reader.reportRepeated(options.warn)
  if (Array.isArray(value)) return
  if (!(value instanceof Map)) return refuse('it is a single value')
  const nested = [...value.values()].filter(isNested)
  if (nested.length === 0) yield [['key', 'value'], ...[...value].map(([key, item]) => [key, cellOf(item)])]
  else if (value.size > 1 || !Array.isArray(nested[0]))
    refuse(
      `it has ${value.size === 1 ? 'one key' : `${value.size} keys`}, and ${nested.length} of them hold arrays or objects`,
    )
}

const isNested = (value: JsonValue): boolean => Array.isArray(value) || value instanceof Map

function rowOf(record: ReadonlyMap<string, JsonValue>, columns: Map<string, number>): string[] {
  const row = Array<string>(columns.size).fill('')
  for (const [key, value] of record) {
    const known = columns.get(key)
    if (known === undefined) columns.set(key, columns.size)
    row[known ?? columns.size - 1] = cellOf(value)
  }
  return row
}

/** A value as the text of a cell: numbers as written, nested values as compact JSON, null as empty. */
function cellOf(value: JsonValue): string {
  if (value === null) return ''
  if (value instanceof JsonNumber) return value.text
  return typeof value === 'object' ? jsonText(value) : String(value)
}
