import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'

interface TableProps {
  head: readonly string[]
  rows: readonly (readonly string[])[]
  /** What is not shown; '' if nothing is missing. */
  note: string
}

/** A table in a scrolled area. */
export function Table({ head, rows, note }: TableProps): JSX.Element {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard */}
      <section class="table" tabIndex={0} aria-label={STRINGS.results.table}>
        <table>
          <thead>
            <tr>
              {head.map((cell, index) => (
                <th key={index} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {note && <p class="faint small">{note}</p>}
    </>
  )
}
