/**
 * Sums up the JSON reports of vitest: every test that did not pass with its reason, every test that passed only when its file
 * was run again, and as the last line 'N passed, N failed, N skipped'. The run of REPORT's failed files once more, if there
 * was one, has its report in REPORT.again.
 * Usage: report.mjs STATUS FAILED_NODES REPORT…
 */
import { existsSync, readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/** The output of CI is cut at its start, so reasons are short. */
const REASON_LINES = 12
const NOT_RUN = 'The process of its file ended before it ran'

const [status, otherNodes, ...paths] = process.argv.slice(2)
const filesOf = (path) => JSON.parse(readFileSync(path, 'utf8')).testResults

/** The files of a report; those that ran again with the results of then, and the reasons of before. */
function merged(path) {
  const again = new Map((existsSync(`${path}.again`) ? filesOf(`${path}.again`) : []).map((file) => [file.name, file]))
  return filesOf(path).map((first) => {
    const second = again.get(first.name)
    if (second === undefined) return first
    const failed = new Map(
      first.assertionResults
        .filter((test) => test.status === 'failed' || test.status === 'pending')
        .map((test) => [test.fullName, test.failureMessages.length > 0 ? test.failureMessages : [NOT_RUN]]),
    )
    const assertionResults = second.assertionResults.map((test) =>
      test.status === 'passed' && failed.has(test.fullName)
        ? { ...test, failureMessages: failed.get(test.fullName) }
        : test,
    )
    return { ...second, assertionResults }
  })
}

const reasonOf = (messages = []) =>
  stripVTControlCharacters(messages.join('\n'))
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
    .slice(0, REASON_LINES)
    .join('\n    ')

const count = { passed: 0, failed: 0, left: 0 }
for (const file of paths.flatMap(merged)) {
  if (file.status !== 'passed' && file.assertionResults.every((test) => test.status !== 'failed')) {
    // A file that cannot be loaded fails without a test.
    count.failed += 1
    console.log(`not loaded: ${file.name}\n    ${reasonOf([file.message])}`)
  }
  for (const test of file.assertionResults) {
    count[test.status === 'passed' || test.status === 'failed' ? test.status : 'left'] += 1
    const isRepeated = test.status === 'passed' && test.failureMessages?.length > 0
    if (test.status !== 'passed' || isRepeated)
      console.log(
        `${isRepeated ? 'passed when repeated' : test.status}: ${file.name} ${test.fullName}\n    ${reasonOf(test.failureMessages)}`,
      )
  }
}
// Each Node that failed counts as one.
const failed = count.failed + Number(otherNodes)
console.log(`${count.passed} passed, ${failed} failed, ${count.left} skipped`)
process.exitCode = Number(status) !== 0 || failed + count.left > 0 || count.passed === 0 ? 1 : 0
