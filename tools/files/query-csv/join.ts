import { limitExceeded } from '../../../src/limit-exceeded.ts'
import { readRecords } from '../../../src/media/delimited.ts'
import { type MediaFile, printableName } from '../../../src/media/file.ts'
import type { ReadingOptions } from '../../../src/media/text-file.ts'
import { uniqueNames } from '../../../src/media/unique-names.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { columnIndex } from './columns.ts'

/** Most characters of the joined table, which is held in memory. */
const MAX_CHARACTERS = 128 * 1024 * 1024

export interface Joined {
  /** The columns of the second table without its key; those that the first table has, too, end with `_2`. */
  columns: string[]
  /** Rows of the second table without the key, by the key. */
  rows: ReadonlyMap<string, string[][]>
  /** The key's column of the first table. */
  key: string
}

/** Reads `id`, or `id=person` where the columns have different names. */
export function readKeys(text: string): { key: string; other: string } {
  const [key = '', other = key, ...rest] = text.split('=').map((part) => part.trim())
  if (key === '' || other === '' || rest.length > 0)
    throw invalidSettings(
      `on: "${text}" is not a column or a pair of columns`,
      'For example: --on id, or --on id=person',
    )
  return { key, other }
}

/** Reads the table that is joined. */
export async function readJoined(
  file: MediaFile,
  { on, columns }: { on: string; columns: readonly string[] },
  options: ReadingOptions,
): Promise<Joined> {
  const { key, other } = readKeys(on)
  columnIndex(columns, key, 'on')
  const rows = new Map<string, string[][]>()
  let found: string[] | undefined
  let characters = 0
  for await (const batch of readRecords(file, options)) {
    const at = columnIndex(batch.columns, other, 'on')
    found ??= batch.columns.filter((_, index) => index !== at)
    for (const row of batch.rows) {
      const value = row[at] ?? ''
      const rest = row.filter((_, index) => index !== at)
      const same = rows.get(value)
      if (same) same.push(rest)
      else rows.set(value, [rest])
      for (const cell of row) characters += cell.length + 1
    }
    if (characters > MAX_CHARACTERS)
      throw limitExceeded(
        `${printableName(file.name)} has more than ${MAX_CHARACTERS / 1024 / 1024} million characters`,
        {
          hint: 'Join the smaller table to the larger one.',
        },
      )
  }
  const repeat = (name: string, number: number): string => `${name}_${number}`
  const names = uniqueNames([...columns, ...(found ?? [])], { repeat, first: 2, caseSensitive: true })
  return { columns: names.slice(columns.length), rows, key }
}

/** Rows that are yielded at once: a key can have any number of matches. */
const BATCH = 10_000

/**
 * The rows of the first table with the cells of the second: one for each match.
 * @param keepsAll rows without a match stay, with empty cells
 */
export function* joinedRows(
  rows: readonly string[][],
  { columns, rows: others, place, keepsAll }: Pick<Joined, 'columns' | 'rows'> & { place: number; keepsAll: boolean },
): Generator<string[][]> {
  const none = keepsAll ? [columns.map(() => '')] : []
  let made: string[][] = []
  for (const row of rows)
    for (const cells of others.get(row[place] ?? '') ?? none) {
      made.push([...row, ...cells])
      if (made.length < BATCH) continue
      yield made
      made = []
    }
  yield made
}
