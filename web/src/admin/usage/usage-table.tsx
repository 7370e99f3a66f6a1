import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Pager } from '../../app/pager.tsx'
import { STRINGS } from '../../strings.ts'

const PAGE = 20

interface UsageTableProps {
  caption: string
  columns: readonly string[]
  rows: readonly { name: string; value: number; cells: readonly string[] }[]
}

/** Figures with a bar for each row. */
export function UsageTable({ caption, columns, rows }: UsageTableProps): JSX.Element {
  const offset = useSignal(0)
  const most = Math.max(1, ...rows.map(({ value }) => value))
  if (rows.length === 0) return <p class="faint">{STRINGS.admin.usage.none}</p>
  return (
    <>
      <table class="plain-table">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(offset.value, offset.value + PAGE).map(({ name, value, cells }) => (
            <tr key={name}>
              <th scope="row">
                {name}
                <svg class="row-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="bar" width={(value / most) * 100} height={1} />
                </svg>
              </th>
              {cells.map((cell, index) => (
                <td key={columns[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Pager
        offset={offset.value}
        size={PAGE}
        total={rows.length}
        onMove={(to) => {
          offset.value = to
        }}
      />
    </>
  )
}
