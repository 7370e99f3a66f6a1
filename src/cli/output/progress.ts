import { basename } from 'node:path'
import type { SingleBar } from 'cli-progress'
import type { Ora } from 'ora'
import { firstOf } from '../../lists.ts'
import { printableName } from '../../media/file.ts'
import type { Io } from './io.ts'
import { joined, rateOf, timeLeft } from './pace.ts'

/** Progress display of a run. Nothing is shown if standard error is not a terminal. */
export interface Progress {
  /** Progress of a job, from 0 to 1. */
  update(job: number, fraction: number, phase: string): void
  done(job: number): void
  /** Prints lines above the progress display. */
  interrupt(write: () => void): void
  stop(): void
}

/**
 * Shows the progress of jobs with these names.
 * @param title the name of the run
 */
export type ShowProgress = (io: Io, names: readonly string[], quiet: boolean, title: string) => Promise<Progress>

const SILENT: Progress = { update() {}, done() {}, interrupt: (write) => write(), stop() {} }

/** Work that finishes sooner shows nothing. In milliseconds. */
const PATIENCE_MS = 300

/** A spinner for one job, once it takes longer than 300 ms. */
async function spinner(io: Io, title: string): Promise<Progress> {
  let shown: Ora | undefined
  let text = title
  const started = performance.now()
  let ended = false
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora')
    if (!ended) shown = ora({ text, stream: io.stderr as NodeJS.WriteStream, discardStdin: false }).start()
  }, PATIENCE_MS)
  const stop = (): void => {
    ended = true
    clearTimeout(timer)
    shown?.stop()
  }
  return {
    update(_job, fraction, phase) {
      const left = timeLeft(performance.now() - started, fraction)
      text = joined(`${title} ${phase}${fraction > 0 ? ` ${Math.round(fraction * 100)} %` : ''}`, left)
      if (shown) shown.text = text
    },
    done: stop,
    interrupt(write) {
      shown?.stop()
      write()
      if (!ended) shown?.start()
    },
    stop,
  }
}

/** Maximum length of names in a progress line. */
export const MAX_NAME_LENGTH = 28

/** A file's name for a progress line: without folders, truncated, and without terminal control characters. */
export function shownName(path: string): string {
  const name = printableName(basename(path))
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name
}

/** The progress bar of all commands; its states are texts named `state`. */
export async function progressBar(io: Io): Promise<SingleBar> {
  const { SingleBar } = await import('cli-progress')
  return new SingleBar({
    format: '{bar} {percentage} % | {state}',
    barCompleteChar: '=',
    barIncompleteChar: '-',
    barsize: 30,
    stream: io.stderr as NodeJS.WriteStream,
    clearOnComplete: true,
  })
}

/** One bar for all jobs of a batch: count, speed, remaining time, and the file with the latest progress. */
async function bar(io: Io, names: readonly string[]): Promise<Progress> {
  const shown = await progressBar(io)
  const jobs = names.length
  const started = performance.now()
  /** Of the jobs in progress: a sum over all files for each update would slow down large batches. */
  const fractions = new Map<number, number>()
  let done = 0
  let current = ''
  const total = (): number => [...fractions.values()].reduce((sum, fraction) => sum + fraction, done)
  const payload = (): object => {
    const elapsed = performance.now() - started
    return { state: joined(`${done}/${jobs}`, rateOf(elapsed, done), timeLeft(elapsed, total() / jobs), current) }
  }
  shown.start(jobs, 0, payload())
  return {
    update(job, fraction) {
      // A job counts as done only when its outputs are in place.
      fractions.set(job, Math.min(0.999, fraction))
      current = shownName(names[job] ?? '')
      shown.update(total(), payload())
    },
    done(job) {
      fractions.delete(job)
      done += 1
      shown.update(total(), payload())
    },
    interrupt(write) {
      shown.stop()
      write()
      shown.start(jobs, total(), payload())
    },
    stop: () => shown.stop(),
  }
}

/**
 * The appropriate progress display: none without a terminal or with `quiet`, a spinner for one job, a bar for several.
 */
export const showProgress: ShowProgress = async (io, names, quiet, title) => {
  if (!io.stderrIsTerminal || !io.movesCursor || quiet || names.length === 0) return SILENT
  return names.length === 1 ? spinner(io, joined(title, shownName(firstOf(names)))) : bar(io, names)
}
