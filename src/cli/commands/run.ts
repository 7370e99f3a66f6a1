import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { pipelineManifest } from '../../local/pipeline-outputs.ts'
import { planPipelineRun } from '../../local/pipeline-run.ts'
import { COMMON_OPTIONS, PIPELINE_OPTIONS } from '../input/common-options.ts'
import { loadConfig } from '../input/config.ts'
import { commandOptions } from '../input/effective-options.ts'
import { toolFlags } from '../input/flags.ts'
import { parametersOf } from '../input/parameters.ts'
import { parseArguments } from '../input/parse.ts'
import type { Io } from '../output/io.ts'
import { reportLeftOut } from '../output/output-lines.ts'
import { showFileProgress } from '../output/pipeline-progress.ts'
import { planOrDiagnostics } from '../pipeline-diagnostics.ts'
import { remoteFor } from '../remote/server.ts'
import { runAndPrint } from '../run-and-print.ts'
import { withSignals } from '../signals.ts'

const { settings: _settings, ...COMMON } = COMMON_OPTIONS
const OPTIONS = { ...COMMON, ...PIPELINE_OPTIONS }

/** `mediaproc run PIPELINE [FILES…]`: runs all steps of a pipeline on every input. */
export async function runCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const parsed = parseArguments(args, {}, toolFlags({}, {}, OPTIONS), 'mediaproc run --help')
  const [path, ...files] = parsed.operands
  if (path === undefined)
    throw new MediaprocError('USAGE', 'Expected the file of a pipeline, got nothing', {
      hint: 'Such as: mediaproc run web.yaml photo.jpg',
    })
  const options = commandOptions(parsed.common, await loadConfig('.', parsed.common.config))
  const plan = await planOrDiagnostics(path, io, {
    parameters: parametersOf(parsed.common.set),
    rows: parsed.common.rows,
  })
  if (!plan) return EXIT.usage
  if (!options.quiet) for (const line of plan.warnings) io.err(`mediaproc: ${line}\n`)
  const isOwn = files.length > 0 || plan.input.files === 'none' || plan.hasRowInputs === true
  const inputs = isOwn ? files : plan.inputs
  if (plan.input.files !== 'none' && !plan.hasRowInputs && inputs.length === 0)
    throw new MediaprocError('NO_FILE', 'The pipeline needs an input file', {
      hint: 'Name files after the pipeline, or give it a list inputs.',
    })
  if (path === '-' && inputs.includes('-'))
    throw new MediaprocError('USAGE', 'Standard input (-) can be read only once', {
      hint: 'Name a file for the pipeline or for the input.',
    })
  const { name } = parsed.common
  const manifest = options.manifest ?? pipelineManifest(plan, options.outputDir)
  const remote = await remoteFor(options, io)
  return withSignals(io, async (signal) => {
    const run = await planPipelineRun({
      plan,
      inputs,
      options: { ...options, name, ...(manifest !== undefined && { manifest }) },
      defaultName: options.name,
      signal,
      remote,
      expand: { ...options, streams: io, onLeftOut: (count) => reportLeftOut(io, options, count) },
    })
    return runAndPrint(run, options, showFileProgress, io, signal)
  }).finally(() => remote?.close())
}
