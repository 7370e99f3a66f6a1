/**
 * Prints the test files of a JSON report of vitest that failed, or whose process ended before all their tests had run, one per
 * line; nothing if there are more than MOST: then it is no accident of a loaded machine.
 * Usage: failed-files.mjs REPORT MOST
 */
import { existsSync, readFileSync, statSync } from 'node:fs'

const [report, most] = process.argv.slice(2)
const isWritten = existsSync(report) && statSync(report).size > 0
const { testResults } = isWritten ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] }
const isUnfinished = ({ assertionResults: tests }) =>
  tests.length === 0 || tests.some(({ status }) => status === 'pending')
const failed = new Set(
  testResults.filter((file) => file.status !== 'passed' || isUnfinished(file)).map(({ name }) => name),
)
if (failed.size <= Number(most)) for (const name of failed) console.log(name)
