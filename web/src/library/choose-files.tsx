/** Chooses files of the library for a tool. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { groups } from '../api/tools.ts'
import type { LibraryItem } from '../api/types.ts'
import { Icon } from '../app/icons.tsx'
import { Pager } from '../app/pager.tsx'
import { useWork } from '../app/work.ts'
import { acceptAttribute } from '../files/accept.ts'
import { STRINGS } from '../strings.ts'
import { Filters } from './filters.tsx'
import { ItemGrid } from './item-grid.tsx'
import { type Order, useLibrary } from './items.ts'
import { fetchItem } from './take.ts'
import '../styles/files.css'
import '../styles/library.css'
import '../styles/account.css'

/** Files on a page of the dialog. */
const PAGE = 24

export interface ChooseFilesProps {
  accept: readonly string[]
  onFiles(files: File[]): void
  onClose(): void
}

export function ChooseFiles({ accept, onFiles, onClose }: ChooseFilesProps): JSX.Element {
  const words = STRINGS.library
  const work = useWork()
  const search = useSignal('')
  const sort = useSignal<Order>('newest')
  const offset = useSignal(0)
  const chosen = useSignal<readonly LibraryItem[]>([])
  const dialog = useRef<HTMLDialogElement>(null)
  const extensions = acceptAttribute(accept, groups.value).replaceAll('.', '')
  const query = { search: search.value, extensions, sort: sort.value, offset: offset.value, limit: PAGE }
  const list = useLibrary(query, (last) => {
    offset.value = last
  })
  useEffect(() => dialog.current?.showModal(), [])
  const items = list.items.value ?? []
  const take = (): Promise<void> =>
    work.run(async () => {
      const files: File[] = []
      for (const item of chosen.value) files.push(await fetchItem(item))
      onFiles(files)
      dialog.current?.close()
    })
  return (
    <dialog ref={dialog} class="dialog wide library-dialog" aria-labelledby="library-title" onClose={onClose}>
      <div class="row apart nowrap">
        <h2 id="library-title">{words.fromTitle}</h2>
        <button
          type="button"
          class="icon-button"
          aria-label={STRINGS.pipelines.close}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      <Filters
        search={search.value}
        sort={sort.value}
        onSearch={(text) => {
          search.value = text
          offset.value = 0
        }}
        onSort={(order) => {
          sort.value = order
          offset.value = 0
        }}
      />
      <p class="alert" role="alert">
        {work.message || list.failure.value}
      </p>
      <div class="library-scroll">
        {list.items.value?.length === 0 && (
          <p class="faint">{search.value.trim() ? words.nothingFound : words.noneFits}</p>
        )}
        <ItemGrid
          items={items}
          chosen={chosen.value}
          onChoose={(next) => {
            chosen.value = next
          }}
        />
        <Pager
          offset={offset.value}
          size={PAGE}
          total={list.total.value}
          onMove={(to) => {
            offset.value = to
          }}
        />
      </div>
      <div class="row">
        <button type="button" disabled={chosen.value.length === 0 || work.isBusy} onClick={take}>
          {words.add(chosen.value.length)}
        </button>
        <button type="button" class="plain" onClick={() => dialog.current?.close()}>
          {STRINGS.results.cancel}
        </button>
      </div>
    </dialog>
  )
}
