import { printableName } from '../../wording.ts'
import type { Parameters, Scalar } from '../read/parameter.ts'

/** A row of a table, which is one run of a pipeline. */
export interface Row {
  /** From 1, without the header. */
  number: number
  /** The line of the file, from 1; undefined for JSON. */
  line?: number
  /** In the order of the columns. */
  cells: readonly Scalar[]
  /** Why it cannot be used. */
  problem?: string
}

/** The rows of a CSV or JSON file. */
export interface RowTable {
  /** The file for display. */
  shown: string
  /** Absolute. */
  path: string
  columns: readonly string[]
  rows: readonly Row[]
}

/** `people.csv:6`, or `people.json, row 5`. */
export const rowLabel = ({ shown }: Pick<RowTable, 'shown'>, { number, line }: Row): string =>
  line === undefined ? `${printableName(shown)}, row ${number}` : `${printableName(shown)}:${line}`

/** Names with these characters cannot be written in `${name}` and `{name}`. */
const UNUSABLE = /[{}:|\u0000-\u001f]/

/** The values of a row by column. */
export function rowValues({ columns }: RowTable, { cells }: Row): Parameters {
  const pairs = columns.map((column, index) => [column, cells[index] ?? ''] as const)
  return new Map(pairs.filter(([column]) => column !== '' && !UNUSABLE.test(column)))
}
