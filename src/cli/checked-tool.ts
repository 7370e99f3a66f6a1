import { typeFromOutput } from '../local/output-names.ts'
import { type FoundTool, findRedirected } from '../pipeline/read/find-tool.ts'
import { loadConfig } from './input/config.ts'
import { type CommandOptions, commandOptions, mergeSettings, readSettingsOption } from './input/effective-options.ts'
import type { Parsed } from './input/parse.ts'

/** A tool with checked settings and options. */
export interface CheckedTool {
  found: FoundTool
  parsed: Parsed
  options: CommandOptions & { keepExisting: boolean | undefined }
  settings: Record<string, unknown>
  /** Deprecation messages for settings. */
  deprecated: readonly string[]
}

/**
 * Checks a parsed command line: settings from configuration, --settings and flags.
 * @param named the tool as named by the user; its settings may redirect to another
 * @param implied settings that the command implies, overridden by given ones
 * @throws MediaprocError
 */
export async function checkedTool(
  named: FoundTool,
  parsed: Parsed,
  implied: Readonly<Record<string, unknown>> = {},
): Promise<CheckedTool> {
  const config = await loadConfig('.', parsed.common.config)
  const given = await readSettingsOption(parsed.common.settings)
  const defaults = config.defaults[`${named.entry.section}/${named.entry.id}`]
  const meant = findRedirected(named, { ...defaults, ...implied, ...given, ...parsed.settings })
  if (meant.found !== named) {
    const { settings: _read, ...common } = parsed.common
    return checkedTool(meant.found, { ...parsed, common, settings: meant.given })
  }
  const { entry } = named
  const options = { ...commandOptions(parsed.common, config), keepExisting: parsed.keepExisting }
  const { values: settings, deprecated } = mergeSettings(entry.settings, [given, parsed.settings], {
    ...defaults,
    ...typeFromOutput(entry, options.output),
    ...implied,
  })
  return { found: named, parsed, options, settings, deprecated }
}
