import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'
import { Table } from './table.tsx'
import { tableRows } from './table-rows.ts'

/** Most rows that are shown. */
const MOST_ROWS = 100

interface TableOfTextProps {
  text: string
  separator: string
  /** The text is only the beginning of the file. */
  isCut: boolean
}

/** The beginning of a table as one. */
export function TableOfText({ text, separator, isCut }: TableOfTextProps): JSX.Element {
  const all = tableRows(text, separator, MOST_ROWS + 2)
  // The last row of a cut text may be a part of one.
  const whole = isCut && all.length > 1 && all.length < MOST_ROWS + 2 ? all.slice(0, -1) : all
  const [head = [], ...rows] = whole
  const isBeginning = isCut || rows.length > MOST_ROWS
  return <Table head={head} rows={rows.slice(0, MOST_ROWS)} note={isBeginning ? STRINGS.results.cutText : ''} />
}
