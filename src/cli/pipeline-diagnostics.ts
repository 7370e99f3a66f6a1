import { MediaprocError } from '../errors.ts'
import { printableName } from '../media/file.ts'
import type { PipelinePlan } from '../pipeline/plan/plan.ts'
import { diagnosticLine } from '../pipeline/read/diagnostics.ts'
import type { GivenParameters } from '../pipeline/read/parameters.ts'
import { loadPipeline, type ReadPipeline, readPipeline } from '../pipeline/read/read.ts'
import { PLACEHOLDERS } from '../tool/names/placeholders.ts'
import type { Io } from './output/io.ts'
import { errorLines } from './output/messages.ts'

/** What the command line gives a pipeline: `--set` and `--rows`. */
export interface GivenForPipeline {
  parameters?: GivenParameters
  rows?: string | undefined
}

/** The maximum UTF-8 size of a pipeline; nothing beyond it is read. In bytes. */
const MAX_BYTES = 4 * 1024 * 1024

async function textOfStdin(io: Io): Promise<string> {
  if (io.stdinIsTerminal)
    throw new MediaprocError('USAGE', 'Expected a pipeline on standard input for -, got a terminal', {
      hint: 'Pipe it into the program: … < web.yaml',
    })
  const chunks: Buffer[] = []
  let total = 0
  for await (const chunk of io.stdin()) {
    const bytes = Buffer.from(chunk as Uint8Array)
    chunks.push(bytes)
    total += bytes.length
    if (total > MAX_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Reads a pipeline for the CLI: with environment variables, and with output names checked. `-` is standard input; paths
 * in it are then relative to the current folder.
 */
export async function readForShell(path: string, io: Io, given: GivenForPipeline): Promise<ReadPipeline> {
  const { parameters = {}, rows } = given
  const options = {
    variables: process.env,
    parameters,
    ...(rows !== undefined && { rows }),
    placeholders: [...Object.keys(PLACEHOLDERS), 'pipeline'],
  }
  if (path !== '-') return loadPipeline(path, options)
  return readPipeline(await textOfStdin(io), { ...options, name: 'stdin', folder: '.' })
}

/** The plan of a pipeline; if it has diagnostics, they are all printed with their locations, and there is no plan. */
export async function planOrDiagnostics(
  path: string,
  io: Io,
  given: GivenForPipeline = {},
): Promise<PipelinePlan | undefined> {
  const { plan, diagnostics } = await readForShell(path, io, given)
  if (plan) return plan
  const shown = printableName(path)
  for (const diagnostic of diagnostics) io.err(`${printableName(diagnosticLine(shown, diagnostic))}\n`)
  const count = diagnostics.length === 1 ? 'a mistake' : `${diagnostics.length} mistakes`
  io.err(errorLines(io, new MediaprocError('INVALID_SETTINGS', `${shown} has ${count}`, { hint: '' }), false))
  return undefined
}
