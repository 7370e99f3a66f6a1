import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { extensionOf, printableName } from '../media/file.ts'
import type { SettingsTable } from '../tool/settings.ts'
import {
  applyConditions,
  type Checked,
  flagSpelling,
  givenNames,
  inspectSettings,
  settingsError,
} from '../tool/validate.ts'
import type { CommonValues } from './common-options.ts'
import { CONFIG_TABLE, type Config } from './config.ts'

/** The common options of a command that are in force: switches and text as they were given, numbers checked. */
export interface CommandOptions extends Omit<CommonValues, 'force' | 'quiet' | 'jobs' | 'timeout'> {
  force: boolean
  quiet: boolean
  /** How many jobs at the same time; the default of the tool when absent. */
  jobs?: number
  /** Seconds; the limit of the tool when absent, 0 for none. */
  timeout?: number
}

/** A folder inside the current one as a person would name it. */
function shortPath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  const short = relative('.', path)
  return short === '' ? '.' : short.startsWith('..') ? path : short
}

/** Flags over configuration. @throws MediaprocError INVALID_SETTINGS for -j or --timeout out of range */
export function commandOptions(flags: CommonValues, config: Config): CommandOptions {
  const { jobs, timeout } = CONFIG_TABLE
  const { values, issues } = inspectSettings(
    { jobs, timeout },
    { jobs: flags.jobs, timeout: flags.timeout },
    (name) => `--${name}`,
  )
  if (issues.length > 0) throw settingsError(issues)
  return {
    ...flags,
    // A folder from the configuration gives way to an output that is named.
    outputDir: flags.outputDir ?? (flags.output === undefined ? shortPath(config.outputDir) : undefined),
    name: flags.name ?? config.name,
    force: flags.force ?? config.force,
    quiet: flags.quiet ?? config.quiet,
    jobs: (values.jobs as number | undefined) ?? config.jobs,
    timeout: (values.timeout as number | undefined) ?? config.timeout,
  }
}

/** Settings under their own names, so that a flag given by an alias beats a default given by the name. */
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

async function parseText(source: string, isYaml: boolean): Promise<unknown> {
  if (!isYaml) return JSON.parse(source)
  const { parse } = await import('yaml')
  return parse(source, { maxAliasCount: 100 })
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
  try {
    const parsed = await parseText(source, path !== undefined && /^ya?ml$/.test(extensionOf(path)))
    if (parsed && typeof parsed === 'object' && !Array.isArray(parsed)) return parsed as Record<string, unknown>
  } catch (error) {
    throw new MediaprocError('USAGE', `Expected an object of settings for ${where}, got text that is not valid`, {
      hint: `Such as --settings '{"quality": 80}'.`,
      detail: (error as Error).message,
    })
  }
  throw new MediaprocError('USAGE', `Expected an object of settings for ${where}, got something else`, {
    hint: `Such as --settings '{"quality": 80}'.`,
  })
}

/** Settings that were checked. */
export interface MergedSettings extends Pick<Checked, 'values' | 'deprecated'> {
  /** Names that were given anywhere, so that nothing else sets them. */
  given: ReadonlySet<string>
}

/**
 * One set of settings from layers, later wins: what is usual (configuration), then what was asked for (--settings, flags). A
 * setting that was asked for and would have no effect is wrong.
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
