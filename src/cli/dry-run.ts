import { existsSync } from 'node:fs'
import { type ExitCode, toMediaprocError } from '../errors.ts'
import type { JobOutcome, PlannedJob, PlannedOutput, PlannedRun } from '../local/planned-run.ts'
import { printableName } from '../media/file.ts'
import type { CommandOptions } from './input/effective-options.ts'
import type { Io } from './output/io.ts'
import { printOutcome } from './output/output-lines.ts'
import { exitCodeOf } from './output/record.ts'
import { RunTotals } from './output/run-totals.ts'

/** Maximum number of members listed for an up-to-date set. */
const MAX_NAMED = 3

/** The plan for a job, or its error. */
export async function previewOf(run: PlannedRun, job: PlannedJob): Promise<JobOutcome> {
  const about = { tool: run.name, input: job.given, ...(job.row && { row: job.row }), warnings: [], ms: 0 }
  try {
    const planned = await run.preview(job)
    return { ...about, ok: true, outputs: [], planned }
  } catch (error) {
    return { ...about, ok: false, error: toMediaprocError(error) }
  }
}

function pathsText(planned: readonly PlannedOutput[]): string {
  if (planned.length === 0) return 'a report'
  const named = planned
    .slice(0, planned.every(({ action }) => action === 'skip') ? MAX_NAMED : undefined)
    .map(({ path }) => `${printableName(path)}${path.endsWith('/') ? ' (named by the tool)' : ''}`)
  return [...named, ...(named.length < planned.length ? [`${planned.length - named.length} more`] : [])].join(', ')
}

/**
 * Notes for outputs that are not simply created: `(skipped: up to date)`, `(replaced: the setting width was 10 and is
 * 20)`.
 */
export function remarkOn(planned: readonly PlannedOutput[]): string {
  const remarks = planned.flatMap(({ action, reason }) => {
    if (action === 'skip') return ['skipped: up to date']
    const made = action === 'replace' ? 'replaced' : 'made again'
    if (reason !== undefined) return [`${made}: ${reason}`]
    return action === 'replace' ? [made] : []
  })
  return remarks.length === 0 ? '' : ` (${[...new Set(remarks)].join('; ')})`
}

/** `a.jpg -> a_resize.jpg`, with the names of all inputs. */
export function plannedText({ items, row }: PlannedJob, planned: readonly PlannedOutput[]): string {
  const origin = row ? `${row.label} ` : ''
  return `${origin}${items.map(({ given }) => `${printableName(given)} `).join('')}-> ${pathsText(planned)}`
}

/**
 * Prints the plan, with the exit code that the run would have, as far as a check of inputs and outputs shows:
 * `image/resize a.jpg -> a_resize.jpg {"width":100} (replaced)`, or records with --json.
 */
export async function dryRun(run: PlannedRun, options: CommandOptions, io: Io): Promise<ExitCode> {
  const settings = run.settings ? ` ${JSON.stringify(run.settings)}` : ''
  const totals = new RunTotals()
  for (const job of run.jobs) {
    const outcome = await previewOf(run, job)
    totals.add(outcome)
    if (options.json || !outcome.ok) printOutcome(io, outcome, options, run.jobs.length)
    else {
      const planned = outcome.planned!
      io.out(`${run.name} ${plannedText(job, planned)}${settings}${remarkOn(planned)}\n`)
    }
  }
  if (run.manifest !== undefined && !options.json)
    io.out(`${run.name} manifest -> ${printableName(run.manifest)}${existsSync(run.manifest) ? ' (replaced)' : ''}\n`)
  return exitCodeOf(totals, false)
}
