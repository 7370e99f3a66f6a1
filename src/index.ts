/** The library: the same tools, checks and promises as the command line, for programs. */
import { type InputItem, namedInput } from './cli/inputs.ts'
import { openInput } from './cli/open-input.ts'
import type { PlacedOutput } from './cli/placement.ts'
import { Plan } from './cli/plan.ts'
import { openOnce, runPlanned } from './cli/run-planned.ts'
import { toMediaprocError } from './errors.ts'
import { checkCount } from './job/accept.ts'
import { Workspace } from './job/workspace.ts'
import { findTarget } from './pipeline/target.ts'
import type { CatalogueEntry } from './tool/catalogue.ts'
import { catalogue } from './tool/registry.ts'
import { checkSettings } from './tool/validate.ts'

export { ERRORS, type ErrorCode, EXIT, type ExitCode, MediaprocError } from './errors.ts'
export type { CatalogueEntry } from './tool/catalogue.ts'
export type { InputSpec, OutputSpec, Section } from './tool/contract.ts'
export type { Setting, SettingsTable, SettingType } from './tool/settings.ts'

/** A finished output file. */
export type Output = PlacedOutput

export interface RunOptions {
  /** Folder for the outputs, made if absent; beside the first input by default, else the current folder. */
  outputDir?: string
  /** Stops the work; the promise is then rejected with the signal's reason as CANCELED or TIMEOUT. */
  signal?: AbortSignal
  /** How far the work is, from 0 to 1, and a word on what is being done. */
  onProgress?: (fraction: number, phase: string) => void
  /** The tool's named further inputs: paths or addresses. */
  secondary?: Readonly<Record<string, string>>
  /** Replace outputs that are already there; otherwise that is OUTPUT_EXISTS. Inputs are never replaced. */
  force?: boolean
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

/** What only the command line can ask for. */
const SWITCHED_OFF = {
  zip: false,
  newer: false,
  dryRun: false,
  recursive: false,
  nullSeparated: false,
  json: false,
  quiet: true,
  verbose: false,
  failFast: false,
} as const

/** All tools and presets with their settings, as data; no tool is loaded. */
export function tools(): readonly CatalogueEntry[] {
  return catalogue()
}

/**
 * Runs one tool once. Outputs appear by rename when they are complete; whatever happens, nothing half done is left.
 * @param id `image/resize`, or with an action `image/edit-metadata/inspect`
 * @param inputs paths or http(s) addresses: as many as the tool takes for one job
 * @param settings by the names of the tool's table; defaults are filled in
 * @throws MediaprocError always with a `code` of the catalogue
 */
export async function runTool(
  id: string,
  inputs: string | readonly string[],
  settings: Readonly<Record<string, unknown>> = {},
  options: RunOptions = {},
): Promise<RunResult> {
  const started = performance.now()
  const workspace = new Workspace('.')
  const scratch = (): Promise<string> => workspace.scratch()
  const signal = options.signal ?? new AbortController().signal
  const warnings: string[] = []
  try {
    const target = findTarget(id)
    const { entry } = target
    const values = checkSettings(entry.settings, { ...settings })
    const { runnable, check } = await target.load()
    check?.(values)
    const items = (typeof inputs === 'string' ? [inputs] : inputs).map(namedInput)
    checkCount(runnable.input, items.length, id)
    const further = Object.entries(options.secondary ?? {}).map(([name, given]) => [name, namedInput(given)] as const)
    const secondary = Object.fromEntries(further)
    const plan = new Plan({
      entry,
      items,
      secondary,
      settings: values,
      options: { ...SWITCHED_OFF, outputDir: options.outputDir, force: options.force === true },
      stdout: process.stdout,
      stdoutIsTerminal: false,
      scratch,
    })
    await plan.check()
    const open = (item: InputItem) => openInput(item, () => process.stdin, scratch, signal)
    const { outputs, report } = await runPlanned(
      {
        plan,
        tool: runnable,
        settings: values,
        signal,
        timeoutS: options.timeout,
        open,
        secondary: openOnce(secondary, open),
      },
      plan.jobs[0]!,
      { onProgress: options.onProgress, onWarning: (message) => warnings.push(message) },
    )
    return { outputs, report, warnings, ms: Math.round(performance.now() - started) }
  } catch (error) {
    throw toMediaprocError(error)
  } finally {
    await workspace.remove()
  }
}
