import { textOf } from './failure.ts'
import { pause } from './pause.ts'

/** An event of a job, as the API sends it. */
export type RawEvent = Readonly<Record<string, unknown>>

/** Streams without any event one after the other, after which the job counts as lost. */
const MAX_LOST = 8
/** Delay before a lost stream is opened again, in milliseconds; longer each time. */
const PAUSE_MS = 1000
/** Attempts to cancel a job whose request is on its way, and the delay between them in milliseconds. */
const CANCEL = { attempts: 10, pauseMs: 200 }

/** Progress from 0 to 1, with a short description of the current step. */
export type OnProgress = (fraction: number, stage: string) => void

/** Notifies about the progress of an event, if it has any: that of a job, or of a batch by its files. */
export function reportProgress(event: RawEvent, onProgress: OnProgress | undefined): void {
  const { percent, stage, completedFiles, totalFiles, currentFile } = event
  if (typeof percent === 'number') onProgress?.(percent / 100, textOf(stage))
  else if (typeof completedFiles === 'number' && typeof totalFiles === 'number' && totalFiles > 0)
    onProgress?.(completedFiles / totalFiles, textOf(currentFile))
}

const isComplete = ({ phase, status }: RawEvent): boolean => phase === 'complete' || status === 'completed'
const isLast = (event: RawEvent): boolean => isComplete(event) || event.phase === 'failed' || event.status === 'failed'

/** The result in the last event of a job; undefined if the job failed. */
export const resultIn = (event: RawEvent): Record<string, unknown> | undefined =>
  isComplete(event) ? ((event.result ?? {}) as Record<string, unknown>) : undefined

export interface Following {
  /** Opens the stream of events of the job. */
  open: () => AsyncIterable<RawEvent>
  /** Whether an error is a lost connection: the stream is opened again. */
  isLost: (error: unknown) => boolean
  signal?: AbortSignal | undefined
  onProgress?: OnProgress | undefined
}

/**
 * Follows a job to its last event, however long it takes. A lost connection is opened again.
 * @returns undefined if the server does not answer any more
 * @throws an error of the stream; the reason of the signal
 */
export async function followJob({ open, isLost, signal, onProgress }: Following): Promise<RawEvent | undefined> {
  for (let lost = 0; lost < MAX_LOST; lost += 1) {
    if (lost > 0) await pause(PAUSE_MS * lost, signal)
    try {
      for await (const event of open()) {
        lost = 0
        if (isLast(event)) return event
        reportProgress(event, onProgress)
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (!isLost(error)) throw error
    }
    signal?.throwIfAborted()
  }
  return undefined
}

/** Shows the progress of a job while its request waits; only the request decides how the job ends. */
export async function showProgress(
  open: Following['open'],
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const event of open()) {
      if (signal.aborted) return
      reportProgress(event, onProgress)
    }
  } catch {
    // The stream is lost, or the job has ended.
  }
}

/**
 * Stops a job whose request may not have arrived. Nothing is thrown.
 * @param cancel false if the server does not know the job
 */
export async function cancelSoon(cancel: () => Promise<boolean>): Promise<void> {
  try {
    for (let attempt = 0; attempt < CANCEL.attempts && !(await cancel()); attempt += 1) await pause(CANCEL.pauseMs)
  } catch {
    // The job has ended, or the server is away: nothing is left to stop.
  }
}
