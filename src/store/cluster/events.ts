import { isJobRecord, isOver, type JobRecord } from '../job-record.ts'

/** How far a job is. */
export type Progress = Pick<JobRecord, 'attempts' | 'status' | 'percent' | 'stage'>

/** Longer records of ended jobs are read from the database: Redis keeps what it sends in memory, once for each receiver. */
const MOST_RECORD = 16_384

/** What processes say to each other about a job. */
export interface Event {
  /** The process that sent it. */
  from: string
  progress?: Progress
  /** The record of a job that has ended: without its settings, which may contain passwords. */
  ended?: JobRecord
}

/** The message about the state of a job, after the database has it. */
export function eventOf(record: JobRecord, from: string): string {
  const { attempts, status, percent, stage } = record
  const ended = isOver(record) ? JSON.stringify(record) : ''
  return ended !== '' && ended.length <= MOST_RECORD
    ? `{"from":${JSON.stringify(from)},"ended":${ended}}`
    : JSON.stringify({ from, progress: { attempts, status, percent, stage } } satisfies Event)
}

/** The event of a message; what is none of ours says only that there may be something new. */
export function readEvent(text: string): Event {
  try {
    const { from, progress, ended } = JSON.parse(text) as Partial<Event>
    if (ended && isJobRecord(ended, ended.id) && isOver(ended)) return { from: String(from), ended }
    const { attempts, status, percent, stage } = progress ?? {}
    const isProgress =
      (status === 'queued' || status === 'processing') &&
      [attempts, percent].every(Number.isFinite) &&
      (stage === null || typeof stage === 'string')
    return { from: String(from), ...(isProgress && progress && { progress }) }
  } catch {
    return { from: '' }
  }
}
