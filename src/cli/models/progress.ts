import { readableSize } from '../../wording.ts'
import type { Io } from '../output/io.ts'
import { joined, timeLeft } from '../output/pace.ts'
import { progressBar } from '../output/progress.ts'

/** Shows the progress of downloads. */
export interface FetchProgress {
  show(done: number, total: number, name: string): void
  /** Prints a line above the bar. */
  say(line: string): void
  stop(): void
}

/** A bar with byte counts on a terminal; nothing elsewhere. */
export async function fetchProgress(io: Io, quiet: boolean): Promise<FetchProgress> {
  const say = (line: string): void => (quiet ? undefined : io.err(`mediaproc: ${line}\n`))
  if (!io.stderrIsTerminal || !io.movesCursor || quiet) return { show() {}, say, stop() {} }
  const bar = await progressBar(io)
  let started: number | undefined
  return {
    show(done, total, name) {
      if (total === 0) return
      if (started === undefined) bar.start(total, 0, { state: name })
      started ??= performance.now()
      const elapsed = performance.now() - started
      const rate = elapsed > 1000 ? `${readableSize(Math.round(done / (elapsed / 1000)))}/s` : ''
      const amount = `${readableSize(done)} of ${readableSize(total)}`
      bar.update(done, { state: joined(amount, rate, timeLeft(elapsed, done / total), name) })
    },
    say(line) {
      bar.stop()
      say(line)
      started = undefined
    },
    stop: () => bar.stop(),
  }
}
