import type { ErrorCode } from '../../errors.ts'
import type { FactValue } from './facts.ts'
import type { LimitName, SET_LIMITS } from './limits.ts'
import type { LimitValue, Severity } from './rule.ts'

/** A step that fixes a finding. */
export interface FixStep {
  /** `image/resize`. */
  tool: string
  settings: Readonly<Record<string, unknown>>
}

/** The command that fixes a finding. */
export interface Fix {
  steps: readonly FixStep[]
  /** It removes content, or needs a decision or a password: --fix does not run it. */
  isManual?: true
  /** A shell command that is no tool, as words. */
  command?: readonly string[]
}

/** A file that does not meet a rule. */
export interface Finding {
  /** As named by the user, or as listed. */
  file: string
  rule: string
  severity: Severity
  /** The limit that is not met; `readable` for files that cannot be read. */
  limit: LimitName | keyof typeof SET_LIMITS | 'readable'
  /** A sentence without the name of the file: `width is 2400 px, at most 2000 px`. */
  message: string
  /** The measured value. */
  actual?: FactValue
  expected?: LimitValue
  fix?: Fix
  /** The error, if the file could not be read or measured. */
  error?: ErrorCode
}

/** The result for one file. */
export interface CheckedFile {
  file: string
  /** Absolute. */
  path: string
  /** 0 if it cannot be read. */
  bytes: number
  /** Names of the rules that are about it, in order. */
  rules: readonly string[]
  findings: Finding[]
  /** With --fix: what a new file fixes; `findings` are then those of the new file. */
  fixed?: { output: string; findings: readonly Finding[]; warnings: readonly string[] }
  /** With --fix: why the fixes could not be applied. */
  fixError?: string
  /** In whole milliseconds. */
  ms: number
}

/** The number of findings by severity. */
export function countFindings(files: readonly CheckedFile[]): { errors: number; warnings: number } {
  const all = files.flatMap(({ findings }) => findings)
  const errors = all.filter(({ severity }) => severity === 'error').length
  return { errors, warnings: all.length - errors }
}
