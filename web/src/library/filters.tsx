import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'
import { ORDERS, type Order } from './items.ts'

interface FiltersProps {
  search: string
  sort: Order
  onSearch(text: string): void
  onSort(order: Order): void
}

export function Filters({ search, sort, onSearch, onSort }: FiltersProps): JSX.Element {
  const words = STRINGS.library
  return (
    <search class="row library-filters">
      <input
        type="search"
        class="grow"
        aria-label={words.search}
        placeholder={words.search}
        maxLength={200}
        value={search}
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
      <select
        aria-label={words.sort}
        value={sort}
        onChange={(event) => onSort(ORDERS.find((one) => one === event.currentTarget.value) ?? 'newest')}
      >
        {ORDERS.map((order) => (
          <option key={order} value={order}>
            {words.orders[order]}
          </option>
        ))}
      </select>
    </search>
  )
}
