import { relative } from 'node:path'
import { inspectSettings, settingsError } from '../tool/validate.ts'
import type { CommonValues } from './common-options.ts'
import { CONFIG_TABLE, type Config } from './config.ts'
import type { OutputOptions } from './destination.ts'

/** The common options of one run: flags over configuration. */
export interface RunOptions extends OutputOptions {
  dryRun: boolean
  recursive: boolean
  nullSeparated: boolean
  json: boolean
  quiet: boolean
  verbose: boolean
  failFast: boolean
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

/** @throws MediaprocError INVALID_SETTINGS for -j or --timeout out of range */
export function runOptions(flags: CommonValues, config: Config): RunOptions {
  const { jobs, timeout } = CONFIG_TABLE
  const { values, issues } = inspectSettings(
    { jobs, timeout },
    { jobs: flags.jobs, timeout: flags.timeout },
    (name) => `--${name}`,
  )
  if (issues.length > 0) throw settingsError(issues)
  return {
    output: flags.output,
    // A folder from the configuration gives way to an output that is named.
    outputDir: flags.outputDir ?? (flags.output === undefined ? shortPath(config.outputDir) : undefined),
    name: flags.name ?? config.name,
    zip: flags.zip === true,
    force: flags.force === true || config.force,
    newer: flags.newer === true,
    dryRun: flags.dryRun === true,
    recursive: flags.recursive === true,
    nullSeparated: flags.nullSeparated === true,
    json: flags.json === true,
    quiet: flags.quiet === true || config.quiet,
    verbose: flags.verbose === true,
    failFast: flags.failFast === true,
    jobs: (values.jobs as number | undefined) ?? config.jobs,
    timeout: (values.timeout as number | undefined) ?? config.timeout,
  }
}
