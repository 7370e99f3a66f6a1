import { resolve } from 'node:path'
import { environmentText } from '../../environment.ts'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { countFindings } from '../../local/check/finding.ts'
import { LIMIT_NAMES } from '../../local/check/limits.ts'
import { rulesByInput } from '../../local/check/match-files.ts'
import { loadRules } from '../../local/check/read-rules.ts'
import { defaultRules, normalizedLimits, type Rule } from '../../local/check/rule.ts'
import { filesOfRules } from '../../local/check/rule-files.ts'
import { runCheck } from '../../local/check/run-check.ts'
import { expandInputs, type InputItem } from '../../local/inputs.ts'
import { writeText } from '../../local/write-text.ts'
import { printableName } from '../../media/file.ts'
import { diagnosticLine } from '../../pipeline/read/diagnostics.ts'
import { packageVersion } from '../../root.ts'
import { settingsError } from '../../tool/validate.ts'
import { CHECK_COMMON, CHECK_SETTINGS, type ReportFormat } from '../check/options.ts'
import { type CheckReport, summaryText } from '../check/report.ts'
import { loadConfig } from '../input/config.ts'
import { type CommandOptions, commandOptions } from '../input/effective-options.ts'
import { parseOwnOptions } from '../input/own-options.ts'
import type { Io } from '../output/io.ts'
import { errorLines } from '../output/messages.ts'
import { showProgress } from '../output/progress.ts'
import { withSignals } from '../signals.ts'
import { addStepSummary, hasStepSummary, requireStepSummary } from '../step-summary.ts'

/** The groups of files that -r takes from folders. */
const LISTED = ['image', 'video', 'audio', 'pdf']

/** A parsed command line. */
interface Wanted {
  rulesFile?: string
  files: readonly string[]
  /** The rule of the limits on the command line, if there are any. */
  ownRule?: Rule
  format: ReportFormat
  fix: boolean
  /** The file of the report. */
  output?: string
  options: CommandOptions
}

function ownRule(values: Readonly<Record<string, unknown>>): Rule | undefined {
  const given = Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  )
  const { limits, issues } = normalizedLimits(given)
  if (issues.length > 0) throw settingsError(issues)
  if (Object.keys(limits).length === 0 && values.duplicates !== false) return undefined
  return {
    ...{ name: 'command line', severity: 'error', files: [], folder: resolve('.'), limits },
    ...(values.duplicates === false && { duplicates: false }),
  }
}

async function parse(args: readonly string[]): Promise<Wanted> {
  const most = Number.POSITIVE_INFINITY
  const { operands, values, common } = parseOwnOptions('check', args, CHECK_SETTINGS, most, CHECK_COMMON)
  const { output, ...others } = common
  const options = commandOptions(others, await loadConfig('.', common.config))
  const [first = '', ...rest] = operands
  const isNamed = values.rules === undefined && /\.ya?ml$/i.test(first)
  const rulesFile = isNamed ? first : values.rules
  const own = ownRule(values)
  return {
    ...(rulesFile !== undefined && { rulesFile }),
    files: isNamed ? rest : operands,
    ...(own && { ownRule: own }),
    format: common.json ? 'json' : values.format,
    fix: values.fix,
    ...(output !== undefined && output !== '-' && { output }),
    options,
  }
}

/** The rules of a run; undefined after the mistakes of the file are printed. */
async function rulesFor({ rulesFile, ownRule }: Wanted, io: Io): Promise<readonly Rule[] | undefined> {
  const own = ownRule ? [ownRule] : []
  if (rulesFile === undefined) return ownRule ? own : defaultRules(resolve('.'))
  const { rules, diagnostics } = await loadRules(rulesFile)
  if (rules) return [...rules, ...own]
  const shown = printableName(rulesFile)
  for (const diagnostic of diagnostics) io.err(`${printableName(diagnosticLine(shown, diagnostic))}\n`)
  const count = diagnostics.length === 1 ? 'a mistake' : `${diagnostics.length} mistakes`
  io.err(errorLines(io, new MediaprocError('INVALID_SETTINGS', `${shown} has ${count}`, { hint: '' }), false))
  return undefined
}

