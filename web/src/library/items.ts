/** Files that the server keeps for the user. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call, sentenceOf } from '../api/call.ts'
import type { GetFiles, LibraryItem } from '../api/types.ts'
import { lastPage } from '../app/pager.tsx'

export type Order = 'newest' | 'oldest' | 'name' | 'largest'
export const ORDERS: readonly Order[] = ['newest', 'oldest', 'name', 'largest']

/** Waits this long for the next letter of a search, in milliseconds. */
const PAUSE_MS = 200

export interface LibraryQuery {
  search: string
  /** Only files with these extensions, as `png,jpg`; all if empty. */
  extensions?: string
  sort: Order
  offset: number
  limit: number
}

interface LibraryList {
  /** undefined until the first answer */
  items: Signal<readonly LibraryItem[] | undefined>
  total: Signal<number>
  failure: Signal<string>
  reload(): void
}

export const filePath = (id: string): string => `api/v1/files/${encodeURIComponent(id)}`

/**
 * A page of the library. The answer to a former question is ignored.
 * @param onShorter the page does not exist any more: the beginning of the last one
 */
export function useLibrary(query: LibraryQuery, onShorter: (offset: number) => void): LibraryList {
  const items = useSignal<readonly LibraryItem[] | undefined>(undefined)
  const total = useSignal(0)
  const failure = useSignal('')
  const reloads = useSignal(0)
  const { search, extensions = '', sort, offset, limit } = query
  useEffect(() => {
    const stop = new AbortController()
    const parts = new URLSearchParams({ sort, offset: String(offset), limit: String(limit) })
    if (extensions) parts.set('extensions', extensions)
    if (search.trim()) parts.set('search', search.trim())
    const load = async (): Promise<void> => {
      try {
        const answer = await call<GetFiles>(`api/v1/files?${parts}`, { signal: stop.signal })
        if (stop.signal.aborted) return
        if (answer.files.length === 0 && offset > 0) return onShorter(lastPage(answer.total, limit))
        items.value = answer.files
        total.value = answer.total
        failure.value = ''
      } catch (error) {
        if (!stop.signal.aborted) failure.value = sentenceOf(error)
      }
    }
    const later = setTimeout(load, search ? PAUSE_MS : 0)
    return () => {
      clearTimeout(later)
      stop.abort()
    }
  }, [search, extensions, sort, offset, limit, reloads.value])
  return {
    ...{ items, total, failure },
    reload: () => {
      reloads.value += 1
    },
  }
}
