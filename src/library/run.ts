import { borrowSharpCache } from '../engines/sharp.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { checkCount } from '../job/accept.ts'
import { Workspace } from '../job/workspace.ts'
import { firstOf } from '../lists.ts'
import type { OutputOptions } from '../local/destination.ts'
import type { JobResult, PlannedRun } from '../local/planned-run.ts'
import { planToolRun } from '../local/tool-run.ts'
import { Isolation } from '../pipeline/isolate/isolation.ts'
import { findRedirected, findTool } from '../pipeline/read/find-tool.ts'
import type { Known, SettingsFor } from '../tool/tool-id.ts'
import { checkSettings } from '../tool/validate.ts'
import { deliver, type Output, type OutputForm } from './results.ts'
import { inputItems, isPlace, type Source } from './sources.ts'

/** One input, or as many as one job takes. */
export type Inputs = Source | readonly Source[]

/** Outputs of files are files; outputs of content are buffers. */
export type DefaultForm<In extends Inputs> = In extends string | URL | readonly (string | URL)[] ? 'file' : 'buffer'

export interface RunOptions<Form extends OutputForm = OutputForm> extends Pick<OutputOptions, 'force' | 'strict'> {
  /** The form of the outputs. By default files if all inputs are paths or addresses, and buffers otherwise. */
  as?: Form
  /** For files: their folder, created if absent; by default that of the first input, otherwise the current folder. */
  outputDir?: string
  /** For files: the single output, or the folder or ZIP file of a set. */
  output?: string
  /** Aborts the run; the promise is then rejected as CANCELED or TIMEOUT, depending on the signal's reason. */
  signal?: AbortSignal
  /** Progress from 0 to 1, with a short description of the current step. */
  onProgress?: (fraction: number, phase: string) => void
  /** Warnings as they occur; the result has them all. */
  onWarning?: (warning: Warning) => void
  /** The tool's named additional inputs. */
  secondary?: Readonly<Record<string, Source>>
  /** Time limit in seconds; by default the tool's own, 0 for none. */
  timeout?: number
}

/** What a run lost, cut, guessed or did not find. */
export interface Warning {
  message: string
  /** Advice on the input or the settings; the result is what was asked for. `strict` does not refuse it. */
  isAdvice: boolean
}

export interface RunResult<Form extends OutputForm = OutputForm> {
  /** In the tool's order; empty for tools that only report. */
  outputs: Output<Form>[]
  /** The tool's report, if it has one. */
  report?: Record<string, unknown>
  warnings: Warning[]
  /** Duration in milliseconds. */
  ms: number
}

/** Threads for engines that block: kept between calls, so that engines are loaded once. Idle ones do not keep the process alive. */
const isolation = new Isolation()

/** Settings are optional if none is required. */
type SettingsAndOptions<Settings, Form extends OutputForm> =
  Record<never, never> extends Settings
    ? [settings?: Settings, options?: RunOptions<Form>]
    : [settings: Settings, options?: RunOptions<Form>]

/** What `planToolRun` and `planPipelineRun` need of a call of the library. */
export type PlanRequest = Pick<Parameters<typeof planToolRun>[0], 'inputs' | 'items' | 'secondary' | 'signal'> & {
  options: OutputOptions & { timeout?: number }
}

/**
 * Runs one job: writes content to files, plans the run, runs it, and returns its outputs in the requested form.
 * @throws MediaprocError only
 */
export async function runPlanned<Form extends OutputForm>(
  inputs: Inputs,
  options: RunOptions<Form>,
  plan: (request: PlanRequest) => Promise<PlannedRun>,
): Promise<RunResult<Form> & Pick<JobResult, 'steps'>> {
  const started = performance.now()
  const { force, strict, timeout, outputDir, output, secondary = {}, onProgress = () => {}, onWarning } = options
  const signal = options.signal ?? new AbortController().signal
  const sources = Array.isArray(inputs) ? (inputs as readonly Source[]) : [inputs as Source]
  const form = options.as ?? ((sources.every(isPlace) ? 'file' : 'buffer') as Form)
  const warnings: Warning[] = []
  const workspace = new Workspace('.')
  const close = (): Promise<void> => workspace.remove()
  const returnCache = borrowSharpCache()
  try {
    if (form !== 'file' && (outputDir ?? output) !== undefined)
      throw new MediaprocError('USAGE', `outputDir and output name files, and the outputs are wanted as ${form}`, {
        hint: '',
      })
    const folder = (): Promise<string> => workspace.scratch()
    const items = await inputItems(sources, folder, signal)
    const further = await inputItems(Object.values(secondary), folder, signal)
    const names = Object.keys(secondary).map((name, index) => [
      name,
      further[index]?.path ?? further[index]?.given ?? '',
    ])
    // Files of content are written to the current folder: beside the input would be the temporary folder.
    const inMemory = form === 'file' ? (sources.every(isPlace) ? undefined : '.') : `${await folder()}/outputs`
    const run = await plan({
      ...{ inputs: items.map(({ given }) => given), items, secondary: Object.fromEntries(names), signal },
      options: {
        output,
        outputDir: output === undefined ? (outputDir ?? inMemory) : undefined,
        force,
        strict,
        timeout,
      },
    })
    try {
      if (run.jobs.length > 1)
        throw new MediaprocError('TOO_MANY_FILES', `${run.name} takes one input at a time, got ${items.length}`, {
          hint: 'Call it once for each.',
        })
      const { outputs, report, steps } = await run.run(firstOf(run.jobs), onProgress, (message, manner) => {
        const warning = { message, isAdvice: manner === 'advice' }
        warnings.push(warning)
        onWarning?.(warning)
      })
      const delivered = await deliver(form, outputs, close)
      return {
        outputs: delivered,
        report,
        warnings,
        ...(steps && { steps }),
        ms: Math.round(performance.now() - started),
      }
    } finally {
      await run.close()
    }
  } catch (error) {
    await close()
    throw toMediaprocError(error)
  } finally {
    returnCache()
  }
}

/**
 * Runs one tool once. Outputs appear by rename when they are complete; partial outputs are never left behind.
 * @param id `image/resize`, or with an action `image/edit-metadata/inspect`
 * @param inputs as many as the tool takes for one job: paths, http(s) addresses, buffers, Blobs, streams
 * @param settings by name, type-checked against the tool's table; defaults are filled in
 * @throws MediaprocError always, with a `code` of the catalogue
 */
export async function run<const Id extends string, const In extends Inputs, Form extends OutputForm = DefaultForm<In>>(
  id: Id & Known<Id>,
  inputs: In,
  ...rest: SettingsAndOptions<SettingsFor<Id>, Form>
): Promise<RunResult<Form>> {
  const [settings = {}, options = {}] = rest as [Readonly<Record<string, unknown>>?, RunOptions<Form>?]
  return runPlanned(inputs, options, async (request) => {
    const { found, given } = findRedirected(findTool(id), settings)
    const values = checkSettings(found.entry.settings, given)
    checkCount(found.entry.input, request.inputs.length, id)
    return planToolRun({ ...request, found, settings: values, isolation })
  })
}
