import { dirname, isAbsolute, join, relative } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { exists } from '../job/workspace.ts'
import { extensionOf, printableName } from '../media/file.ts'
import { suffixedName } from '../media/naming.ts'
import { type Claimant, type OutputClaims, type ProtectedFiles, refuseExisting } from './conflicts.ts'
import { behindLinks, type Destination, type OutputOptions } from './destination.ts'
import type { InputFacts } from './names/input-facts.ts'
import {
  checkInputFacts,
  expandPattern,
  lateNames,
  type NameFacts,
  namesMembers,
  type OutputFacts,
} from './names/pattern.ts'
import { checkExtension } from './output-names.ts'
import { fromFolder } from './records/beside.ts'
import type { FileState, FileStates } from './records/file-state.ts'
import { type Freshness, judge } from './records/freshness.ts'
import type { Recipe } from './records/recipe.ts'
import { keyOf, physicalFolder, physicalPath } from './records/record-store.ts'

/** A finished output. */
export interface FinishedOutput {
  /** As the user would type it; '-' for standard output. */
  path: string
  bytes: number
  type: string
  /** If a pipeline has several. */
  variant?: string
}

/** Options shared by the outputs of all jobs of a run. */
export interface OutputContext {
  tool: { section: string; id: string }
  settings: Readonly<Record<string, unknown>>
  /** The values of a row, as parts of names. */
  columns?: Readonly<Record<string, string>>
  destination: Destination
  options: OutputOptions
  /** The tool produces several files that belong together. */
  isSet: boolean
  /** The number of jobs. */
  count: number
  claims: OutputClaims
  protectedFiles: ProtectedFiles
  recipe: Recipe
  states: FileStates
  /** Records are also kept next to the outputs. */
  keepsRecordsBeside: boolean
  /** A folder for outputs written to a stream. */
  scratch(): Promise<string>
}

/** Options for the outputs of one job. */
export interface JobOutputs {
  /** The name of its first input; the tool's if it takes none. */
  inputName: string
  /** From 1. */
  number: number
  claimant: Claimant
  /** The folder of the input, for outputs next to it. */
  inputFolder: string
  /** The same relative to the current one; '.' if it is elsewhere or there is none. */
  dir: string
  /** The input's subfolder inside a folder given with -r. */
  subfolder: string
  /** Its own inputs: absolute paths; URLs and `-` as given. */
  inputs: readonly string[]
  /** All files that it reads, which --newer compares. */
  sources: readonly string[]
  /** Some of its input comes from a stream or a URL, which have no modification time. */
  isAgeless: boolean
  /** What the first input says about itself, for names; undefined until it is read. */
  facts: InputFacts | undefined
}

/** The name of a tool or action, safe for file names. */
export const nameOfTool = (id: string): string => id.replace('/', '-')

/** The destination of one job's outputs: staging folder, paths, and checks before the run. */
export class OutputPaths {
  /** The outputs that are up to date, if `--newer` found them so. */
  upToDate: FinishedOutput[] | undefined
  /** Why --newer recreates existing outputs; undefined if there are none. */
  reason: string | undefined
  /** The state of all files that the job reads, before the run. */
  #inputs: Promise<readonly { state: FileState; hashed: Promise<FileState> }[]> | undefined
  readonly context: OutputContext
  readonly job: JobOutputs

  constructor(context: OutputContext, job: JobOutputs) {
    this.context = context
    this.job = job
  }

  /** Whether existing outputs may be replaced. */
  get overwrites(): boolean {
    const { destination, options } = this.context
    const isReplaced = destination.kind !== 'named' && options.keepExisting !== true
    return options.force === true || options.newer !== undefined || isReplaced
  }

  /** The parent of the staging folder, chosen so that outputs appear by rename. */
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

  /** The folder for outputs named by the tool or --name. */
  get folder(): string {
    const { destination } = this.context
    return destination.kind === 'named' && destination.folder !== undefined
      ? join(destination.folder, this.job.subfolder)
      : this.job.inputFolder
  }

