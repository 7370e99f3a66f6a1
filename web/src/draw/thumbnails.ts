/** Thumbnails of the pages that are in view, loaded in batches. */
import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../api/call.ts'
import { pause } from '../run/follow.ts'
import { drawPages, type PdfFile } from './pdf.ts'

/** Pages of a request, which sends the document again. */
const BATCH = 12
/** Width of a thumbnail, px: sharp at twice the resolution of a usual screen. */
const WIDTH = 240

/** Pictures of pages by their number. @param list has an item with `data-page` for each page */
export function useThumbnails(
  file: File,
  pdf: PdfFile,
  list: RefObject<HTMLElement | null>,
): ReadonlyMap<number, string> {
  const known = useSignal<ReadonlyMap<number, string>>(new Map())
  useEffect(() => {
    known.value = new Map()
    const stop = new AbortController()
    const asked = new Set<number>()
    const waiting: number[] = []
    let isBusy = false
    const work = async (): Promise<void> => {
      if (isBusy) return
      isBusy = true
      // What came into view last is what the user looks at.
      for (let next = waiting.pop(); next !== undefined && !stop.signal.aborted; next = waiting.pop()) {
        const first = next * BATCH + 1
        const last = Math.min(first + BATCH - 1, pdf.pages.length)
        try {
          const drawn = await drawPages(file, `${first}-${last}`, WIDTH, stop.signal)
          known.value = new Map([...known.value, ...drawn])
        } catch (error) {
          // The number is enough to select a page; the next scroll tries again.
          asked.delete(next)
          if (!(error instanceof ApiError) || error.status !== 429) continue
          waiting.push(next)
          await pause(Number(error.fields.retryAfter) || 5, stop.signal)
        }
      }
      isBusy = false
    }
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting || !(target instanceof HTMLElement)) continue
          const batch = Math.floor((Number(target.dataset.page) - 1) / BATCH)
          if (asked.has(batch)) continue
          asked.add(batch)
          waiting.push(batch)
        }
        work().catch(() => undefined)
      },
      { root: list.current, rootMargin: '200px' },
    )
    for (const item of list.current?.children ?? []) observer.observe(item)
    return () => {
      stop.abort()
      observer.disconnect()
    }
  }, [file])
  return known.value
}
