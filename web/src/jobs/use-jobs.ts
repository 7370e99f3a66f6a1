import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call, sentenceOf } from '../api/call.ts'
import type { GetJobs, Job } from '../api/types.ts'
import { lastPage } from '../app/pager.tsx'

/** Jobs on a page of the list. */
export const PAGE = 20

/** Running jobs are asked again after this time, in milliseconds. */
const AGAIN_MS = 3000

export const isRunning = ({ status }: Pick<Job, 'status'>): boolean => status === 'queued' || status === 'processing'

interface JobList {
  /** undefined until the first answer */
  jobs: Signal<readonly Job[] | undefined>
  total: Signal<number>
  /** Why the last request failed; '' if it did not. */
  failure: Signal<string>
  reload(): void
}

/**
 * A page of the list of jobs, asked again while some of them run. The answer to a former question is ignored.
 * @param onShorter the page does not exist any more: the beginning of the last one
 */
export function useJobs(offset: number, status: string, onShorter: (offset: number) => void): JobList {
  const jobs = useSignal<readonly Job[] | undefined>(undefined)
  const total = useSignal(0)
  const failure = useSignal('')
  const reloads = useSignal(0)
  useEffect(() => {
    const stop = new AbortController()
    const query = new URLSearchParams({ limit: String(PAGE), offset: String(offset) })
    if (status) query.set('status', status)
    let later: ReturnType<typeof setTimeout> | undefined
    const load = async (): Promise<void> => {
      try {
        const answer = await call<GetJobs>(`api/v1/jobs?${query}`, { signal: stop.signal })
        if (stop.signal.aborted) return
        if (answer.jobs.length === 0 && offset > 0) return onShorter(lastPage(answer.total, PAGE))
        jobs.value = answer.jobs
        total.value = answer.total
        failure.value = ''
      } catch (error) {
        if (stop.signal.aborted) return
        failure.value = sentenceOf(error)
      }
      if (jobs.value?.some(isRunning)) later = setTimeout(load, AGAIN_MS)
    }
    load()
    return () => {
      stop.abort()
      clearTimeout(later)
    }
  }, [offset, status, reloads.value])
  return {
    ...{ jobs, total, failure },
    reload: () => {
      reloads.value += 1
    },
  }
}