  /** Names contain facts of the outputs, such as their checksum: they are known when the outputs are complete. */
  get isLate(): boolean {
    const { destination, options } = this.context
    return (
      destination.kind === 'named' && options.name !== undefined && lateNames(options.name, this.context).length > 0
    )
  }

  /** The pattern names each file of a set, not its folder. */
  get namesMembers(): boolean {
    const { destination, options } = this.context
    return destination.kind === 'named' && options.name !== undefined && namesMembers(options.name, this.context)
  }

  #nameFacts(output?: OutputFacts): NameFacts {
    const { tool, settings, columns, count } = this.context
    const { inputName, number, dir, facts: input } = this.job
    return {
      ...{ inputName, tool: tool.id, section: tool.section, index: number, count, settings, dir },
      ...(columns && { columns }),
      ...(input && { input }),
      ...(output && { output }),
    }
  }

  /** @throws MediaprocError NO_NAME_VALUE if the input lacks a fact that the pattern needs */
  checkInputFacts(pattern: string): void {
    checkInputFacts(pattern, this.#nameFacts())
  }

  /** @throws MediaprocError NO_NAME_VALUE */
  #expand(name: string, extension: string, output?: OutputFacts): { path: string; isKnown: boolean } {
    const { destination, options, tool } = this.context
    if (destination.kind !== 'named') return { path: 'path' in destination ? destination.path : '-', isKnown: true }
    if (options.name !== undefined) {
      const found = expandPattern(options.name, this.#nameFacts(output), extension)
      return { path: join(this.folder, found.name), isKnown: found.isKnown }
    }
    // A tool that keeps the input's name cannot write next to it.
    const isOwn = destination.folder === undefined && name === this.job.inputName
    const path = join(this.folder, isOwn ? suffixedName({ name }, nameOfTool(tool.id), extension) : name)
    return { path, isKnown: true }
  }

  /** The path of an output (or set) of this name; undefined while a fact in it is unknown. */
  path(name: string, extension: string): string | undefined {
    const { path, isKnown } = this.#expand(name, extension)
    return isKnown ? path : undefined
  }

  /** The path for display, with placeholders for what is not known yet. */
  shownPath(name: string, extension: string): string {
    return this.#expand(name, extension).path
  }

  /** The path of a finished output (or set) of this name. @throws MediaprocError NO_NAME_VALUE */
  finalPath(name: string, extension: string, output: OutputFacts = {}): string {
    return this.#expand(name, extension, output).path
  }

  /** The path, if known before the run; undefined if it depends on the tool's own name. */
  knownPath(expected: string | undefined): string | undefined {
    const { destination, options, isSet } = this.context
    if (destination.kind === 'file' || destination.kind === 'zip' || destination.kind === 'members')
      return destination.path
    if (destination.kind !== 'named') return undefined
    if (options.name !== undefined && isSet)
      return this.namesMembers ? undefined : this.path('', options.zip ? 'zip' : '')
    return expected === undefined || isSet ? undefined : this.path(expected, extensionOf(expected))
  }

  /** The path for a set of this name, if known before the run. */
  setPath(name: string | undefined): string | undefined {
    const known = this.knownPath(undefined)
    if (known !== undefined || name === undefined || this.context.destination.kind !== 'named') return known
    if (this.namesMembers) return undefined
    return this.context.options.zip ? this.path(`${name}.zip`, 'zip') : this.path(name, '')
  }

  /** Checks a path before it is written. @throws MediaprocError */
  async check(path: string): Promise<void> {
    const { protectedFiles, claims } = this.context
    claims.claim(path, this.job.claimant)
    refuseExisting(path, await protectedFiles.refuse(path), this.overwrites)
  }

  /**
   * All checks that are possible before the run. @throws MediaprocError OUTPUT_COLLISION, OUTPUT_IS_INPUT,
   * OUTPUT_EXISTS …
   */
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

  /**
   * The identity of the outputs in records: the single path, or a folder. A link may point to another folder by now.
   */
  #place(): string {
    const { destination, options } = this.context
    const isNamed = 'path' in destination || options.name !== undefined
    const folder = destination.kind === 'members' ? destination.path : isNamed ? undefined : this.folder
    return folder === undefined ? physicalPath(this.shownPath('', '')) : physicalFolder(folder)
  }

  /**
   * The identity of this job in records: the same inputs and destination. Settings are not part of it: they may change.
   */
  key(): string {
    const { options, recipe } = this.context
    const inputs = this.job.inputs.map(physicalPath)
    return keyOf(recipe.tool, inputs, this.#place(), options.zip === true)
  }

  /** The base folder of records next to outputs. */
  async recordsFolder(): Promise<string> {
    const { destination } = this.context
    return physicalFolder('path' in destination ? dirname(await behindLinks(destination.path)) : this.folder)
  }

  /** Like `key`, relative to `recordsFolder`. */
  async besideKey(): Promise<string> {
    const { options, recipe } = this.context
    const folder = await this.recordsFolder()
    const inputs = this.job.inputs.map(physicalPath)
    const seen = [...inputs, this.#place()].map((path) => fromFolder(folder, path))
    return keyOf(recipe.tool, seen, options.zip === true)
  }

  /**
   * Captures the state of all files before the job reads them, so that changes during the run are not recorded as read.
   */
  async readInputs(): Promise<void> {
    const { sources, inputs, isAgeless } = this.job
    const ageless = (path: string) => ({ state: { path }, hashed: Promise.resolve({ path }) })
    this.#inputs ??= isAgeless
      ? Promise.resolve(inputs.map(ageless))
      : Promise.all(sources.map((path) => this.context.states.look(path)))
    await this.#inputs
  }

  /** The result of `readInputs`, with the hashes computed in the meantime. */
  async hashedInputs(): Promise<FileState[]> {
    await this.readInputs()
    return Promise.all((await this.#inputs!).map(({ hashed }) => hashed))
  }

  /** Whether the job is up to date according to its build record, or why not; undefined if there are no outputs. */
  async freshness(known: string | undefined): Promise<Freshness | undefined> {
    const { sources, isAgeless } = this.job
    const { recipe, states, options, keepsRecordsBeside } = this.context
    return judge(
      {
        job: this.key(),
        ...(keepsRecordsBeside && { beside: { folder: await this.recordsFolder(), job: await this.besideKey() } }),
        recipe,
        inputs: isAgeless ? undefined : sources.map(physicalPath),
        states,
        alwaysHash: options.newer === 'hash',
      },
      known,
    )
  }

  /**
   * Whether --newer can skip the job before the tool runs, according to the build record of the existing outputs.
   * @param set the name of the set, if the tool produces one and it is known
   */
  async isUpToDate(expected: string | undefined, set?: string): Promise<boolean> {
    const { options, isSet } = this.context
    if (!options.newer) return false
    const found = await this.freshness(isSet ? this.setPath(set) : this.knownPath(expected))
    this.reason = found?.reason ?? this.reason
    if (found && found.reason === undefined) this.upToDate = found.outputs.map((one) => this.#asNamed(one))
    return this.upToDate !== undefined
  }

  /** A recorded output under the name that a run would print. */
  #asNamed({ path, bytes, type }: FinishedOutput): FinishedOutput {
    const { destination } = this.context
    const named = 'path' in destination ? destination.path : this.folder
    return { path: isAbsolute(named) ? path : relative('.', path), bytes, type }
  }

  /** Called when the tool names its output, before it is made. Sets are checked when their name is known. */
  async beforeOutput(name: string): Promise<void> {
    const { destination, isSet, claims } = this.context
    if (isSet) return
    if (destination.kind === 'file') checkExtension(destination.path, extensionOf(name), '-o')
    if (destination.kind !== 'file' && destination.kind !== 'named') return
    const path = this.path(name, extensionOf(name))
    if (path !== undefined) claims.claim(path, this.job.claimant)
    if (await this.isUpToDate(name)) throw new MediaprocError('CANCELED', `${path ?? name} is up to date`)
    if (path !== undefined) await this.check(path)
  }
}
