import { required } from '../../lists.ts'
import { joined, rateOf, timeLeft } from './pace.ts'
import { MAX_NAME_LENGTH, type ShowProgress, shownName, showProgress } from './progress.ts'

/**
 * A line for each file in progress, with its step, and one for the total. A single file gets the spinner of every tool.
 */
export const showFileProgress: ShowProgress = async (io, names, quiet, title) => {
  const jobs = names.length
  if (jobs < 2 || !io.stderrIsTerminal || !io.movesCursor || quiet) return showProgress(io, names, quiet, title)
  const { MultiBar } = await import('cli-progress')
  const states = new Map<number, { fraction: number; phase: string }>()
  const finished = new Set<number>()
  const started = performance.now()
  const make = () =>
    new MultiBar({
      format: '{name} {bar} {percentage} % | {phase}',
      barCompleteChar: '=',
      barIncompleteChar: '-',
      barsize: 20,
      stream: io.stderr as NodeJS.WriteStream,
      clearOnComplete: true,
      noTTYOutput: false,
      linewrap: false,
    })
  let shown = make()
  let bars = new Map<number | 'total', ReturnType<typeof shown.create>>()
  const line = (key: number | 'total', name: string): NonNullable<ReturnType<typeof shown.create>> => {
    const known = bars.get(key) ?? shown.create(1, 0, { name: name.padEnd(MAX_NAME_LENGTH), phase: '' })
    bars.set(key, known)
    return known
  }
  const draw = (job?: number): void => {
    if (job !== undefined) {
      const { fraction, phase } = required(states, job)
      line(job, shownName(names[job]!)).update(Math.min(0.999, fraction), { phase })
    }
    const sum = [...states.values()].reduce((all, { fraction }) => all + fraction, 0) + finished.size
    const elapsed = performance.now() - started
    const phase = joined(`${finished.size}/${jobs}`, rateOf(elapsed, finished.size), timeLeft(elapsed, sum / jobs))
    line('total', 'all files').update(sum / jobs, { phase })
  }
  const end = (): void => {
    shown.stop()
    bars = new Map()
  }
  draw()
  return {
    update(job, fraction, phase) {
      states.set(job, { fraction, phase })
      draw(job)
    },
    done(job) {
      finished.add(job)
      states.delete(job)
      const own = bars.get(job)
      if (own) shown.remove(own)
      bars.delete(job)
      draw()
    },
    interrupt(write) {
      end()
      write()
      if (finished.size === jobs) return
      shown = make()
      draw()
      for (const job of states.keys()) draw(job)
    },
    stop: end,
  }
}
