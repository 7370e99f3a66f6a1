import { type CheckedFile, countFindings, type Finding } from '../../local/check/finding.ts'
import { type CheckReport, fixLine } from './report.ts'

function findingData(finding: Finding, report: CheckReport): object {
  const { rule, severity, limit, message, actual, expected, error, fix } = finding
  const command = fixLine(finding, report)
  return {
    ...{ rule, severity, limit, message },
    ...(actual !== undefined && { actual }),
    ...(expected !== undefined && { expected }),
    ...(error !== undefined && { code: error }),
    ...(command !== undefined && { fix: command, automatic: fix?.isManual !== true }),
  }
}

const fileData = ({ file, bytes, rules, findings, fixed, fixError, ms }: CheckedFile, report: CheckReport): object => ({
  ...{ file, ok: !findings.some(({ severity }) => severity === 'error'), bytes, rules },
  findings: findings.map((finding) => findingData(finding, report)),
  ...(fixed && {
    fixed: {
      output: fixed.output,
      findings: fixed.findings.map(({ rule, limit, message }) => ({ rule, limit, message })),
      warnings: fixed.warnings,
    },
  }),
  ...(fixError !== undefined && { notFixed: fixError }),
  ms,
})

/** The report as one JSON document. */
export function jsonReport(report: CheckReport): string {
  const counts = countFindings(report.files)
  const data = {
    version: 1,
    ok: counts.errors === 0,
    checked: report.files.length,
    ...counts,
    ms: report.ms,
    files: report.files.map((file) => fileData(file, report)),
  }
  return `${JSON.stringify(data, null, 2)}\n`
}
