import { appendFileSync } from 'node:fs'
import { environmentText } from '../environment.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'

/** Whether this run is a step of GitHub Actions, which shows Markdown summaries. */
export const hasStepSummary = (): boolean => environmentText('GITHUB_STEP_SUMMARY') !== ''

/** Rejects --summary where no file takes it. @throws MediaprocError USAGE */
export function requireStepSummary(): void {
  if (hasStepSummary()) return
  throw new MediaprocError('USAGE', '--summary needs a file, and GITHUB_STEP_SUMMARY names none', {
    hint: 'GitHub Actions sets it. Elsewhere: GITHUB_STEP_SUMMARY=summary.md mediaproc …',
  })
}

/** Appends Markdown to the summary of this step. @throws MediaprocError if the file cannot be written */
export function addStepSummary(markdown: string): void {
  try {
    appendFileSync(environmentText('GITHUB_STEP_SUMMARY'), `${markdown}\n`)
  } catch (error) {
    throw new MediaprocError(toMediaprocError(error).code, 'The file of GITHUB_STEP_SUMMARY cannot be written', {
      cause: error,
    })
  }
}
