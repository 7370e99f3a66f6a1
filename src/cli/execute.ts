import type { ExitCode } from '../errors.ts'
import { typeFromOutput } from '../local/output-names.ts'
import { planToolRun } from '../local/tool-run.ts'
import type { Target } from '../pipeline/target.ts'
import { loadConfig } from './config.ts'
import { commandOptions, mergeSettings, readSettingsOption } from './effective-options.ts'
import type { Io } from './io.ts'
import type { Parsed } from './parse.ts'
import { showProgress } from './progress.ts'
import { runAndPrint } from './run-and-print.ts'
import { withSignals } from './signals.ts'

/**
 * Runs a tool as a parsed command line asks: settings from configuration, --settings and flags, inputs, outputs.
 * @param implied settings that the command itself means, below those that were given
 * @throws MediaprocError for what is wrong before any work
 */
export async function execute(
  target: Target,
  parsed: Parsed,
  io: Io,
  implied: Record<string, unknown> = {},
): Promise<ExitCode> {
  const { entry } = target
  const config = await loadConfig('.')
  const options = commandOptions(parsed.common, config)
  const { values: settings, deprecated } = mergeSettings(entry.settings, [
    config.defaults[`${entry.section}/${entry.id}`] ?? {},
    typeFromOutput(entry, options.output),
    implied,
    await readSettingsOption(parsed.common.settings),
    parsed.settings,
  ])
  return withSignals(io, async (signal) => {
    const expand = { ...options, streams: io }
    const run = await planToolRun({
      target,
      settings,
      inputs: parsed.operands,
      secondary: parsed.secondary,
      options,
      signal,
      expand,
    })
    if (!options.quiet) for (const line of deprecated) io.err(`mediaproc: ${line}\n`)
    return runAndPrint(run, options, showProgress, io, signal)
  })
}
