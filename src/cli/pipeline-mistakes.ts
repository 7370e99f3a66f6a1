import { MediaprocError } from '../errors.ts'
import { PLACEHOLDERS } from '../local/output-names.ts'
import { printableName } from '../media/file.ts'
import { mistakeLine } from '../pipeline/mistakes.ts'
import type { PipelinePlan } from '../pipeline/plan.ts'
import { loadPipeline, type ReadPipeline } from '../pipeline/read.ts'
import type { Io } from './io.ts'
import { errorLines } from './messages.ts'

/** Reads a pipeline as the shell does: with the environment's variables, and names of outputs checked. */
export function readForShell(path: string): Promise<ReadPipeline> {
  return loadPipeline(path, { variables: process.env, placeholders: [...Object.keys(PLACEHOLDERS), 'pipeline'] })
}

/** The plan of a pipeline; where it has mistakes they are all printed, with their places, and there is none. */
export async function planOrMistakes(path: string, io: Io): Promise<PipelinePlan | undefined> {
  const { plan, mistakes } = await readForShell(path)
  if (plan) return plan
  const shown = printableName(path)
  for (const mistake of mistakes) io.err(`${printableName(mistakeLine(shown, mistake))}\n`)
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
  io.err(errorLines(io, new MediaprocError('INVALID_SETTINGS', `${shown} has ${count}`, { hint: '' }), false))
  return undefined
}
