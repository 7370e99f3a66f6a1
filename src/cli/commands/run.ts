import { resolve } from 'node:path'
import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { checkCount } from '../../job/accept.ts'
import { COMMON_OPTIONS } from '../common-options.ts'
import { loadConfig } from '../config.ts'
import { toolFlags } from '../flags.ts'
import { expandInputs } from '../inputs.ts'
import type { Io } from '../io.ts'
import { parseArguments } from '../parse.ts'
import { runPipelineJobs } from '../pipeline-jobs.ts'
import { planOrMistakes } from '../pipeline-mistakes.ts'
import { outputFolder } from '../pipeline-variants.ts'
import { runOptions } from '../run-options.ts'
import { withSignals } from '../signals.ts'

const { settings: _settings, ...OPTIONS } = COMMON_OPTIONS

/** `mediaproc run PIPELINE [FILES…]`: every step of a pipeline on every input. */
export async function runCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const parsed = parseArguments(args, {}, toolFlags({}, {}, OPTIONS), 'mediaproc run --help')
  const [path, ...files] = parsed.operands
  if (path === undefined)
    throw new MediaprocError('USAGE', 'Expected the file of a pipeline, got nothing', {
      hint: 'Such as: mediaproc run web.yaml photo.jpg',
    })
  const options = runOptions(parsed.common, await loadConfig('.'))
  const plan = await planOrMistakes(path, io)
  if (!plan) return EXIT.usage
  if (!options.quiet) for (const line of plan.warnings) io.err(`mediaproc: ${line}\n`)
  const operands = files.length > 0 || plan.input.files === 'none' ? files : plan.inputs
  if (plan.input.files !== 'none' && operands.length === 0)
    throw new MediaprocError('NO_FILE', 'The pipeline needs an input file', {
      hint: 'Name files after the pipeline, or give it a list inputs.',
    })
  const exclude = options.outputDir ?? outputFolder(parsed.common.name ?? plan.output)
  const items = await expandInputs(
    operands,
    {
      ...options,
      accept: plan.input.accept,
      keepDuplicates: plan.input.files === 'many',
      ...(exclude !== undefined && { exclude: resolve(exclude) }),
    },
    io,
  )
  if (plan.input.files !== 'one') checkCount(plan.input, items.length, `pipeline/${plan.name}`)
  return withSignals(io, (signal) => runPipelineJobs({ plan, items, options, name: parsed.common.name }, io, signal))
}
