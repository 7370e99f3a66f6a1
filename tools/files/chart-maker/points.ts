import { MediaprocError } from '../../../src/errors.ts'
import { parseRows } from '../../../src/media/delimited.ts'

export interface Point {
  label: string
  value: number
}

/** More could not be told apart (catalogue). */
const MAX_POINTS = 100

/** A number as people write it in tables; an empty cell is none. */
function numberIn(cell: unknown): number | undefined {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : undefined
  if (typeof cell !== 'string' || cell.trim() === '') return undefined
  const value = Number(cell)
  return Number.isFinite(value) ? value : undefined
}

function checked(pairs: readonly (readonly [label: unknown, value: unknown])[], name: string): Point[] {
  if (pairs.length === 0) throw new MediaprocError('PROCESSING_FAILED', `${name} holds no values to draw`)
  if (pairs.length > MAX_POINTS)
    throw new MediaprocError('LIMIT_EXCEEDED', `${name} holds ${pairs.length} values; at most ${MAX_POINTS} are drawn`)
  return pairs.map(([label, given], index) => {
    const value = numberIn(given)
    if (value === undefined || value < 0)
      throw new MediaprocError(
        'PROCESSING_FAILED',
        `${name}: value ${index + 1} (${JSON.stringify(given ?? '')}) is ${value === undefined ? 'no number' : 'below 0'}`,
      )
    return { label: String(label ?? ''), value }
  })
}

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
export function pointsOfJson(text: string, name: string): Point[] {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    throw new MediaprocError('INVALID_FILE', `${name} is not valid JSON`, { cause: error })
  }
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
  if (isObject(data)) return checked(Object.entries(data), name)
  if (Array.isArray(data) && data.every((one) => isObject(one) && 'label' in one && 'value' in one))
    return checked(
      data.map(({ label, value }: { label: unknown; value: unknown }) => [label, value]),
      name,
    )
  throw new MediaprocError('PROCESSING_FAILED', `${name} is no list of {label, value} and no object of numbers`)
}
