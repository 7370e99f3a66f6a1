import type { ExitCode } from '../errors.ts'
import type { InputItem } from '../local/inputs.ts'
import { typeFromOutput } from '../local/output-names.ts'
import { planToolRun } from '../local/tool-run.ts'
import { Isolation } from '../pipeline/isolate/isolation.ts'
import { type FoundTool, findRedirected } from '../pipeline/read/find-tool.ts'
import { loadConfig } from './input/config.ts'
import { commandOptions, mergeSettings, readSettingsOption } from './input/effective-options.ts'
import type { Parsed } from './input/parse.ts'
import type { Io } from './output/io.ts'
import { reportLeftOut } from './output/output-lines.ts'
import { showProgress } from './output/progress.ts'
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
  parsed: Parsed,
  io: Io,
  { implied = {}, items }: ExecuteOptions = {},
): Promise<ExitCode> {
  const config = await loadConfig('.', parsed.common.config)
  const given = await readSettingsOption(parsed.common.settings)
  const defaults = config.defaults[`${named.entry.section}/${named.entry.id}`]
  const meant = findRedirected(named, { ...defaults, ...implied, ...given, ...parsed.settings })
  if (meant.found !== named) {
    const { settings: _read, ...common } = parsed.common
    return execute(meant.found, { ...parsed, common, settings: meant.given }, io, { ...(items && { items }) })
  }
  const { entry } = named
  const options = { ...commandOptions(parsed.common, config), keepExisting: parsed.keepExisting }
  const { values: settings, deprecated } = mergeSettings(entry.settings, [given, parsed.settings], {
    ...defaults,
    ...typeFromOutput(entry, options.output),
    ...implied,
  })
  const isolation = new Isolation()
  const over = new AbortController()
  warmUp(entry, parsed, isolation, over.signal)
  return withSignals(io, async (signal) => {
    const expand = { ...options, streams: io, onLeftOut: (count: number) => reportLeftOut(io, options, count) }
    const run = await planToolRun({
      found: named,
      settings,
      inputs: parsed.operands,
      secondary: parsed.secondary,
      options,
      signal,
      expand,
      isolation,
      ...(items && { items }),
    })
    if (!options.quiet) for (const line of deprecated) io.err(`mediaproc: ${line}\n`)
    return runAndPrint(run, options, showProgress, io, signal)
  }).finally(() => {
    over.abort()
    return isolation.close()
  })
}
