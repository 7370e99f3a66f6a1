/** The library: files that the server keeps, with their versions. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { call } from '../api/call.ts'
import { loadTools } from '../api/tools.ts'
import type { LibraryItem } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { setTitle } from '../app/brand.ts'
import { Pager } from '../app/pager.tsx'
import { navigate } from '../app/router.ts'
import { useWork } from '../app/work.ts'
import { STRINGS } from '../strings.ts'
import { Details } from './details.tsx'
import { Filters } from './filters.tsx'
import { ItemGrid } from './item-grid.tsx'
import { type Order, useLibrary } from './items.ts'
import { takeItems } from './take.ts'
import { UploadBar } from './upload-bar.tsx'
import { Usage } from './usage.tsx'
import '../styles/account.css'
import '../styles/files.css'
import '../styles/library.css'

/** Files on a page. */
const PAGE = 48

export function LibraryPage(): JSX.Element {
  const words = STRINGS.library
  const work = useWork()
  const search = useSignal('')
  const sort = useSignal<Order>('newest')
  const offset = useSignal(0)
  const chosen = useSignal<readonly LibraryItem[]>([])
  const shown = useSignal<LibraryItem | undefined>(undefined)
  const list = useLibrary({ search: search.value, sort: sort.value, offset: offset.value, limit: PAGE }, (last) => {
    offset.value = last
  })
  useEffect(() => {
    setTitle(words.title)
    work.run(loadTools)
  }, [])
  const use = async (items: readonly LibraryItem[]): Promise<void> => {
    await takeItems(items)
    navigate('')
  }
  const remove = (items: readonly LibraryItem[]): void => {
    const question =
      items.length === 1 ? words.confirmOne(items[0]?.originalName ?? '') : words.confirmMany(items.length)
    if (!confirm(question)) return
    work.run(async () => {
      await call('api/v1/files', { method: 'DELETE', body: { ids: items.map(({ id }) => id) } })
      chosen.value = []
      shown.value = undefined
      announce(words.removed(items.length))
      list.reload()
    })
  }
  const items = list.items.value
  const isSearch = search.value.trim() !== ''
  return (
    <div class="page">
      <div class="row apart">
        <div>
          <h1 tabIndex={-1}>{words.title}</h1>
          <Usage of={items} />
        </div>
        <div class="row upload-bar">
          <UploadBar onDone={list.reload} />
        </div>
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
      {chosen.value.length > 0 && (
        <div class="row chosen-bar" role="status">
          <strong class="grow">{words.chosen(chosen.value.length)}</strong>
          <button type="button" disabled={work.isBusy} onClick={() => work.run(() => use(chosen.value))}>
            {words.use}
          </button>
          <button type="button" class="plain danger" disabled={work.isBusy} onClick={() => remove(chosen.value)}>
            {words.removeChosen}
          </button>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              chosen.value = []
            }}
          >
            {words.unchoose}
          </button>
        </div>
      )}
      {items?.length === 0 && <p class="faint">{isSearch ? words.nothingFound : words.none}</p>}
      {items && (
        <ItemGrid
          items={items}
          chosen={chosen.value}
          onChoose={(next) => {
            chosen.value = next
          }}
          onOpen={(item) => {
            shown.value = item
          }}
        />
      )}
      <Pager
        offset={offset.value}
        size={PAGE}
        total={list.total.value}
        onMove={(to) => {
          offset.value = to
        }}
      />
      {shown.value && (
        <Details
          item={shown.value}
          onUse={(item) => use([item])}
          onRemove={(item) => remove([item])}
          onChange={list.reload}
          onClose={() => {
            shown.value = undefined
          }}
        />
      )}
    </div>
  )
}
