/** The runs of a tool page: a queue with two at a time, each with its own progress. */
import { signal } from '@preact/signals'
import { ApiError, sentenceOf } from '../api/call.ts'
import type { WorkFile } from '../files/work-files.ts'
import { STRINGS } from '../strings.ts'
import type { Answer } from './follow.ts'
import { type Progress, runJob } from './job.ts'
import type { Upload } from './upload.ts'

type RunState =
  | { name: 'waiting' }
  | { name: 'running'; progress: Progress; isStopping: boolean }
  | { name: 'done'; answer: Answer }
  | { name: 'failed'; reason: string }
  | { name: 'canceled' }

export interface Run {
  id: number
  title: string
  upload: Upload
  /** The file that it works on, if it is one. */
  source: WorkFile | undefined
  /** The page that shows it, if it is not that of the route. */
  page?: string
  state: RunState
}

/** The runs of the page that is shown. */
export const runs = signal<readonly Run[]>([])

/** Runs whose page was left. They continue, and are shown when the user returns to their tool. */
let hidden: readonly Run[] = []

/** Runs at a time. A browser has six connections to a server, and each run takes two. */
const AT_A_TIME = 2

let lastId = 0
const stops = new Map<number, AbortController>()

const stateOf = (id: number): RunState | undefined => [...runs.value, ...hidden].find((run) => run.id === id)?.state

function setState(id: number, state: RunState): void {
  const changed = (run: Run): Run => (run.id === id ? { ...run, state } : run)
  hidden = hidden.map(changed)
  runs.value = runs.value.map(changed)
  guardUploads()
}

async function work(run: Run): Promise<void> {
  const stop = new AbortController()
  stops.set(run.id, stop)
  const onProgress = (given: Progress): void => {
    const isStopping = stop.signal.aborted
    const progress = isStopping ? { ...given, stage: STRINGS.results.canceling } : given
    if (stops.get(run.id) === stop) setState(run.id, { name: 'running', progress, isStopping })
  }
  onProgress({ phase: 'uploading', percent: 0, stage: '' })
  try {
    setState(run.id, { name: 'done', answer: await runJob(run.upload, onProgress, stop.signal) })
  } catch (error) {
    const isCanceled = error instanceof ApiError ? error.code === 'CANCELED' : (error as Error).name === 'AbortError'
    setState(run.id, isCanceled ? { name: 'canceled' } : { name: 'failed', reason: sentenceOf(error) })
  } finally {
    stops.delete(run.id)
    next()
  }
}

function next(): void {
  const free = AT_A_TIME - stops.size
  const waiting = [...runs.value, ...hidden].filter(({ state }) => state.name === 'waiting')
  for (const run of waiting.slice(0, Math.max(0, free))) work(run)
}

/** Replaces the runs of the page by new ones, which begin at once. */
export function startRuns(list: readonly Omit<Run, 'id' | 'state'>[]): void {
  leaveRuns()
  runs.value = list.map((run) => ({ ...run, id: ++lastId, state: { name: 'waiting' } }))
  guardUploads()
  next()
}

export function cancelRun(id: number): void {
  const stop = stops.get(id)
  const state = stateOf(id)
  if (!stop || state?.name !== 'running') {
    setState(id, { name: 'canceled' })
    return
  }
  stop.abort()
  setState(id, { ...state, progress: { ...state.progress, stage: STRINGS.results.canceling }, isStopping: true })
}

export function cancelAll(): void {
  for (const run of runs.value) if (isActive(run)) cancelRun(run.id)
}

export function retryRun(id: number): void {
  setState(id, { name: 'waiting' })
  next()
}

const pageOf = ({ page, upload }: Run): string => page ?? upload.path

/** Shows the runs of a page that were left, and hides those of others. @param path the page, or the route of its tool */
export function showRuns(path: string): void {
  const all = [...hidden, ...runs.value]
  runs.value = all.filter((run) => pageOf(run) === path)
  hidden = all.filter((run) => pageOf(run) !== path)
}

/** Hides the runs of the page. What has not ended continues; jobs that the server has are also in the list of jobs. */
export function leaveRuns(): void {
  hidden = [...hidden, ...runs.value.filter(isActive)]
  if (runs.value.length > 0) runs.value = []
}

export const isActive = ({ state }: Run): boolean => state.name === 'waiting' || state.name === 'running'

/** Whether the end of the document would lose a run: the server does not have its files yet. */
const isLosable = ({ state }: Run): boolean =>
  state.name === 'waiting' || (state.name === 'running' && state.progress.phase === 'uploading')

const ask = (event: BeforeUnloadEvent): void => event.preventDefault()

/** The browser asks before it ends an upload. Without one there is no listener, which slows down "back". */
function guardUploads(): void {
  if ([...runs.value, ...hidden].some(isLosable)) addEventListener('beforeunload', ask)
  else removeEventListener('beforeunload', ask)
}
