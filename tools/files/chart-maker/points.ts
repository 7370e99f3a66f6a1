import { JsonNumber, type JsonObject, type JsonValue, jsonText, parseJson } from '../../../src/engines/json.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { parseRows } from '../../../src/media/delimited.ts'

export interface Point {
  label: string
  value: number
}

/** More could not be told apart (catalogue). */
const MAX_POINTS = 100

/** A number as people write it in tables; an empty cell is none. */
function numberIn(cell: JsonValue | undefined): number | undefined {
  if (cell instanceof JsonNumber) return numberIn(cell.text)
  if (typeof cell !== 'string' || cell.trim() === '') return undefined
  const value = Number(cell)
  return Number.isFinite(value) ? value : undefined
}

function checked(
  pairs: readonly (readonly [label: JsonValue | undefined, value: JsonValue | undefined])[],
  name: string,
): Point[] {
  if (pairs.length === 0) throw new MediaprocError('PROCESSING_FAILED', `${name} holds no values to draw`)
  if (pairs.length > MAX_POINTS)
    throw new MediaprocError('LIMIT_EXCEEDED', `${name} holds ${pairs.length} values; at most ${MAX_POINTS} are drawn`)
  return pairs.map(([label, given], index) => {
    const value = numberIn(given)
    if (value === undefined || value < 0)
      throw new MediaprocError(
        'PROCESSING_FAILED',
        `${name}: value ${index + 1} (${jsonText(given ?? '')}) is ${value === undefined ? 'no number' : 'below 0'}`,
      )
    return { label: labelOf(label), value }
  })
}

const labelOf = (label: JsonValue = ''): string =>
  typeof label === 'string' ? label : label === null ? '' : jsonText(label)

/** Labels in the first column, values in the second; the first row is a header where its second cell is no number. */
export async function pointsOfCsv(text: string, name: string): Promise<Point[]> {
  const rows = await parseRows(text, name)
  const hasHeader = rows.length > 1 && numberIn(rows[0]?.[1]) === undefined
  return checked(
    (hasHeader ? rows.slice(1) : rows).map(([label, value]) => [label, value]),
    name,
  )
}

/** A list of `{label, value}`, or an object of values by label. */
export async function pointsOfJson(text: string, name: string): Promise<Point[]> {
  const data = await parseJson(text, name)
  if (data instanceof Map) return checked([...data], name)
  const points = Array.isArray(data) ? data : []
  if (Array.isArray(data) && points.every((one) => one instanceof Map && one.has('label') && one.has('value')))
    return checked(
      points.map((one) => [(one as JsonObject).get('label'), (one as JsonObject).get('value')]),
      name,
    )
  throw new MediaprocError('PROCESSING_FAILED', `${name} is no list of {label, value} and no object of numbers`)
}
