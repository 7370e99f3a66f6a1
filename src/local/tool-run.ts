import { MediaprocError } from '../errors.ts'
import { checkCount, checkRequiredFor } from '../job/accept.ts'
import { defaultConcurrency } from '../job/batch.ts'
import { runJob } from '../job/run.ts'
import { stagingFolders, Workspace } from '../job/workspace.ts'
import { firstOf } from '../lists.ts'
import { type MediaFile, totalBytes } from '../media/file.ts'
import { once } from '../once.ts'
import { Isolation } from '../pipeline/isolate/isolation.ts'
import type { FoundTool } from '../pipeline/read/find-tool.ts'
import type { SharedClaims } from './conflicts.ts'
import type { OutputOptions } from './destination.ts'
import { type ExpandOptions, expandInputs, type InputItem, namedInput } from './inputs.ts'
import { planManifest } from './manifest/write-manifest.ts'
import { openInput } from './open-input.ts'
import { outputConversion, outputRoute } from './output-conversion.ts'
import type { OutputPaths } from './output-paths.ts'
import { OutputPlan } from './output-plan.ts'
import { checkInputs, isAllSkipped, type JobResult, jobsFor, type PlannedRun } from './planned-run.ts'
import { toolRecipe } from './records/recipe.ts'
import type { RemoteRunner } from './remote-runner.ts'
import { saveAll } from './save-outputs.ts'

/** Options for running a tool. */
export interface ToolRequest {
  found: FoundTool
  /** Checked against the tool's table. */
  settings: Record<string, unknown>
  inputs: readonly string[]
  /** The resolved `inputs`, if already known. */
  items?: readonly InputItem[]
  /** The tool's additional named inputs. */
  secondary: Readonly<Record<string, string>>
  options: OutputOptions & {
    /** Time limit per job in seconds; defaults to the tool's own, 0 for none. */
    timeout?: number
  }
  signal: AbortSignal
  /** Threads for blocking work; defaults to the run's own, which end with it. */
  isolation?: Isolation
  /** Claims of other runs of this process; defaults to the run's own. */
  shared?: SharedClaims
  /** Runs the jobs on a server. */
  remote?: RemoteRunner | undefined
  /** Interprets inputs as shell arguments: patterns, folders, @lists, `-`. Otherwise each is a literal path or URL. */
  expand?: ExpandOptions
}

/**
 * Checks that need no access to the inputs: none given to a tool that takes some, or some to a tool that takes none.
 */
function checkNamed({ found: { entry }, inputs }: ToolRequest): void {
  const name = `${entry.section}/${entry.id}`
  if (entry.input.files === 'none' && inputs.length > 0)
    throw new MediaprocError('TOO_MANY_FILES', `${name} takes no input file, got ${inputs[0]}`)
  if (entry.input.min > 0 && inputs.length === 0)
    throw new MediaprocError('NO_FILE', `${name} needs an input file`, {
      hint: `mediaproc ${entry.section} ${entry.id} --help shows how it is used.`,
    })
}

async function inputItems({ inputs, items, found, expand }: ToolRequest): Promise<InputItem[]> {
  if (items) return [...items]
  return expand ? expandInputs(inputs, found.entry.input, expand) : inputs.map(namedInput)
}

async function secondaryItems({ secondary, expand }: ToolRequest): Promise<Record<string, InputItem>> {
  const items: Record<string, InputItem> = {}
  for (const [name, given] of Object.entries(secondary)) {
    const found = expand
      ? await expandInputs(
          [given],
          { accept: ['*'], files: 'one' },
          { ...expand, recursive: false, outputDir: undefined },
        )
      : [namedInput(given)]
    if (found.length !== 1)
      throw new MediaprocError('USAGE', `Expected one file for --${name}, got ${given}`, { hint: '' })
    items[name] = firstOf(found)
  }
  return items
}

async function openAll(
  items: Readonly<Record<string, InputItem>>,
  open: (item: InputItem) => Promise<MediaFile>,
): Promise<Record<string, MediaFile>> {
  const opened = Object.entries(items).map(async ([name, item]) => [name, await open(item)] as const)
  return Object.fromEntries(await Promise.all(opened))
}

