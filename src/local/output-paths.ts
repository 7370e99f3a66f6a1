import { readdir, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { exists } from '../job/workspace.ts'
import { extensionOf, printableName } from '../media/file.ts'
import { suffixedName } from '../media/naming.ts'
import { mimeOf } from '../media/type.ts'
import { type Claimant, isUpToDate, type OutputClaims, type ProtectedFiles, refuseExisting } from './conflicts.ts'
import { behindLinks, type Destination, type OutputOptions } from './destination.ts'
import { checkExtension, patternName } from './output-names.ts'
import { type CurrentBuild, type Freshness, judge } from './records/freshness.ts'
import type { InputState, InputStates } from './records/input-states.ts'
import type { Recipe } from './records/recipe.ts'
import { keyOf, physicalFolder, physicalPath } from './records/record-store.ts'

/** One finished output. */
export interface FinishedOutput {
  /** As a person would type it; '-' for standard output. */
  path: string
  bytes: number
  type: string
  /** Where a pipeline has several. */
  variant?: string
}

/** What the outputs of all jobs of a run share. */
export interface OutputContext {
  tool: { section: string; id: string }
  settings: Readonly<Record<string, unknown>>
  destination: Destination
  options: OutputOptions
  /** The tool gives several files that belong together. */
  isSet: boolean
  /** How many jobs there are. */
  count: number
  claims: OutputClaims
  protectedFiles: ProtectedFiles
  recipe: Recipe
  inputStates: InputStates
  /** A folder for what goes to a stream. */
  scratch(): Promise<string>
}

/** What is special to the outputs of one job. */
export interface JobOutputs {
  /** The name of its first input; the tool's where it takes none. */
  inputName: string
  /** From 1. */
  number: number
  claimant: Claimant
  /** The folder of the input, for outputs beside it. */
  inputFolder: string
  /** The same seen from the current one; '.' where it lies elsewhere or is none. */
  dir: string
  /** The input's folder inside a folder that was given with -r. */
  subfolder: string
  /** Its own inputs: absolute paths; addresses and `-` as they were given. */
  inputs: readonly string[]
  /** All files that it reads, which --newer compares. */
  sources: readonly string[]
  /** Something that it reads comes from a stream or an address, which have no age. */
  isAgeless: boolean
}

/** The name of a tool or an action as part of a file name. */
export const nameOfTool = (id: string): string => id.replace('/', '-')

/** Where one job's outputs go: the folder they are staged in, their paths, and what is refused before the work. */
export class OutputPaths {
  /** The outputs that are up to date, once `--newer` has found them so. */
  upToDate: FinishedOutput[] | undefined
  /** All that the job reads, as it was before. */
  #states: Promise<InputState[]> | undefined
  readonly context: OutputContext
  readonly job: JobOutputs

  constructor(context: OutputContext, job: JobOutputs) {
    this.context = context
    this.job = job
  }

  /** Whether outputs that are there may be replaced. */
  get overwrites(): boolean {
    const { destination, options } = this.context
    const isReplaced = destination.kind !== 'named' && options.keepExisting !== true
    return options.force === true || options.newer === true || isReplaced
  }

  /** The folder that outputs are staged beside, so that they appear by rename. */
  async stagingFolder(): Promise<string> {
    const { destination, scratch } = this.context
    switch (destination.kind) {
      case 'stdout':
      case 'device':
        return scratch()
      case 'members':
        return (await exists(destination.path)) ? destination.path : dirname(destination.path)
      case 'file':
      case 'zip':
        return dirname(await behindLinks(destination.path))
      case 'named':
        return this.folder
    }
  }

  /** The folder for outputs under the tool's own names or --name. */
  get folder(): string {
    const { destination } = this.context
    return destination.kind === 'named' && destination.folder !== undefined
      ? join(destination.folder, this.job.subfolder)
      : this.job.inputFolder
  }

  /** The path of an output (or set) of this name. */
  path(name: string, extension: string): string {
    const { destination, options, tool, settings, count } = this.context
    if (destination.kind !== 'named') return 'path' in destination ? destination.path : '-'
    const { inputName, number, dir } = this.job
    if (options.name !== undefined) {
      const facts = { inputName, tool: tool.id, section: tool.section, index: number, count, settings, dir }
      return join(this.folder, patternName(options.name, facts, extension))
    }
    // A tool that keeps the input's own name cannot write beside it.
    const isOwn = destination.folder === undefined && name === inputName
    return join(this.folder, isOwn ? suffixedName({ name }, nameOfTool(tool.id), extension) : name)
  }

  /** The path that is known before the tool says anything; undefined where its own name decides. */
  knownPath(foreseen: string | undefined): string | undefined {
    const { destination, options, isSet } = this.context
    if (destination.kind === 'file' || destination.kind === 'zip' || destination.kind === 'members')
      return destination.path
    if (destination.kind !== 'named') return undefined
    if (options.name !== undefined && isSet) return this.path('', options.zip ? 'zip' : '')
    return foreseen === undefined || isSet ? undefined : this.path(foreseen, extensionOf(foreseen))
  }

  /** Where a set of this name goes, as far as it is known before the tool says anything. */
  setPath(name: string | undefined): string | undefined {
    const known = this.knownPath(undefined)
    if (known !== undefined || name === undefined || this.context.destination.kind !== 'named') return known
    return this.context.options.zip ? this.path(`${name}.zip`, 'zip') : this.path(name, '')
  }

  /** What can be refused about a path before it is written. @throws MediaprocError */
  async check(path: string): Promise<void> {
    const { protectedFiles, claims } = this.context
    claims.claim(path, this.job.claimant)
    refuseExisting(path, await protectedFiles.refuse(path), this.overwrites)
  }

  /** Everything that can be known before the work. @throws MediaprocError OUTPUT_COLLISION, OUTPUT_IS_INPUT, OUTPUT_EXISTS … */
  async checkKnown(foreseen: string | undefined, set?: string): Promise<void> {
    const { destination, isSet, options, claims } = this.context
    const path = isSet ? this.setPath(set) : this.knownPath(foreseen)
    if (path === undefined || destination.kind === 'members') return
    if (isSet && destination.kind === 'named' && !options.zip) {
      claims.claim(path, this.job.claimant)
      if (!this.overwrites && (await exists(path)))
        throw new MediaprocError('OUTPUT_EXISTS', `${printableName(path)} is already there`)
    } else await this.check(path)
  }

  /** What this job is in records: the same inputs to the same place. Its settings are not part of it: they may change. */
  async key(): Promise<string> {
    const { destination, options, recipe } = this.context
    const isNamed = 'path' in destination || options.name !== undefined
    const folder = destination.kind === 'members' ? destination.path : isNamed ? undefined : this.folder
    // A link may lead to another folder by now.
    const place = await (folder === undefined ? physicalPath(this.path('', '')) : physicalFolder(folder))
    return keyOf(recipe.tool, await Promise.all(this.job.inputs.map(physicalPath)), place, options.zip === true)
  }

  /** Looks at all that the job reads, before it does: what changes while it runs must not seem to be what it read. */
  async readInputs(): Promise<InputState[]> {
    const { sources, inputs, isAgeless } = this.job
    this.#states ??= Promise.all(
      isAgeless ? inputs.map(async (path) => ({ path })) : sources.map((path) => this.context.inputStates.of(path)),
    )
    return this.#states
  }

  /** Whether the record of an earlier run finds the job done, or why not; undefined where there is none. */
  async freshness(foreseen: string | undefined): Promise<Freshness | undefined> {
    const { sources, isAgeless } = this.job
    const build: CurrentBuild = {
      job: await this.key(),
      recipe: this.context.recipe,
      inputs: isAgeless ? undefined : await Promise.all(sources.map(physicalPath)),
    }
    return judge(build, this.knownPath(foreseen), async (path) => !(await isUpToDate(path, sources)))
  }

  /** Whether --newer can skip the job before the tool is asked: by the record of the run that made it, else by time stamps. */
  async isUpToDate(foreseen: string | undefined): Promise<boolean> {
    if (this.context.options.newer !== true) return false
    const found = await this.freshness(foreseen)
    const path = this.knownPath(foreseen)
    if (found && found.reason === undefined) this.upToDate = found.outputs.map((one) => this.#asNamed(one))
    else if (!found && path !== undefined && (await this.#isNewEnough(path)))
      this.upToDate = await this.#outputsAt(path)
    return this.upToDate !== undefined
  }

  async #isNewEnough(path: string): Promise<boolean> {
    const { sources, isAgeless } = this.job
    return !isAgeless && sources.length > 0 && isUpToDate(path, sources)
  }

  /** A recorded output by the name that a run would print. */
  #asNamed({ path, bytes, type }: FinishedOutput): FinishedOutput {
    const { destination } = this.context
    const named = 'path' in destination ? destination.path : this.folder
    return { path: isAbsolute(named) ? path : relative('.', path), bytes, type }
  }

  /** What lies at a path that time stamps found up to date. */
  async #outputsAt(found: string): Promise<FinishedOutput[]> {
    const names = (await stat(found)).isDirectory() ? (await readdir(found, { recursive: true })).sort() : ['']
    const files = await Promise.all(
      names.map(async (name) => ({ path: join(found, name), about: await stat(join(found, name)) })),
    )
    return files
      .filter(({ about }) => about.isFile())
      .map(({ path, about }) => ({ path, bytes: about.size, type: mimeOf(extensionOf(path)) }))
  }

  /** For the moment when the tool names its output, before it makes it. Sets are judged when their name is known. */
  async beforeOutput(name: string): Promise<void> {
    const { destination, isSet, claims } = this.context
    if (isSet) return
    if (destination.kind === 'file') checkExtension(destination.path, extensionOf(name), '-o')
    if (destination.kind !== 'file' && destination.kind !== 'named') return
    const path = this.path(name, extensionOf(name))
    claims.claim(path, this.job.claimant)
    if (await this.isUpToDate(name)) throw new MediaprocError('CANCELED', `${path} is up to date`)
    await this.check(path)
  }
}
