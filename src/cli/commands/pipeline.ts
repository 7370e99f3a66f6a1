import { EXIT, type ExitCode, MediaprocError } from '../../errors.ts'
import { openMediaFile } from '../../media/file.ts'
import { explainPipeline } from '../../pipeline/explain.ts'
import { nearest } from '../../tool/validate.ts'
import { COMMON_OPTIONS } from '../common-options.ts'
import type { Io } from '../io.ts'
import { parseCommand } from '../parse.ts'
import { planOrMistakes, readForShell } from '../pipeline-mistakes.ts'
import { explanationLines } from '../pipeline-tree.ts'

const OPTIONS = { json: COMMON_OPTIONS.json, quiet: COMMON_OPTIONS.quiet }

async function validate(paths: readonly string[], json: boolean, quiet: boolean, io: Io): Promise<ExitCode> {
  let valid = true
  for (const path of paths) {
    if (json) {
      const { mistakes } = await readForShell(path, io)
      const shown = mistakes.map(({ line, column, message, hint = '' }) => ({ line, column, message, hint }))
      io.out(`${JSON.stringify({ file: path, ok: mistakes.length === 0, mistakes: shown })}\n`)
      valid &&= mistakes.length === 0
    } else if (!(await planOrMistakes(path, io))) valid = false
    else if (!quiet) io.out(`${path}: valid\n`)
  }
  return valid ? EXIT.ok : EXIT.usage
}

async function explain([path, input]: readonly string[], json: boolean, io: Io): Promise<ExitCode> {
  const plan = await planOrMistakes(path!, io)
  if (!plan) return EXIT.usage
  const explanation = await explainPipeline(plan, input === undefined ? undefined : await openMediaFile(input))
  io.out(json ? `${JSON.stringify(explanation, null, 2)}\n` : `${explanationLines(explanation).join('\n')}\n`)
  return EXIT.ok
}

/** `mediaproc pipeline validate FILE…` and `mediaproc pipeline explain FILE [INPUT]` */
export async function pipelineCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  const { operands, common } = parseCommand('pipeline', args, OPTIONS, Number.POSITIVE_INFINITY)
  const [verb, ...files] = operands
  const json = common.json === true
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
  if (verb === 'validate') return validate(files, json, common.quiet === true, io)
  if (files.length > 2)
    throw new MediaprocError(
      'USAGE',
      `mediaproc pipeline explain takes a pipeline and at most one input, got ${files.length} files`,
    )
  return explain(files, json, io)
}
