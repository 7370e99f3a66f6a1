import { invalidSettings } from '../../../src/tool/validate.ts'
import { columnIndex } from './columns.ts'
import { compareCells } from './sort.ts'

type Test = (cell: string, value: string) => boolean

const holds = (cell: string, value: string): boolean => cell.toLowerCase().includes(value.toLowerCase())

/** Longer operators first, so that `>=` is not read as `>`. */
const TESTS: readonly (readonly [string, Test])[] = [
  ['!=', (cell, value) => compareCells(cell, value) !== 0],
  ['>=', (cell, value) => cell !== '' && compareCells(cell, value) >= 0],
  ['<=', (cell, value) => cell !== '' && compareCells(cell, value) <= 0],
  ['!~', (cell, value) => !holds(cell, value)],
  ['=', (cell, value) => compareCells(cell, value) === 0],
  ['>', (cell, value) => cell !== '' && compareCells(cell, value) > 0],
  ['<', (cell, value) => cell !== '' && compareCells(cell, value) < 0],
  ['~', holds],
]

interface Condition {
  column: string
  value: string
  test: Test
}

/** Reads a condition such as `born >= 1900`. @throws MediaprocError INVALID_SETTINGS */
export function readCondition(text: string): Condition {
  const places = TESTS.flatMap(([operator, test]) => {
    const at = text.indexOf(operator)
    return at > 0 ? [{ at, operator, test }] : []
  })
  // The first operator in the text; of two at the same place, the longer one.
  const first = places.reduce<(typeof places)[number] | undefined>(
    (best, one) => (best === undefined || one.at < best.at ? one : best),
    undefined,
  )
  const column = text.slice(0, first?.at ?? 0).trim()
  if (!first || column === '')
    throw invalidSettings(
      `where: "${text}" is not a condition`,
      `Write a column, an operator (${TESTS.map(([operator]) => operator).join(' ')}) and a value: born>=1900`,
    )
  const value = text.slice(first.at + first.operator.length).trim()
  // In quotes, a value can begin or end with spaces.
  return { column, value: value.replace(/^"(.*)"$/s, '$1'), test: first.test }
}

/** Whether a row meets all conditions. */
export function rowTest(
  conditions: readonly string[],
  columns: readonly string[],
): (row: readonly string[]) => boolean {
  const tests = conditions.map(readCondition).map(({ column, value, test }) => {
    const index = columnIndex(columns, column, 'where')
    return (row: readonly string[]): boolean => test(row[index] ?? '', value)
  })
  return (row) => tests.every((test) => test(row))
}
