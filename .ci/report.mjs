/**
 * Sums up the JSON reports of vitest: every test that did not pass with its reason, every test that passed only when it was
 * repeated, and as the last line 'N passed, N failed, N skipped'.
 * Usage: report.mjs STATUS FAILED_NODES REPORT…
 */
import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/** The output of CI is cut at its start, so reasons are short. */
const REASON_LINES = 12

const [status, otherNodes, ...paths] = process.argv.slice(2)
const reports = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')))
const sum = (name) => reports.reduce((total, report) => total + report[name], 0)
const [passed, failed, skipped, todo] = ['numPassedTests', 'numFailedTests', 'numPendingTests', 'numTodoTests'].map(sum)
const success = reports.every((report) => report.success)

const reasonOf = (messages = []) =>
  stripVTControlCharacters(messages.join('\n'))
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .slice(0, REASON_LINES)
    .join('\n    ')

for (const file of reports.flatMap(({ testResults }) => testResults)) {
  if (file.status !== 'passed' && file.assertionResults.length === 0)
    console.log(`not loaded: ${file.name}\n    ${reasonOf([file.message])}`)
  for (const test of file.assertionResults) {
    const isRepeated = test.status === 'passed' && test.failureMessages?.length > 0
    if (test.status !== 'passed' || isRepeated)
      console.log(
        `${isRepeated ? 'passed when repeated' : test.status}: ${file.name} ${test.fullName}\n    ${reasonOf(test.failureMessages)}`,
      )
  }
}
const left = skipped + todo
// A file that cannot be loaded fails without counting a test; each Node that failed counts as one.
const broken = (!success && failed === 0 ? 1 : 0) + Number(otherNodes)
console.log(`${passed} passed, ${failed + broken} failed, ${left} skipped`)
process.exitCode = Number(status) !== 0 || failed + broken + left > 0 || passed === 0 ? 1 : 0
