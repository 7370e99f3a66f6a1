/** The library: the same tools, checks and guarantees as the command line, for programs. */

import { toMediaprocError } from './errors.ts'
import { checkCount } from './job/accept.ts'
import { firstOf } from './lists.ts'
import type { OutputOptions } from './local/destination.ts'
import type { FinishedOutput } from './local/output-paths.ts'
import { planToolRun } from './local/tool-run.ts'
import { Isolation } from './pipeline/isolate/isolation.ts'
import { findRedirected, findTool } from './pipeline/read/find-tool.ts'
import type { CatalogueEntry } from './tool/catalogue.ts'
import { catalogue } from './tool/registry.ts'
import type { ToolSettings } from './tool/tool-settings.ts'
import { checkSettings } from './tool/validate.ts'

export { ERRORS, type ErrorCode, EXIT, type ExitCode, MediaprocError } from './errors.ts'
export type { CatalogueEntry } from './tool/catalogue.ts'
export type { InputSpec, OutputSpec, Section } from './tool/contract.ts'
export type { Setting, SettingsTable, SettingType } from './tool/settings.ts'
export type { ToolSettings } from './tool/tool-settings.ts'

/** The name of a tool, preset or action: `image/resize`, `image/edit-metadata/inspect`. */
export type ToolId = Extract<keyof ToolSettings, string>

/** A finished output file. */
export type Output = FinishedOutput

export interface RunOptions extends Pick<OutputOptions, 'outputDir' | 'force' | 'strict'> {
  /** Aborts the run; the promise is then rejected as CANCELED or TIMEOUT, depending on the signal's reason. */
  signal?: AbortSignal
  /** Progress from 0 to 1, with a short description of the current step. */
  onProgress?: (fraction: number, phase: string) => void
  /** The tool's named additional inputs: paths or URLs. */
  secondary?: Readonly<Record<string, string>>
  /** Time limit in seconds; defaults to the tool's own, 0 for none. */
  timeout?: number
}

export interface RunResult {
  /** Finished files in the tool's order; empty for tools that only report. */
  outputs: Output[]
  /** The tool's report, if it has one. */
  report?: Record<string, unknown>
  /** Warnings of a successful run. */
  warnings: string[]
  /** Duration in milliseconds. */
  ms: number
}

/** All tools and presets with their settings, as data; no tool is loaded. */
export function tools(): readonly CatalogueEntry[] {
  return catalogue()
}

/** Kept between calls, so that engines are loaded once; an idle thread does not keep the process alive. */
const isolation = new Isolation()

/** A literal name is checked at compile time; a dynamic one is looked up at run time. */
type Known<Id extends string> = string extends Id ? unknown : Id extends ToolId ? unknown : ToolId

/** The settings of a tool; any settings for a dynamic name. */
type SettingsFor<Id extends string> = Id extends ToolId ? ToolSettings[Id] : Readonly<Record<string, unknown>>

/** Settings are optional if none is required. */
type SettingsAndOptions<Settings> =
  Record<never, never> extends Settings
    ? [settings?: Settings, options?: RunOptions]
    : [settings: Settings, options?: RunOptions]

/**
 * Runs one tool once. Outputs appear by rename when they are complete; partial outputs are never left behind.
 * @param id `image/resize`, or with an action `image/edit-metadata/inspect`
 * @param inputs paths or http(s) URLs: as many as the tool takes for one job
 * @param settings by name, type-checked against the tool's table; defaults are filled in
 * @throws MediaprocError always, with a `code` of the catalogue
 */
export async function runTool<const Id extends string>(
  id: Id & Known<Id>,
  inputs: string | readonly string[],
  ...rest: SettingsAndOptions<SettingsFor<Id>>
): Promise<RunResult> {
  const [settings = {}, options = {}] = rest as [settings?: Readonly<Record<string, unknown>>, options?: RunOptions]
  const started = performance.now()
  const { outputDir, force, strict, timeout, secondary = {}, onProgress = () => {} } = options
  const signal = options.signal ?? new AbortController().signal
  const warnings: string[] = []
  try {
    const { found, given } = findRedirected(findTool(id), settings)
    const values = checkSettings(found.entry.settings, given)
    const names = typeof inputs === 'string' ? [inputs] : inputs
    checkCount(found.entry.input, names.length, id)
    const run = await planToolRun({
      found,
      settings: values,
      inputs: names,
      secondary,
      options: { outputDir, force, strict, timeout },
      signal,
      isolation,
    })
    try {
      const { outputs, report } = await run.run(firstOf(run.jobs), onProgress, (message) => warnings.push(message))
      return { outputs, report, warnings, ms: Math.round(performance.now() - started) }
    } finally {
      await run.close()
    }
  } catch (error) {
    throw toMediaprocError(error)
  }
}
