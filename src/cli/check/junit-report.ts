import type { CheckedFile, Finding } from '../../local/check/finding.ts'
import { READABLE } from '../../local/check/rule.ts'
import { markupText } from '../output/escape.ts'
import { type CheckReport, fixLine } from './report.ts'

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

/** One test case per file and rule: errors are failures, and warnings are output of a case that passed. */
function testCase({ file, ms, rules }: CheckedFile, rule: string, found: readonly Finding[], report: CheckReport) {
  const textOf = (finding: Finding): string => {
    const command = fixLine(finding, report)
    return command === undefined ? finding.message : `${finding.message}\nfix: ${command}`
  }
  const lines = (text: string): string => text.split('\n').map(markupText).join('\n')
  const failures = found
    .filter(({ severity }) => severity === 'error')
    .map(
      (finding) =>
        `      <failure type="${markupText(finding.limit)}" message="${markupText(finding.message)}">${lines(textOf(finding))}</failure>\n`,
    )
  const warnings = found.filter(({ severity }) => severity === 'warning').map((finding) => lines(textOf(finding)))
  const output = warnings.length > 0 ? `      <system-out>${warnings.join('\n')}</system-out>\n` : ''
  const content = failures.join('') + output
  const time = seconds(ms / Math.max(1, rules.length + 1))
  const start = `    <testcase name="${markupText(file)}" classname="${markupText(rule)}" time="${time}"`
  return {
    markup: content === '' ? `${start}/>\n` : `${start}>\n${content}    </testcase>\n`,
    failures: failures.length,
  }
}

/** The report as JUnit XML: one suite, and one test case per file and rule. */
export function junitReport(report: CheckReport): string {
  const cases = report.files.flatMap((file) =>
    [READABLE, ...file.rules].map((rule) =>
      testCase(
        file,
        rule,
        file.findings.filter((finding) => finding.rule === rule),
        report,
      ),
    ),
  )
  const failures = cases.filter((one) => one.failures > 0).length
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" time="${seconds(report.ms)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="mediaproc check" ${counts}>\n`,
    `  <testsuite name="mediaproc check" ${counts} skipped="0">\n`,
    ...cases.map(({ markup }) => markup),
    '  </testsuite>\n</testsuites>\n',
  ].join('')
}
