import { markdownCell, markdownCode } from '../output/escape.ts'
import { summaryLine, totalsLine } from '../output/output-lines.ts'
import { shortTime } from '../output/pace.ts'
import { totalsOf } from '../output/run-totals.ts'
import { changeText, inputText, outputBytes, outputNames, type RunFacts, sizeText } from './run-facts.ts'

/** Summaries of GitHub Actions have at most 1 MiB. */
const MAX_ROWS = 500

const NOTES = 3

/** A run as Markdown, for the summary of a CI run. */
export function runMarkdown({ run, outcomes, ms }: RunFacts): string {
  const totals = totalsOf(outcomes)
  const sizes = totalsLine(totals)
  const lines = [summaryLine(totals, run.jobs.length), ...(sizes === undefined ? [] : [sizes]), shortTime(ms)]
  const rows = outcomes.slice(0, MAX_ROWS).map((outcome, index) => {
    const notes = outcome.ok ? outcome.warnings : [outcome.error.message, ...outcome.warnings]
    const cells = [
      outcome.ok ? (outcome.skipped ? 'skipped' : 'done') : '**failed**',
      markdownCode(inputText(run.jobs[index])),
      outputNames(outcome).slice(0, NOTES).map(markdownCode).join('<br>'),
      outcome.ok ? markdownCell(sizeText(outcome.inputBytes)) : '',
      markdownCell(sizeText(outputBytes(outcome))),
      markdownCell(changeText(outcome)),
      notes.slice(0, NOTES).map(markdownCell).join('<br>'),
    ]
    return `| ${cells.join(' | ')} |\n`
  })
  const more = outcomes.length > MAX_ROWS ? `\nand ${outcomes.length - MAX_ROWS} more\n` : ''
  const heading =
    '| | Input | Outputs | Before | After | Change | Notes |\n| --- | --- | --- | ---: | ---: | ---: | --- |\n'
  return `### mediaproc ${markdownCell(run.name)}\n\n${lines.map(markdownCell).join(' · ')}\n\n${heading}${rows.join('')}${more}`
}
