import { createHash } from 'node:crypto'
import type { Finding } from '../../local/check/finding.ts'
import { READABLE } from '../../local/check/rule.ts'
import { absoluteUri, pathInside, relativeUri } from './artifact-path.ts'
import { type CheckReport, fixLine } from './report.ts'

/** SARIF interprets brackets in messages as links (3.11.6). */
const plainMessage = (text: string): string => text.replace(/[\\[\]]/g, '\\$&')

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'

/** The report as SARIF 2.1.0, for code scanning. Locations are relative to `root`, an absolute folder. */
export function sarifReport(report: CheckReport, root: string, version: string): string {
  const names = [...new Set(report.files.flatMap(({ findings }) => findings.map(({ rule }) => rule)))]
  const described = new Map(report.rules.map((rule) => [rule.name, rule]))
  const rules = names.map((id) => ({
    id,
    shortDescription: {
      text:
        id === READABLE ? 'Files can be read and are complete' : plainMessage(limitsText(described.get(id)?.limits)),
    },
    defaultConfiguration: { level: described.get(id)?.severity ?? 'error' },
  }))
  const locationOf = (file: string): object => {
    const inside = pathInside(root, file)
    return inside === undefined ? { uri: absoluteUri(file) } : { uri: relativeUri(inside), uriBaseId: '%SRCROOT%' }
  }
  const result = (finding: Finding): object => {
    const { file, rule, severity, limit, message, actual, expected } = finding
    const command = fixLine(finding, report)
    const text = command === undefined ? message : `${message}. Fix: ${command}`
    return {
      ruleId: rule,
      ruleIndex: names.indexOf(rule),
      level: severity,
      message: { text: plainMessage(text) },
      // Code scanning shows only results with a line, and media have none.
      locations: [{ physicalLocation: { artifactLocation: locationOf(file), region: { startLine: 1 } } }],
      partialFingerprints: {
        'mediaprocCheck/v1': createHash('sha256').update([file, rule, limit].join('\0')).digest('hex'),
      },
      properties: {
        limit,
        ...(actual !== undefined && { actual }),
        ...(expected !== undefined && { expected }),
        ...(command !== undefined && { fix: command }),
      },
    }
  }
  const run = {
    tool: { driver: { name: 'mediaproc', semanticVersion: version, rules } },
    columnKind: 'utf16CodeUnits',
    results: report.files.flatMap(({ findings }) => findings.map(result)),
  }
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`
}

function limitsText(limits: object = {}): string {
  const entries = Object.entries(limits)
  if (entries.length === 0) return 'No two files have the same content'
  return entries.map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`).join('; ')
}
