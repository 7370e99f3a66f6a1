import { mapConcurrently } from '../../concurrency.ts'
import { writeText } from '../../local/write-text.ts'
import type { CommandOptions } from '../input/effective-options.ts'
import { addStepSummary } from '../step-summary.ts'
import type { Pictures } from './html-report.ts'
import type { RunFacts } from './run-facts.ts'

/** Inputs with thumbnails: a page with more would be too large to open. */
const MAX_PICTURED = 200

/** Outputs of one input with thumbnails. */
const MAX_OUTPUTS = 4

/** Maximum number of thumbnails that are made at the same time. */
const AT_ONCE = 2

async function picturesOf({ run, outcomes }: RunFacts, signal: AbortSignal): Promise<Pictures[]> {
  const { thumbnailOf } = await import('./thumbnail.ts')
  return mapConcurrently(outcomes.slice(0, MAX_PICTURED), AT_ONCE, async (outcome, index) => {
    const after = new Map<string, string>()
    if (!outcome.ok || outcome.outputs.length === 0) return { after }
    const input = run.jobs[index]?.items[0]
    const before = input?.path === undefined ? undefined : await thumbnailOf(input.path, signal)
    for (const { path } of outcome.outputs.slice(0, MAX_OUTPUTS)) {
      const url = path === '-' ? undefined : await thumbnailOf(path, signal)
      if (url !== undefined) after.set(path, url)
    }
    return { before, after }
  })
}

/** Writes the reports that the options name: an HTML page, and the summary of a step of GitHub Actions. */
export async function writeReports(
  facts: RunFacts,
  { report, summary }: Pick<CommandOptions, 'report' | 'summary'>,
  signal: AbortSignal,
): Promise<void> {
  if (summary) addStepSummary((await import('./markdown-summary.ts')).runMarkdown(facts))
  if (report === undefined) return
  const { htmlReport } = await import('./html-report.ts')
  const outputs = facts.outcomes.flatMap((outcome) => (outcome.ok ? outcome.outputs.map(({ path }) => path) : []))
  const inputs = facts.run.jobs.flatMap(({ items }) => items.flatMap(({ path }) => path ?? []))
  await writeText(report, htmlReport(facts, await picturesOf(facts, signal), new Date()), [...inputs, ...outputs])
}
