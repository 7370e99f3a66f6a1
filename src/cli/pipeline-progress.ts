import { basename } from 'node:path'
import { printableName } from '../media/file.ts'
import { type ShowProgress, showProgress } from './progress.ts'

/** Names longer than this are cut in a line of progress. */
const MAX_NAME_LENGTH = 28

const cut = (name: string): string => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name)

/** A line for each file that is worked on, with its step, and one for all. A single file gets the spinner of every tool. */
export const showFileProgress: ShowProgress = async (io, names, quiet, title) => {
  const jobs = names.length
  if (jobs < 2 || !io.stderrIsTerminal || !io.movesCursor || quiet) return showProgress(io, names, quiet, title)
  const { MultiBar } = await import('cli-progress')
  const states = new Map<number, { fraction: number; phase: string }>()
  const finished = new Set<number>()
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
    const known = bars.get(key) ?? shown.create(1, 0, { name: cut(name).padEnd(MAX_NAME_LENGTH), phase: '' })
    bars.set(key, known)
    return known
  }
  const draw = (job?: number): void => {
    if (job !== undefined) {
      const { fraction, phase } = states.get(job)!
      line(job, printableName(basename(names[job]!))).update(Math.min(0.999, fraction), { phase })
    }
    const sum = [...states.values()].reduce((all, { fraction }) => all + fraction, 0) + finished.size
    line('total', 'all files').update(sum / jobs, { phase: `${finished.size}/${jobs}` })
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
