import { type CheckedFile, countFindings, type Finding } from '../../local/check/finding.ts'
import type { Rule } from '../../local/check/rule.ts'
import { shellQuote } from '../../shell-quote.ts'
import { findEntry } from '../../tool/registry.ts'
import { counted } from '../../wording.ts'
import { commandLine } from '../command-line.ts'

/** A finished check, for all reports. */
export interface CheckReport {
  files: readonly CheckedFile[]
  rules: readonly Rule[]
  /** The file of the rules, as given. */
  rulesFile?: string
  /** In whole milliseconds. */
  ms: number
}

/** The shell line that fixes a finding; undefined if there is none. */
export function fixLine({ file, fix }: Finding, { rulesFile }: Pick<CheckReport, 'rulesFile'>): string | undefined {
  if (!fix) return undefined
  if (fix.command) return fix.command.map(shellQuote).join(' ')
  const [step, ...others] = fix.steps
  if (!step) return undefined
  if (others.length > 0)
    return ['mediaproc', 'check', ...(rulesFile === undefined ? [] : [rulesFile]), '--fix', '--', file]
      .map(shellQuote)
      .join(' ')
  const { section, id, settings: table } = findEntry(step.tool)
  return commandLine({ tool: `${section} ${id}`, inputs: [file], settings: step.settings, table })
}

/** `3 files checked: 2 errors, 1 warning` */
export function summaryText({ files }: Pick<CheckReport, 'files'>): string {
  const { errors, warnings } = countFindings(files)
  const fixed = files.filter((file) => file.fixed).length
  const found = [
    errors > 0 && counted(errors, 'error'),
    warnings > 0 && counted(warnings, 'warning'),
    fixed > 0 && `${counted(fixed, 'file')} fixed`,
  ].filter(Boolean)
  const checked = `${counted(files.length, 'file')} checked`
  return found.length === 0 ? `${checked}: no findings` : `${checked}: ${found.join(', ')}`
}
