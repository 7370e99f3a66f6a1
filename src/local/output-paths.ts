import { dirname, isAbsolute, join, relative } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { exists } from '../job/workspace.ts'
import { extensionOf, printableName } from '../media/file.ts'
import { suffixedName } from '../media/naming.ts'
import { type Claimant, type OutputClaims, type ProtectedFiles, refuseExisting } from './conflicts.ts'
import { behindLinks, type Destination, type OutputOptions } from './destination.ts'
import { checkExtension, patternName } from './output-names.ts'
import { fromFolder } from './records/beside.ts'
import type { FileState, FileStates } from './records/file-state.ts'
import { type Freshness, judge } from './records/freshness.ts'
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
  states: FileStates
  /** Records are kept beside the outputs as well. */
  keepsRecordsBeside: boolean
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
  /** Why --newer makes again what is there; undefined where nothing is. */
  reason: string | undefined
  /** All that the job reads, as it was before. */
  #inputs: Promise<readonly { state: FileState; hashed: Promise<FileState> }[]> | undefined
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
    return options.force === true || options.newer !== undefined || isReplaced
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
  knownPath(expected: string | undefined): string | undefined {
    const { destination, options, isSet } = this.context
    if (destination.kind === 'file' || destination.kind === 'zip' || destination.kind === 'members')
      return destination.path
    if (destination.kind !== 'named') return undefined
    if (options.name !== undefined && isSet) return this.path('', options.zip ? 'zip' : '')
    return expected === undefined || isSet ? undefined : this.path(expected, extensionOf(expected))
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
  async checkKnown(expected: string | undefined, set?: string): Promise<void> {
    const { destination, isSet, options, claims } = this.context
    const path = isSet ? this.setPath(set) : this.knownPath(expected)
    if (path === undefined || destination.kind === 'members') return
    if (isSet && destination.kind === 'named' && !options.zip) {
      claims.claim(path, this.job.claimant)
      if (!this.overwrites && (await exists(path)))
        throw new MediaprocError('OUTPUT_EXISTS', `${printableName(path)} is already there`)
    } else await this.check(path)
  }

  /** What outputs are named by in records: the one path, or a folder. A link may lead to another folder by now. */
  async #place(): Promise<string> {
    const { destination, options } = this.context
    const isNamed = 'path' in destination || options.name !== undefined
    const folder = destination.kind === 'members' ? destination.path : isNamed ? undefined : this.folder
    return folder === undefined ? physicalPath(this.path('', '')) : physicalFolder(folder)
  }

  /** What this job is in records: the same inputs to the same place. Its settings are not part of it: they may change. */
  async key(): Promise<string> {
    const { options, recipe } = this.context
    const inputs = await Promise.all(this.job.inputs.map(physicalPath))
    return keyOf(recipe.tool, inputs, await this.#place(), options.zip === true)
  }

  /** The folder that records beside outputs are relative to. */
  async recordsFolder(): Promise<string> {
    const { destination } = this.context
    return physicalFolder('path' in destination ? dirname(await behindLinks(destination.path)) : this.folder)
  }

  /** As `key`, seen from `recordsFolder`. */
  async besideKey(): Promise<string> {
    const { options, recipe } = this.context
    const folder = await this.recordsFolder()
    const inputs = await Promise.all(this.job.inputs.map(physicalPath))
    const seen = [...inputs, await this.#place()].map((path) => fromFolder(folder, path))
    return keyOf(recipe.tool, seen, options.zip === true)
  }

  /** Looks at all that the job reads, before it does: what changes while it runs must not seem to be what it read. */
  async readInputs(): Promise<void> {
    const { sources, inputs, isAgeless } = this.job
    const ageless = (path: string) => ({ state: { path }, hashed: Promise.resolve({ path }) })
    this.#inputs ??= isAgeless
      ? Promise.resolve(inputs.map(ageless))
      : Promise.all(sources.map((path) => this.context.states.look(path)))
    await this.#inputs
  }

  /** What `readInputs` saw, with the hashes that were computed meanwhile. */
  async hashedInputs(): Promise<FileState[]> {
    await this.readInputs()
    return Promise.all((await this.#inputs!).map(({ hashed }) => hashed))
  }

  /** Whether the record of an earlier run finds the job done, or why not; undefined where there is nothing. */
  async freshness(known: string | undefined): Promise<Freshness | undefined> {
    const { sources, isAgeless } = this.job
    const { recipe, states, options, keepsRecordsBeside } = this.context
    return judge(
      {
        job: await this.key(),
        ...(keepsRecordsBeside && { beside: { folder: await this.recordsFolder(), job: await this.besideKey() } }),
        recipe,
        inputs: isAgeless ? undefined : await Promise.all(sources.map(physicalPath)),
        states,
        alwaysHash: options.newer === 'hash',
      },
      known,
    )
  }

  /**
   * Whether --newer can skip the job before the tool is asked, by the record of the run that made what is there.
   * @param set the name of the set, where the tool gives one and it is known
   */
  async isUpToDate(expected: string | undefined, set?: string): Promise<boolean> {
    const { options, isSet } = this.context
    if (!options.newer) return false
    const found = await this.freshness(isSet ? this.setPath(set) : this.knownPath(expected))
    this.reason = found?.reason ?? this.reason
    if (found && found.reason === undefined) this.upToDate = found.outputs.map((one) => this.#asNamed(one))
    return this.upToDate !== undefined
  }

  /** A recorded output by the name that a run would print. */
  #asNamed({ path, bytes, type }: FinishedOutput): FinishedOutput {
    const { destination } = this.context
    const named = 'path' in destination ? destination.path : this.folder
    return { path: isAbsolute(named) ? path : relative('.', path), bytes, type }
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