async function itemsFor(wanted: Wanted, rules: readonly Rule[], io: Io): Promise<InputItem[]> {
  const { files, rulesFile, options } = wanted
  const { recursive, nullSeparated } = options
  if (files.length > 0)
    return expandInputs(
      files,
      { accept: LISTED, files: 'one' },
      { ...{ streams: io, recursive, nullSeparated }, keepDerived: true },
    )
  if (rulesFile === undefined || !rules.some((rule) => rule.files.length > 0))
    throw new MediaprocError('NO_FILE', 'mediaproc check needs files', {
      hint: 'Name files, or folders with -r, or give the rules a list files.',
    })
  const found = await filesOfRules(rules)
  if (found.length > 0) return found
  throw new MediaprocError('NO_FILE', `No file matches the patterns of ${printableName(rulesFile)}`, {
    hint: 'Patterns are relative to the folder of the rules.',
  })
}

/** Rules that are about no file are often misspelled patterns. */
function reportUnused(rules: readonly Rule[], items: readonly InputItem[], io: Io): void {
  const used = new Set(rulesByInput(rules, items).flat())
  for (const rule of rules)
    if (!used.has(rule)) io.err(`mediaproc: the rule ${printableName(rule.name)} is about none of the files\n`)
}

async function reportText(report: CheckReport, format: ReportFormat, verbose: boolean, io: Io, toFile: boolean) {
  const root = resolve(environmentText('GITHUB_WORKSPACE') || '.')
  switch (format) {
    case 'json':
      return (await import('../check/json-report.ts')).jsonReport(report)
    case 'sarif':
      return (await import('../check/sarif-report.ts')).sarifReport(report, root, packageVersion())
    case 'junit':
      return (await import('../check/junit-report.ts')).junitReport(report)
    case 'github':
      return (await import('../check/github-report.ts')).githubReport(report, root)
    default: {
      const { createColors } = await import('picocolors').then((module) => module.default)
      const colours = toFile ? createColors(false) : io.outColours
      return (await import('../check/text-report.ts')).textReport(report, colours, verbose)
    }
  }
}

async function writeReport(report: CheckReport, wanted: Wanted, items: readonly InputItem[], io: Io): Promise<void> {
  const { output, format, options } = wanted
  const text = await reportText(report, format, options.verbose === true, io, output !== undefined)
  if (output === undefined) {
    if (text !== '') io.out(text)
  } else {
    const inputs = [...items.flatMap(({ path }) => path ?? []), ...(wanted.rulesFile ? [wanted.rulesFile] : [])]
    await writeText(output, text, inputs)
  }
  if (options.summary || (format === 'github' && hasStepSummary()))
    addStepSummary((await import('../check/markdown-report.ts')).markdownReport(report))
}

/** Missing engines are reported as such only if nothing else is wrong. */
function exitCodeFor({ files }: CheckReport): ExitCode {
  const errors = files.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'error'))
  const isFixFailed = files.some(({ fixError }) => fixError !== undefined)
  if (errors.length === 0) return isFixFailed ? EXIT.failed : EXIT.ok
  return errors.every(({ error }) => error === 'ENGINE_UNAVAILABLE') ? EXIT.missing : EXIT.failed
}

/** `mediaproc check [RULES.yaml] FILES…`: compares files with limits, reports differences and fixes them. */
export async function checkCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const wanted = await parse(args)
  if (wanted.options.summary) requireStepSummary()
  const rules = await rulesFor(wanted, io)
  if (!rules) return EXIT.usage
  const items = await itemsFor(wanted, rules, io)
  const { options, fix, rulesFile } = wanted
  const { quiet, jobs } = options
  if (!quiet && rulesFile !== undefined) reportUnused(rules, items, io)
  return withSignals(io, async (signal) => {
    const started = performance.now()
    const progress = await showProgress(
      io,
      items.map(({ given }) => given),
      quiet,
      'checking',
    )
    const files = await runCheck({
      items,
      rules,
      ...(jobs !== undefined && { jobs }),
      signal,
      onEnd: progress.done,
    }).finally(() => progress.stop())
    if (signal.aborted) return EXIT.interrupted
    if (fix) {
      const { applyFixes } = await import('../../local/check/apply-fixes.ts')
      await applyFixes({ files, items, rules, options, signal })
      if (signal.aborted) return EXIT.interrupted
    }
    const ms = Math.round(performance.now() - started)
    const report: CheckReport = { files, rules, ...(rulesFile !== undefined && { rulesFile }), ms }
    await writeReport(report, wanted, items, io)
    const { errors, warnings } = countFindings(files)
    if (!quiet || errors + warnings > 0) io.err(`mediaproc: ${summaryText(report)}\n`)
    return exitCodeFor(report)
  })
}
