import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import type { JobRow, PlannedOutput } from '../../local/planned-run.ts'
import { openMediaFile, printableName } from '../../media/file.ts'
import { explainPipeline } from '../../pipeline/plan/explain.ts'
import type { PipelinePlan, PlannedRows } from '../../pipeline/plan/plan.ts'
import { type Diagnostic, diagnosticLine } from '../../pipeline/read/diagnostics.ts'
import { rowLabel } from '../../pipeline/rows/row-table.ts'
import { nearest } from '../../tool/validate.ts'
import { COMMON_OPTIONS, type CommonValues, PIPELINE_OPTIONS } from '../input/common-options.ts'
import { parametersOf } from '../input/parameters.ts'
import { parseCommand } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { errorLines } from '../output/messages.ts'
import { exitCodeOf } from '../output/record.ts'
import { RunTotals } from '../output/run-totals.ts'
import { planOrDiagnostics, readForShell } from '../pipeline-diagnostics.ts'
import { explanationLines } from '../pipeline-tree.ts'

const { json: JSON_OPTION, quiet, newer, outputDir } = COMMON_OPTIONS
const OPTIONS = { json: JSON_OPTION, quiet, newer, outputDir, ...PIPELINE_OPTIONS }

interface Fresh {
  planned: PlannedOutput
  /** For display. */
  text: string
}

/**
 * The plan of a run with --newer for each output: what is skipped, and why an output is recreated. Inputs that the run
 * would reject are reported on standard error.
 */
async function freshness(
  plan: PipelinePlan,
  input: string | undefined,
  given: CommonValues,
  io: Io,
): Promise<{ found: Fresh[]; code: ExitCode }> {
  const [{ planPipelineRun }, { plannedText, previewOf, remarkOn }, { commandOptions }, { loadConfig }] =
    await Promise.all([
      import('../../local/pipeline-run.ts'),
      import('../dry-run.ts'),
      import('../input/effective-options.ts'),
      import('../input/config.ts'),
    ])
  const { outputDir, name, newer, records } = commandOptions(given, await loadConfig('.'))
  const run = await planPipelineRun({
    plan,
    inputs: input === undefined ? plan.inputs : [input],
    options: { newer, records, outputDir },
    defaultName: name,
    signal: new AbortController().signal,
    // Inputs are interpreted as in `run`, including patterns.
    expand: { streams: io, outputDir },
  })
  try {
    const found: Fresh[] = []
    const totals = new RunTotals()
    for (const job of run.jobs) {
      const outcome = await previewOf(run, job)
      totals.add(outcome)
      if (!outcome.ok) io.err(errorLines(io, outcome.error, false, job.items[0]?.given))
      else
        for (const planned of outcome.planned!)
          found.push({ planned, text: `${plannedText(job, [planned])}${remarkOn([planned]) || ' (made)'}` })
    }
    return { found, code: exitCodeOf(totals, false) }
  } finally {
    await run.close()
  }
}

/** A mistake, perhaps only with the values of a row. */
type RowDiagnostic = Diagnostic & { row?: JobRow }

/** The mistakes of rows that the pipeline cannot run for. */
async function rowDiagnostics({ table, planFor }: PlannedRows): Promise<RowDiagnostic[]> {
  const found: RowDiagnostic[] = []
  for (const row of table.rows) {
    const { diagnostics } = await planFor(row)
    const about = { number: row.number, label: rowLabel(table, row) }
    for (const one of diagnostics) found.push({ ...one, row: about })
  }
  return found
}

async function validate(paths: readonly string[], common: CommonValues, io: Io): Promise<ExitCode> {
  const { json = false, quiet: isQuiet = false, set, rows } = common
  const given = { parameters: parametersOf(set), rows }
  let valid = true
  for (const path of paths) {
    const { plan, diagnostics } = json
      ? await readForShell(path, io, given)
      : { plan: await planOrDiagnostics(path, io, given), diagnostics: [] }
    const all: RowDiagnostic[] = [...diagnostics, ...(plan?.rows ? await rowDiagnostics(plan.rows) : [])]
    if (json) {
      const shown = all.map(({ file, row, line, column, message, hint = '', included }) => ({
        ...{ ...(file !== undefined && { file }), line, column, message, hint },
        ...(included && { included }),
        ...(row && { row: row.number }),
      }))
      io.out(`${JSON.stringify({ file: path, ok: all.length === 0, mistakes: shown })}\n`)
    } else {
      for (const one of all) {
        const line = printableName(diagnosticLine(path, one))
        io.err(`${one.file === plan?.rows?.table.shown ? '' : `${one.row?.label}: `}${line}\n`)
      }
      if (plan && all.length === 0 && !isQuiet) io.out(`${path}: valid\n`)
    }
    valid &&= plan !== undefined && all.length === 0
  }
  return valid ? EXIT.ok : EXIT.usage
}

async function explain([path, input]: readonly string[], common: CommonValues, io: Io): Promise<ExitCode> {
  const plan = await planOrDiagnostics(path!, io, { parameters: parametersOf(common.set), rows: common.rows })
  if (!plan) return EXIT.usage
  const explanation = await explainPipeline(plan, input === undefined ? undefined : await openMediaFile(input))
  const fresh = common.newer ? await freshness(plan, input, common, io) : undefined
  const code = fresh?.code ?? EXIT.ok
  if (common.json) {
    const all = { ...explanation, ...(fresh && { planned: fresh.found.map(({ planned }) => planned) }) }
    io.out(`${JSON.stringify(all, null, 2)}\n`)
    return code
  }
  const lines = [...explanationLines(explanation), ...(fresh ? ['', 'With --newer:'] : [])]
  io.out(`${[...lines, ...(fresh?.found ?? []).map(({ text }) => `  ${text}`)].join('\n')}\n`)
  return code
}

/** `mediaproc pipeline validate FILE…` and `mediaproc pipeline explain FILE [INPUT]` */
export async function pipelineCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, common } = parseCommand('pipeline', args, OPTIONS, Number.POSITIVE_INFINITY)
  const [verb, ...files] = operands
  if (verb !== 'validate' && verb !== 'explain') {
    const near = verb === undefined ? undefined : nearest(verb, ['validate', 'explain'])
    throw new MediaprocError('USAGE', `Expected validate or explain, got ${verb ?? 'nothing'}`, {
      hint: near ? `Did you mean mediaproc pipeline ${near}?` : 'Such as: mediaproc pipeline validate web.yaml',
    })
  }
  if (files.length === 0)
    throw new MediaprocError('USAGE', 'Expected the file of a pipeline, got nothing', {
      hint: `Such as: mediaproc pipeline ${verb} web.yaml`,
    })
  if (verb === 'validate') return validate(files, common, io)
  if (files.length > 2)
    throw new MediaprocError(
      'USAGE',
      `mediaproc pipeline explain takes a pipeline and at most one input, got ${files.length} files`,
    )
  return explain(files, common, io)
}
