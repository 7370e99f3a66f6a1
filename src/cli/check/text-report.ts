import type { Finding } from '../../local/check/finding.ts'
import { printableName } from '../../media/file.ts'
import type { Io } from '../output/io.ts'
import { type CheckReport, fixLine } from './report.ts'

type Colours = Io['outColours']

/** Words before a finding, as wide as the longest. */
const WIDTH = 'warning'.length

function label(colours: Colours, word: 'error' | 'warning' | 'fixed' | 'ok'): string {
  const text = word.padEnd(WIDTH)
  return word === 'error' ? colours.red(text) : word === 'warning' ? colours.yellow(text) : colours.green(text)
}

/** A line of a log that starts with `::` or `##[` is a command of CI systems. */
const shownName = (file: string): string => printableName(/^\s*(::|##)/.test(file) ? `./${file}` : file)

/** The findings for people, grouped by file. File names and values are printable. */
export function textReport(report: CheckReport, colours: Colours, verbose: boolean): string {
  const blocks: string[] = []
  const line = (word: 'error' | 'warning' | 'fixed', { rule, message }: Finding): string =>
    `  ${label(colours, word)}  ${printableName(message)}  ${colours.dim(printableName(rule))}`
  for (const { file, findings, fixed, fixError } of report.files) {
    if (findings.length === 0 && !fixed && !verbose) continue
    const arrow = fixed ? ` → ${printableName(fixed.output)}` : ''
    const lines = [`${colours.bold(shownName(file))}${arrow}`]
    for (const finding of fixed?.findings ?? []) lines.push(line('fixed', finding))
    for (const finding of findings) {
      lines.push(line(finding.severity, finding))
      const command = fixLine(finding, report)
      if (command !== undefined) lines.push(`           ${colours.dim('fix:')} ${command}`)
    }
    for (const warning of fixed?.warnings ?? [])
      lines.push(`  ${label(colours, 'warning')}  ${printableName(warning)}  ${colours.dim('fix')}`)
    if (fixError !== undefined)
      lines.push(`  ${label(colours, 'error')}  not fixed: ${printableName(fixError)}  ${colours.dim('fix')}`)
    if (lines.length === 1) lines.push(`  ${label(colours, 'ok')}`)
    blocks.push(`${lines.join('\n')}\n`)
  }
  return blocks.join('\n')
}
