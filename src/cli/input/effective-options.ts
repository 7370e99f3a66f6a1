import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { extensionOf, printableName } from '../../media/file.ts'
import { parseData } from '../../syntax-faults.ts'
import type { SettingsTable } from '../../tool/settings.ts'
import {
  applyConditions,
  type Checked,
  flagSpelling,
  givenNames,
  inspectSettings,
  settingsError,
} from '../../tool/validate.ts'
import type { CommonValues } from './common-options.ts'
import { CONFIG_TABLE, type Config } from './config.ts'

/** The effective common options of a command: switches and text as given, numbers checked. */
export interface CommandOptions extends Omit<CommonValues, 'force' | 'quiet' | 'jobs' | 'timeout' | 'newer'> {
  force: boolean
  quiet: boolean
  /** Number of concurrent jobs; the default of the tool when absent. */
  jobs?: number
  /** Seconds; the limit of the tool when absent, 0 for none. */
  timeout?: number
  /** --name was given on the command line. */
  isNameAsked: boolean
  /** The comparison of --newer, if given. */
  newer?: 'time' | 'hash'
  records: 'cache' | 'beside'
  /** The server was named by a configuration file that was found, and not by the user. */
  isServerFound: boolean
}

/** A folder inside the current one as a relative path. */
function shortPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const short = relative('.', path)
  return short === '' ? '.' : short.startsWith('..') ? path : short
}

/**
 * Merges flags and configuration.
 * @throws MediaprocError INVALID_SETTINGS for -j or --timeout out of range, USAGE for two things on standard output
 */
export function commandOptions(flags: CommonValues, config: Config): CommandOptions {
  if (flags.output === '-' && flags.json && !flags.dryRun)
    throw new MediaprocError('USAGE', '-o - and --json would both write to standard output', {
      hint: 'Write the file with -o FILE, or leave --json out.',
    })
  const { jobs, timeout } = CONFIG_TABLE
  const { values, issues } = inspectSettings(
    { jobs, timeout },
    { jobs: flags.jobs, timeout: flags.timeout },
    (name) => `--${name}`,
  )
  if (issues.length > 0) throw settingsError(issues)
  const { newer, ...others } = flags
  return {
    ...others,
    ...(newer !== undefined && { newer: newer === true ? config.newer : newer }),
    records: config.records,
    server: flags.server ?? config.server,
    isServerFound:
      flags.server === undefined && flags.config === undefined && config.sources.server !== 'MEDIAPROC_SERVER',
    // An explicit output overrides a folder from the configuration.
    outputDir: flags.outputDir ?? (flags.output === undefined ? shortPath(config.outputDir) : undefined),
    name: flags.name ?? config.name,
    isNameAsked: flags.name !== undefined,
    force: flags.force ?? config.force,
    quiet: flags.quiet ?? config.quiet,
    jobs: (values.jobs as number | undefined) ?? config.jobs,
    timeout: (values.timeout as number | undefined) ?? config.timeout,
  }
}

/** Replaces aliases by names, so that a flag given by an alias overrides a default given by the name. */
export function canonicalNames(
  table: SettingsTable,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = new Map(
    Object.entries(table).flatMap(([name, row]) => (row.aliases ?? []).map((alias) => [alias, name] as const)),
  )
  const canonical: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    const name = Object.hasOwn(table, key) ? key : (names.get(key) ?? key)
    if (name === key || !Object.hasOwn(given, name)) canonical[name] = value
  }
  return canonical
}

/**
 * The value of --settings: JSON, or `@FILE` with JSON or YAML by its extension.
 * @throws MediaprocError USAGE when it is not an object
 */
export async function readSettingsOption(given: string | undefined): Promise<Record<string, unknown>> {
  if (given === undefined) return {}
  const path = given.startsWith('@') ? given.slice(1) : undefined
  const where = path === undefined ? '--settings' : `--settings @${printableName(path)}`
  let source = given
  try {
    if (path !== undefined) source = readFileSync(path, 'utf8')
  } catch (error) {
    throw new MediaprocError(toMediaprocError(error).code, `The file for ${where} cannot be read`, { cause: error })
  }
  const hint = `Such as --settings '{"quality": 80}'.`
  const parsed = await parseData(source, path !== undefined && /^ya?ml$/.test(extensionOf(path)))
  if ('fault' in parsed) {
    const { line, column, message } = parsed.fault
    const reason = `${line}:${column}: ${message}`
    throw new MediaprocError(
      'USAGE',
      `Expected an object of settings for ${where}, got text that is not valid. ${reason}`,
      { hint },
    )
  }
  const { value } = parsed
  if (value && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  throw new MediaprocError('USAGE', `Expected an object of settings for ${where}, got something else`, { hint })
}

/** Checked settings. */
export interface MergedSettings extends Pick<Checked, 'values' | 'deprecated'> {
  /** Names given in any layer, so that nothing else sets them. */
  given: ReadonlySet<string>
}

/**
 * Merges settings from layers, later ones win: defaults (configuration), then explicit settings (--settings, flags). An
 * explicit setting without effect is an error.
 * @throws MediaprocError INVALID_SETTINGS
 */
export function mergeSettings(
  table: SettingsTable,
  layers: readonly Readonly<Record<string, unknown>>[],
  usual: Readonly<Record<string, unknown>> = {},
): MergedSettings {
  const asked = Object.assign({}, ...layers.map((layer) => canonicalNames(table, layer))) as Record<string, unknown>
  const merged = { ...canonicalNames(table, usual), ...asked }
  const checked = inspectSettings(table, merged, flagSpelling)
  const { values, issues, deprecated } = checked
  if (issues.length === 0) applyConditions(table, givenNames(table, asked), checked, flagSpelling)
  if (issues.length > 0) throw settingsError(issues)
  return { values, deprecated, given: new Set(Object.keys(merged)) }
}
