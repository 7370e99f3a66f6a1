import { markdownCell, markdownCode } from '../output/escape.ts'
import { type CheckReport, fixLine, summaryText } from './report.ts'

/** Summaries of GitHub Actions have at most 1 MiB. */
const MAX_ROWS = 500

/** The findings as Markdown, for the summary of a CI run. */
export function markdownReport(report: CheckReport): string {
  const findings = report.files.flatMap(({ findings }) => findings)
  const heading = `### mediaproc check\n\n${markdownCell(summaryText(report))}\n`
  if (findings.length === 0) return heading
  const rows = findings.slice(0, MAX_ROWS).map((finding) => {
    const { file, rule, severity, message } = finding
    const command = fixLine(finding, report)
    const cells = [severity, markdownCode(file), markdownCell(message), markdownCell(rule)]
    return `| ${[...cells, command === undefined ? '' : markdownCode(command)].join(' | ')} |\n`
  })
  const more = findings.length > MAX_ROWS ? `\nand ${findings.length - MAX_ROWS} more\n` : ''
  return `${heading}\n| | File | Finding | Rule | Fix |\n| --- | --- | --- | --- | --- |\n${rows.join('')}${more}`
}
