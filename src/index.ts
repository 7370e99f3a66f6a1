/** The library: the same tools, checks and promises as the command line, for programs. */
import { toMediaprocError } from './errors.ts'
import { checkCount } from './job/accept.ts'
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

/** The name of a tool, a preset or an action: `image/resize`, `image/edit-metadata/inspect`. */
export type ToolId = Extract<keyof ToolSettings, string>

/** A finished output file. */
export type Output = FinishedOutput

export interface RunOptions extends Pick<OutputOptions, 'outputDir' | 'force' | 'strict'> {
  /** Stops the work; the promise is then rejected with the signal's reason as CANCELED or TIMEOUT. */
  signal?: AbortSignal
  /** How far the work is, from 0 to 1, and a word on what is being done. */
  onProgress?: (fraction: number, phase: string) => void
  /** The tool's named further inputs: paths or addresses. */
  secondary?: Readonly<Record<string, string>>
  /** Time limit in seconds; the tool's own by default, 0 for none. */
  timeout?: number
}

export interface RunResult {
  /** Files in place, in the tool's order; none for tools that only report. */
  outputs: Output[]
  /** The tool's report, where it has one. */
  report?: Record<string, unknown>
  /** What a person should know although the run succeeded. */
  warnings: string[]
  /** How long it took, in milliseconds. */
  ms: number
}

/** All tools and presets with their settings, as data; no tool is loaded. */
export function tools(): readonly CatalogueEntry[] {
  return catalogue()
}

/** Kept between calls, so that engines are loaded once; an idle thread does not keep the process from ending. */
const isolation = new Isolation()

/** A name that is written out must be that of a tool; one that only the run knows is looked up then. */
type Known<Id extends string> = string extends Id ? unknown : Id extends ToolId ? unknown : ToolId

/** The settings that a tool takes; of a name that only the run knows, anything. */
type SettingsFor<Id extends string> = Id extends ToolId ? ToolSettings[Id] : Readonly<Record<string, unknown>>

/** Settings may be left out where none is required. */
type SettingsAndOptions<Settings> =
  Record<never, never> extends Settings
    ? [settings?: Settings, options?: RunOptions]
    : [settings: Settings, options?: RunOptions]

/**
 * Runs one tool once. Outputs appear by rename when they are complete; whatever happens, nothing half done is left.
 * @param id `image/resize`, or with an action `image/edit-metadata/inspect`
 * @param inputs paths or http(s) addresses: as many as the tool takes for one job
 * @param settings by the names of the tool's table, which the compiler checks; defaults are filled in
 * @throws MediaprocError always with a `code` of the catalogue
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
      const { outputs, report } = await run.run(run.jobs[0]!, onProgress, (message) => warnings.push(message))
      return { outputs, report, warnings, ms: Math.round(performance.now() - started) }
    } finally {
      await run.close()
    }
  } catch (error) {
    throw toMediaprocError(error)
  }
}
