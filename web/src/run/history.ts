/** The settings of own runs, by job: the list of jobs has none. Secrets are not kept. */
import { user } from '../api/session.ts'
import { store, stored } from '../app/storage.ts'

export interface KeptRun {
  /** The id that the browser gave to the job. */
  job: string
  /** `section/id` */
  tool: string
  settings: Readonly<Record<string, unknown>>
}

/** Runs that are kept for each user, the newest last. */
const MOST_RUNS = 200
/** Longer settings, such as a text of many pages, are not kept: characters of JSON. */
const MOST_CHARACTERS = 4000

const key = (): string => `mediaproc:runs:${user.value?.id ?? ''}`

const isKept = (value: unknown): value is KeptRun => {
  const { job, tool, settings } = (value ?? {}) as Partial<KeptRun>
  return typeof job === 'string' && typeof tool === 'string' && typeof settings === 'object' && settings !== null
}

function keptRuns(): KeptRun[] {
  try {
    const list: unknown = JSON.parse(stored(key()) ?? '[]')
    return Array.isArray(list) ? list.filter(isKept) : []
  } catch {
    return []
  }
}

/** Keeps the settings of a job. */
export function keepRun(run: KeptRun): void {
  if (JSON.stringify(run.settings).length > MOST_CHARACTERS) return
  store(key(), JSON.stringify([...keptRuns(), run].slice(-MOST_RUNS)))
}

/** The kept runs by their jobs. */
export const runsByJob = (): ReadonlyMap<string, KeptRun> => new Map(keptRuns().map((run) => [run.job, run]))
