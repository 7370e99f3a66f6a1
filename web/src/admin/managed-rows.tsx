/** What administrators manage, page by page: each row opens its dialog. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { Pager } from '../app/pager.tsx'

const PAGE = 25

/** One row. */
export interface ManagedRow {
  id: string
  about: ComponentChildren
  /** Text of the button, and what it says of this row. */
  action: string
  label: string
}

interface Props<Item> {
  items: readonly Item[]
  row(item: Item): ManagedRow
  onOpen(id: string): void
}

export function ManagedRows<Item>({ items, row, onOpen }: Props<Item>): JSX.Element {
  const offset = useSignal(0)
  const shown = items.slice(offset.value, offset.value + PAGE).map(row)
  return (
    <>
      <ul class="rows">
        {shown.map(({ id, about, action, label }) => (
          <li key={id}>
            <span>{about}</span>
            <button type="button" class="plain" aria-label={label} onClick={() => onOpen(id)}>
              {action}
            </button>
          </li>
        ))}
      </ul>
      <Pager
        offset={offset.value}
        size={PAGE}
        total={items.length}
        onMove={(to) => {
          offset.value = to
        }}
      />
    </>
  )
}
