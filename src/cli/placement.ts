import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { MediaprocError } from '../errors.ts'
import { exists } from '../job/workspace.ts'
import { extensionOf, printableName } from '../media/file.ts'
import { suffixedName } from '../media/naming.ts'
import { mimeOf } from '../media/type.ts'
import { behindLinks, type Destination, type OutputOptions } from './destination.ts'
import { checkExtension, type NameFacts, patternName } from './name-pattern.ts'
import { type Claims, isUpToDate, type ProtectedFiles, refuseExisting } from './targets.ts'

/** One finished output as records show it. */
export interface PlacedOutput {
  /** As a person would type it; '-' for standard output. */
  path: string
  bytes: number
  type: string
}

export interface PlacementRequest {
  destination: Destination
  options: OutputOptions
  facts: NameFacts
  /** The job's number, and what its input is called, for collisions. */
  job: number
  given: string
  /** The folder of the input, for outputs beside it. */
  beside: string
  /** The input's folder inside a folder that was given with -r. */
  subfolder: string
  /** All input files of the run. */
  protectedFiles: ProtectedFiles
  /** Paths of this job's input files, which --newer compares. */
  sources: readonly string[]
  /** The tool gives several files that belong together. */
  set: boolean
  claims: Claims
  /** A folder for what goes to a stream. */
  scratch(): Promise<string>
  stdout: Writable
  stdoutIsTerminal: boolean
}

/** Where one job's outputs go: the folder they are staged in, their paths, and what is refused before the work. */
export class Placement {
  /** The output that is up to date, once `--newer` has found it so. */
  upToDate: string | undefined
  readonly request: PlacementRequest

  constructor(request: PlacementRequest) {
    this.request = request
  }

  /** Whether outputs that are there may be replaced. */
  get overwrites(): boolean {
    const { destination, options } = this.request
    return options.force || options.newer || destination.kind !== 'named'
  }

  /** The folder that outputs are staged beside, so that they appear by rename. */
  async stagingFolder(): Promise<string> {
    const { destination, scratch } = this.request
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
    const { destination, beside, subfolder } = this.request
    return destination.kind === 'named' && destination.folder !== undefined
      ? join(destination.folder, subfolder)
      : beside
  }

  /** The path of an output (or set) of this name. */
  target(name: string, extension: string): string {
    const { destination, options, facts } = this.request
    if (destination.kind !== 'named') return 'path' in destination ? destination.path : '-'
    if (options.name !== undefined) return join(this.folder, patternName(options.name, facts, extension))
    // A tool that keeps the input's own name cannot write beside it.
    const isOwn = destination.folder === undefined && name === facts.inputName
    return join(this.folder, isOwn ? suffixedName({ name }, facts.tool.replace('/', '-'), extension) : name)
  }

  /** The path that is known before the tool says anything; undefined where its own name decides. */
  known(foreseen: string | undefined): string | undefined {
    const { destination, options, set } = this.request
    if (destination.kind === 'file' || destination.kind === 'zip' || destination.kind === 'members')
      return destination.path
    if (destination.kind !== 'named') return undefined
    if (options.name !== undefined && set) return this.target('', options.zip ? 'zip' : '')
    return foreseen === undefined || set ? undefined : this.target(foreseen, extensionOf(foreseen))
  }

  /** What can be refused about a path before it is written. @throws MediaprocError */
  async check(target: string): Promise<void> {
    const { protectedFiles, claims, job, given } = this.request
    claims.claim(target, job, given)
    await protectedFiles.refuse(target)
    await refuseExisting(target, this.overwrites)
  }

  /** Everything that can be known before the work. @throws MediaprocError OUTPUT_COLLISION, OUTPUT_IS_INPUT, OUTPUT_EXISTS … */
  async checkKnown(foreseen: string | undefined): Promise<void> {
    const target = this.known(foreseen)
    if (target === undefined || this.request.destination.kind === 'members') return
    const { set, options, claims, job, given, destination } = this.request
    if (set && destination.kind === 'named' && !options.zip) {
      claims.claim(target, job, given)
      if (!this.overwrites && (await exists(target)))
        throw new MediaprocError('OUTPUT_EXISTS', `${printableName(target)} is already there`)
    } else await this.check(target)
  }

  /** Whether --newer can skip the job before the tool is asked. */
  async isUpToDate(foreseen: string | undefined): Promise<boolean> {
    const { options, sources } = this.request
    const target = this.known(foreseen)
    if (!options.newer || target === undefined || sources.length === 0 || !(await isUpToDate(target, sources)))
      return false
    this.upToDate = target
    return true
  }

  /** What --newer found up to date, as records show it. */
  async upToDateOutputs(): Promise<PlacedOutput[]> {
    const target = this.upToDate!
    const names = (await stat(target)).isDirectory() ? (await readdir(target, { recursive: true })).sort() : ['']
    const files = await Promise.all(
      names.map(async (name) => ({ path: join(target, name), about: await stat(join(target, name)) })),
    )
    return files
      .filter(({ about }) => about.isFile())
      .map(({ path, about }) => ({ path, bytes: about.size, type: mimeOf(extensionOf(path)) }))
  }

  /** For the moment when the tool names its output, before it makes it. Sets are judged when their name is known. */
  async beforeOutput(name: string): Promise<void> {
    const { destination, options, set, sources, claims, job, given } = this.request
    if (set) return
    if (destination.kind === 'file') checkExtension(destination.path, extensionOf(name), '-o')
    if (destination.kind !== 'file' && destination.kind !== 'named') return
    const target = this.target(name, extensionOf(name))
    claims.claim(target, job, given)
    if (options.newer && sources.length > 0 && (await isUpToDate(target, sources))) {
      this.upToDate = target
      throw new MediaprocError('CANCELED', `${target} is up to date`)
    }
    await this.check(target)
  }
}
