import type { ExitCode } from '../errors.ts'
import type { InputItem } from '../local/inputs.ts'
import { planToolRun } from '../local/tool-run.ts'
import { Isolation } from '../pipeline/isolate/isolation.ts'
import type { FoundTool } from '../pipeline/read/find-tool.ts'
import { checkedTool } from './checked-tool.ts'
import type { Parsed } from './input/parse.ts'
import type { Io } from './output/io.ts'
import { reportLeftOut } from './output/output-lines.ts'
import { showProgress } from './output/progress.ts'
import { remoteFor } from './remote/server.ts'
import { runAndPrint } from './run-and-print.ts'
import { withSignals } from './signals.ts'
import { warmUp } from './warm-up.ts'

export interface ExecuteOptions {
  /** Settings that the command implies, overridden by given ones. */
  implied?: Record<string, unknown>
  /** The resolved inputs, if the command knows them already. */
  items?: readonly InputItem[]
}

/**
 * Runs a tool from a parsed command line: settings from configuration, --settings and flags, inputs, outputs.
 * @param named the tool as named by the user; its settings may redirect to another
 * @throws MediaprocError for problems found before the run
 */
export async function execute(
  named: FoundTool,
  given: Parsed,
  io: Io,
  { implied = {}, items }: ExecuteOptions = {},
): Promise<ExitCode> {
  const { found, parsed, options, settings, deprecated } = await checkedTool(named, given, implied)
  const isolation = new Isolation()
  const over = new AbortController()
  const remote = await remoteFor(options, io)
  if (!remote) warmUp(found.entry, parsed, isolation, over.signal)
  return withSignals(io, async (signal) => {
    const expand = { ...options, streams: io, onLeftOut: (count: number) => reportLeftOut(io, options, count) }
    const run = await planToolRun({
      found,
      settings,
      inputs: parsed.operands,
      secondary: parsed.secondary,
      options,
      signal,
      expand,
      isolation,
      remote,
      ...(items && { items }),
    })
    if (!options.quiet) for (const line of deprecated) io.err(`mediaproc: ${line}\n`)
    return runAndPrint(run, options, showProgress, io, signal)
  }).finally(async () => {
    over.abort()
    await remote?.close()
    await isolation.close()
  })
}
