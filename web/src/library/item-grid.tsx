import type { JSX } from 'preact'
import type { LibraryItem } from '../api/types.ts'
import { dayText } from '../app/dates.ts'
import { sizeText } from '../files/size.ts'
import { STRINGS } from '../strings.ts'
import { Picture } from './picture.tsx'

interface ItemGridProps {
  items: readonly LibraryItem[]
  chosen: readonly LibraryItem[]
  onChoose(chosen: readonly LibraryItem[]): void
  /** Shows a file; without it a click chooses. */
  onOpen?(item: LibraryItem): void
}

function About({ item }: { item: LibraryItem }): JSX.Element {
  const { originalName, size, createdAt, version } = item
  return (
    <>
      <Picture item={item} />
      <span class="file-title">{originalName}</span>
      <span class="faint small">
        {sizeText(size)} · {dayText(createdAt)}
        {version > 1 && <span class="badge">{STRINGS.library.version(version)}</span>}
      </span>
    </>
  )
}

export function ItemGrid({ items, chosen, onChoose, onOpen }: ItemGridProps): JSX.Element {
  const words = STRINGS.library
  const ids = new Set(chosen.map(({ id }) => id))
  return (
    <ul class="library-grid">
      {items.map((item) => {
        const isChosen = ids.has(item.id)
        const box = (
          <input
            id={`choose-${item.id}`}
            type="checkbox"
            checked={isChosen}
            aria-label={words.choose(item.originalName)}
            onChange={() => onChoose(isChosen ? chosen.filter(({ id }) => id !== item.id) : [...chosen, item])}
          />
        )
        return (
          <li key={item.id} class="library-item" data-chosen={isChosen ? '' : undefined}>
            {onOpen ? (
              <>
                <button type="button" class="quiet" onClick={() => onOpen(item)}>
                  <About item={item} />
                </button>
                <label class="library-check" for={`choose-${item.id}`}>
                  {box}
                </label>
              </>
            ) : (
              <label class="library-label" for={`choose-${item.id}`}>
                <About item={item} />
                <span class="library-check">{box}</span>
              </label>
            )}
          </li>
        )
      })}
    </ul>
  )
}