const pathsOf = (items: Readonly<Record<string, InputItem>>): Record<string, string> =>
  Object.fromEntries(Object.entries(items).map(([name, { path, given }]) => [name, path ?? given]))

/** --newer found the outputs up to date. */
const skipped = (paths: OutputPaths): JobResult => ({
  skipped: true,
  outputs: paths.upToDate!,
})

/**
 * Plans a tool run and checks everything that can be checked before it starts.
 * @throws MediaprocError for problems with the run as a whole
 */
export async function planToolRun(request: ToolRequest): Promise<PlannedRun> {
  const { found, settings, options, signal, isolation = new Isolation() } = request
  const { entry } = found
  const name = `${entry.section}/${entry.id}`
  checkNamed(request)
  const conversion = outputConversion(entry, settings, options.output)
  const { runnable, check } = await found.load({ isolation, ...(conversion && { conversion }) })
  const tool = request.remote?.tool(found, runnable, conversion) ?? runnable
  check?.(settings)
  checkRequiredFor(entry.input, settings, Object.keys(request.secondary))
  const items = await inputItems(request)
  if (entry.input.files === 'many') checkCount(tool.input, items.length, name)
  const further = await secondaryItems(request)
  const jobs = jobsFor(items, entry.input)
  const workspace = new Workspace('.')
  const staging = stagingFolders()
  const scratch = (): Promise<string> => workspace.scratch()
  const outputs = new OutputPlan({
    entry,
    jobs,
    further: Object.values(further),
    settings,
    options,
    recipe: toolRecipe(name, entry.settings, settings, pathsOf(further)),
    streams: request.expand?.streams,
    scratch,
    ...{ shared: request.shared, signal },
    canBecome: (extension) => outputRoute(entry, settings, options.output, extension) !== undefined,
  })
  const { manifest } = options
  if (manifest !== undefined) await planManifest(manifest, options.force === true, [outputs])
  await outputs.check()
  const open = (item: InputItem): Promise<MediaFile> => openInput(item, scratch, signal, entry.input.mayBeEmpty)
  const secondary = once(() => openAll(further, open))
  return {
    name,
    jobs,
    concurrency: request.remote?.concurrency ?? defaultConcurrency(entry.heavy),
    ...(manifest !== undefined && { manifest }),
    settings: Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [key, entry.settings[key]?.secret ? '…' : value]),
    ),
    ...(!request.remote && { prepare: () => void isolation.prepare([{ name, engines: entry.engines }]) }),
    async preview(job) {
      const planned = await outputs.preview(job)
      if (!isAllSkipped(planned)) await checkInputs(job, tool.input, name)
      return planned
    },
    async run(job, onProgress, onWarning) {
      const refused = outputs.refused.get(job)
      if (refused) throw refused
      const early = await outputs.upToDate(job)
      if (early) return skipped(early)
      const inputs: MediaFile[] = []
      for (const item of job.items) inputs.push(await open(item))
      await outputs.readFacts(job, inputs[0])
      const paths = outputs.paths(job, inputs[0]?.name)
      await paths.readInputs()
      try {
        return await runJob(
          {
            tool,
            inputs,
            secondary: await secondary(),
            settings: structuredClone(settings),
            destination: await paths.stagingFolder(),
            staging,
            signal,
            timeoutS: options.timeout,
            strict: options.strict,
            onProgress,
            onWarning,
            onOutput: (output) => paths.beforeOutput(output),
          },
          async (result, stage) => ({
            outputs: (await saveAll([{ paths, result, stage }])).flat(),
            ...(paths.reason !== undefined && { reason: paths.reason }),
            inputBytes: totalBytes(inputs),
            report: result.report,
            lines: result.lines,
          }),
        )
      } catch (error) {
        if (paths.upToDate !== undefined) return skipped(paths)
        throw error
      }
    },
    async close() {
      if (isolation !== request.isolation) await isolation.close()
      await staging.remove()
      await workspace.remove()
    },
  }
}
