import type { JSX } from 'preact'
import { STRINGS } from '../strings.ts'

interface PagerProps {
  offset: number
  size: number
  total: number
  onMove(to: number): void
}

/** Moves through a long list; nothing for one that fits a page. */
export function Pager({ offset, size, total, onMove }: PagerProps): JSX.Element | null {
  const { pager } = STRINGS
  if (total <= size && offset === 0) return null
  return (
    <nav class="row apart" aria-label={pager.label}>
      <button type="button" class="plain" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - size))}>
        {pager.before}
      </button>
      <span class="faint" role="status">
        {pager.range(Math.min(offset + 1, total), Math.min(offset + size, total), total)}
      </span>
      <button type="button" class="plain" disabled={offset + size >= total} onClick={() => onMove(offset + size)}>
        {pager.after}
      </button>
    </nav>
  )
}

/** The beginning of the last page of a list that became shorter. */
export const lastPage = (total: number, size: number): number => Math.max(0, Math.ceil(total / size) - 1) * size
