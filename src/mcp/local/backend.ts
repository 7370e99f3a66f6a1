import { dirname } from 'node:path'
import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { Workspace } from '../../job/workspace.ts'
import { Isolation } from '../../pipeline/isolate/isolation.ts'
import { catalogue } from '../../tool/registry.ts'
import { dataResult, runResult } from '../answers.ts'
import { type Arguments, flag, list, object, optionalText, requiredText } from '../arguments.ts'
import type { Backend, Call, Outcome } from '../backend.ts'
import { LIMITS } from '../definitions.ts'
import { usableTool } from '../discover.ts'
import { type Delivery, deliver, parkedOf } from './deliver.ts'
import { factsOf } from './inspect.ts'
import { openFile, openFolder } from './open-within.ts'
import { ParkedOutputs } from './parked.ts'
import { previewOf } from './preview.ts'
import { answeredRoots, askForRoots } from './questions.ts'
import { explained, readSteps } from './read-pipeline.ts'
import { contentOf, RecentResults } from './recent.ts'
import { namedPath, outsideRoots, type Root } from './roots.ts'
import { pipelineRunner, type Runner, runJobs, toolRunner } from './run-files.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

/** The paths of a call. */
function pathsOf(given: Arguments): string[] {
  return list(given, 'files', LIMITS.files).map((_file, index, all) =>
    requiredText({ files: all[index] }, 'files', LIMITS.path),
  )
}

/** A file name without folders. @throws MediaprocError VALIDATION_ERROR */
function outputName(given: Arguments): string | undefined {
  const name = optionalText(given, 'output_name', LIMITS.name)
  if (name === undefined || !(/[/\\]/.test(name) || /^\.{1,2}$/.test(name))) return name
  throw new MediaprocError('VALIDATION_ERROR', 'output_name: Expected a file name without folders', {
    hint: 'Name the folder with output_dir.',
  })
}

/** Runs on files of this machine, within the roots. */
export class LocalBackend implements Backend {
  readonly place = 'local'
  readonly template = {
    uriTemplate: 'file://{+path}',
    name: 'file',
    description: 'A result, or another file in the folders that may be used',
  }
  readonly #own: readonly Root[]
  readonly #isolation = new Isolation()
  readonly #parked = new ParkedOutputs()
  readonly #recent = new RecentResults()

  /** @param roots those of the command line; without any, those of the client */
  constructor(roots: readonly Root[]) {
    this.#own = roots
  }

  usable(): Promise<ReturnType<typeof catalogue>> {
    return Promise.resolve(catalogue())
  }

  async resources(): Promise<ReturnType<RecentResults['list']>> {
    return this.#recent.list()
  }

  /** The folders that may be used, or the question for them. @throws MediaprocError ROOT_REQUIRED */
  async #roots(call: Call): Promise<readonly Root[] | InputRequiredResult> {
    if (this.#own.length > 0) return this.#own
    const answered = await answeredRoots(call)
    if (answered && answered.length > 0) return answered
    if (!answered && call.client.hasRoots) return askForRoots()
    throw new MediaprocError('ROOT_REQUIRED')
  }

  async runTool(given: Arguments, call: Call): Promise<Outcome> {
    const found = usableTool(requiredText(given, 'tool', LIMITS.id), await this.usable())
    const settings = object(given, 'settings')
    const name = outputName(given)
    const extra = object(given, 'extra_files')
    return this.#run(given, call, async (take) => {
      const secondary: Record<string, Snapshot> = {}
      for (const key of Object.keys(extra)) secondary[key] = await take(requiredText(extra, key, LIMITS.path))
      return toolRunner(found, settings, secondary, name, this.#isolation)
    })
  }

  async runPipeline(given: Arguments, call: Call): Promise<Outcome> {
    const plan = await readSteps(given)
    if (flag(given, 'explain')) return dataResult(await explained(plan))
    return this.#run(given, call, async () => pipelineRunner(plan))
  }

  async inspectFile(given: Arguments, call: Call): Promise<Outcome> {
    const file = requiredText(given, 'file', LIMITS.path)
    const roots = await this.#roots(call)
    if (!Array.isArray(roots)) return roots as InputRequiredResult
    const workspace = new Workspace('.')
    try {
      const { path } = await takeSnapshot(roots, file, await workspace.scratch(), call.signal)
      const facts = await factsOf(path, call.signal)
      const preview = await previewOf(path, call.signal)
      return runResult(facts, [], preview ? [preview] : [])
    } finally {
      await workspace.remove()
    }
  }

  async read(uri: string): ReturnType<Backend['read']> {
    const roots = this.#own
    if (!uri.startsWith('file://')) throw new MediaprocError('NOT_FOUND', 'Resources are addresses of files: file:///…')
    if (roots.length === 0) throw new MediaprocError('ROOT_REQUIRED')
    if (uri.length > LIMITS.path * 3) throw outsideRoots('file://…', roots)
    const opened = await openFile(roots, namedPath(roots, uri), uri)
    try {
      return await contentOf(uri, opened)
    } finally {
      await opened.handle.close()
    }
  }

  /** Takes the inputs, runs the jobs, and places the outputs; or places those of an earlier round. */
  async #run(
    given: Arguments,
    call: Call,
    runnerOf: (take: (file: string) => Promise<Snapshot>) => Promise<Runner>,
  ): Promise<Outcome> {
    const files = pathsOf(given)
    const outputDir = optionalText(given, 'output_dir', LIMITS.path)
    const overwrite = flag(given, 'overwrite')
    const roots = await this.#roots(call)
    if (!Array.isArray(roots)) return roots as InputRequiredResult
    const delivery: Delivery = { roots, overwrite, call, parked: this.#parked, recent: this.#recent }
    const earlier = parkedOf(delivery)
    if (earlier) return deliver(delivery, earlier, true)
    const named = outputDir === undefined ? undefined : namedPath(roots, outputDir)
    if (named !== undefined) await (await openFolder(roots, named, outputDir ?? '')).close()
    const workspace = new Workspace('.')
    const remove = (): Promise<void> => workspace.remove()
    try {
      const scratch = await workspace.scratch()
      const take = (file: string): Promise<Snapshot> => takeSnapshot(roots, file, scratch, call.signal)
      const runner = await runnerOf(take)
      const inputs: Snapshot[] = []
      for (const file of files) inputs.push(await take(file))
      const folderOf = ([first]: readonly Snapshot[]): string =>
        named ?? (first ? dirname(first.from) : roots[0]?.path) ?? '.'
      const jobs = await runJobs(runner, inputs, { scratch, folderOf, call })
      return await deliver(delivery, { jobs, remove }, false)
    } catch (error) {
      await remove()
      throw toMediaprocError(error)
    }
  }

  async close(): Promise<void> {
    await this.#parked.close()
    await this.#isolation.close()
  }
}
