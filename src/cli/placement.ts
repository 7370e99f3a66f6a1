import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../errors.ts'
import { exists, placeFile, placeFolder } from '../job/workspace.ts'
import { extensionOf, stemOf } from '../media/file.ts'
import { outputName } from '../media/naming.ts'
import { mimeOf } from '../media/type.ts'
import { zipFiles } from '../media/zip.ts'
import type { OutputFile, ToolResult } from '../tool/contract.ts'
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

/** Text may be shown on a terminal; anything else would upset it. */
const isReadable = (mime: string): boolean => /^text\/|json|xml|yaml|subrip|x-ssa/.test(mime)

/** What becomes of one job's outputs: where they are staged, what is refused before the work, and how they are placed. */
export class Placement {
  /** The output that is up to date, once `--newer` has found it so. */
  upToDate: string | undefined
  readonly #request: PlacementRequest

  constructor(request: PlacementRequest) {
    this.#request = request
  }

  get #overwrite(): boolean {
    const { destination, options } = this.#request
    return options.force || options.newer || destination.kind !== 'named'
  }

  /** The folder that outputs are staged beside, so that they appear by rename. */
  async stagingFolder(): Promise<string> {
    const { destination, scratch } = this.#request
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
    const { destination, beside, subfolder } = this.#request
    return destination.kind === 'named' && destination.folder !== undefined
      ? join(destination.folder, subfolder)
      : beside
  }

  /** The path of an output (or set) of this name. */
  target(name: string, extension: string): string {
    const { destination, options, facts } = this.#request
    if (destination.kind !== 'named') return 'path' in destination ? destination.path : '-'
    return join(this.folder, options.name === undefined ? name : patternName(options.name, facts, extension))
  }

  /** The path that is known before the tool says anything; undefined where its own name decides. */
  known(foreseen: string | undefined): string | undefined {
    const { destination, options, facts, set } = this.#request
    if (destination.kind === 'file' || destination.kind === 'zip' || destination.kind === 'members')
      return destination.path
    if (destination.kind !== 'named') return undefined
    if (options.name !== undefined && set) return this.target('', options.zip ? 'zip' : '')
    return foreseen === undefined || set ? undefined : this.target(foreseen, extensionOf(foreseen))
  }

  /** What can be refused about a path before it is written. */
  async #check(target: string): Promise<void> {
    const { protectedFiles, claims, job, given } = this.#request
    claims.claim(target, job, given)
    await protectedFiles.refuse(target)
    await refuseExisting(target, this.#overwrite)
  }

  /** Everything that can be known before the work. @throws MediaprocError OUTPUT_COLLISION, OUTPUT_IS_INPUT, OUTPUT_EXISTS … */
  async checkKnown(foreseen: string | undefined): Promise<void> {
    const target = this.known(foreseen)
    if (target === undefined || this.#request.destination.kind === 'members') return
    const { set, options, claims, job, given, destination } = this.#request
    if (set && destination.kind === 'named' && !options.zip) {
      claims.claim(target, job, given)
      if (!this.#overwrite && (await exists(target)))
        throw new MediaprocError('OUTPUT_EXISTS', `${target} is already there`)
    } else await this.#check(target)
  }

  /** Whether --newer can skip the job before the tool is asked. */
  async isUpToDate(foreseen: string | undefined): Promise<boolean> {
    const { options, sources } = this.#request
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
    const { destination, options, set, sources, claims, job, given } = this.#request
    if (set) return
    if (destination.kind === 'file') checkExtension(destination.path, extensionOf(name), '-o')
    if (destination.kind !== 'file' && destination.kind !== 'named') return
    const target = this.target(name, extensionOf(name))
    claims.claim(target, job, given)
    if (options.newer && sources.length > 0 && (await isUpToDate(target, sources))) {
      this.upToDate = target
      throw new MediaprocError('CANCELED', `${target} is up to date`)
    }
    await this.#check(target)
  }

  /** Puts the finished files where they belong. */
  async place(result: ToolResult, stage: (name: string) => Promise<string>): Promise<PlacedOutput[]> {
    const { destination, options } = this.#request
    const wantsFile = destination.kind !== 'named' || destination.folder !== undefined || options.name !== undefined
    const files =
      result.files.length === 0 && result.report && wantsFile
        ? [await this.#reportFile(result.report, stage)]
        : result.files
    if (files.length === 0) return []
    if (destination.kind === 'zip' || (options.zip && this.#request.set))
      return [await this.#placeZip(result.set, files, stage)]
    if (destination.kind === 'members') return this.#placeMembers(files, destination.path, stage)
    if (destination.kind !== 'named') return [await this.#placeOne(files, destination)]
    return result.set === undefined ? this.#placeEach(files) : this.#placeSet(result.set, files, stage)
  }

  /** A report that was asked for as a file. */
  async #reportFile(report: Record<string, unknown>, stage: (name: string) => Promise<string>): Promise<OutputFile> {
    const { tool, inputName } = this.#request.facts
    const name = outputName(stemOf(inputName), `_${tool.replace('/', '-')}`, 'json')
    await this.beforeOutput(name)
    const path = await stage(name)
    await writeFile(path, `${JSON.stringify(report, null, 2)}\n`)
    return { path, name, mime: 'application/json' }
  }

  async #placeOne(files: readonly OutputFile[], destination: Destination): Promise<PlacedOutput> {
    const [file] = files
    if (files.length > 1)
      throw new MediaprocError('USAGE', `The tool gave ${files.length} files, and -o names one`, {
        hint: 'Name a folder with -d DIR.',
      })
    const { bytes, type } = await described(file!)
    if (destination.kind === 'stdout' || destination.kind === 'device') {
      await this.#stream(file!, destination)
      return { path: destination.kind === 'stdout' ? '-' : destination.path, bytes, type }
    }
    const { path } = destination as { path: string }
    checkExtension(path, extensionOf(file!.name), '-o')
    await this.#check(path)
    await placeFile(file!.path, await behindLinks(path), true)
    return { path, bytes, type }
  }

  async #stream(file: OutputFile, destination: { kind: 'stdout' } | { kind: 'device'; path: string }): Promise<void> {
    const { stdout, stdoutIsTerminal } = this.#request
    if (destination.kind === 'device')
      return pipeline(createReadStream(file.path), createWriteStream(destination.path, { flags: 'w' }))
    if (stdoutIsTerminal && !isReadable(file.mime))
      throw new MediaprocError('USAGE', 'Standard output is a terminal, which cannot show this file', {
        hint: 'Pipe it into a program or a file.',
      })
    await pipeline(createReadStream(file.path), stdout, { end: false })
  }

  async #placeEach(files: readonly OutputFile[]): Promise<PlacedOutput[]> {
    const targets = files.map((file) => this.target(file.name, extensionOf(file.name)))
    for (const target of targets) await this.#check(target)
    const placed: PlacedOutput[] = []
    for (const [index, file] of files.entries()) {
      const about = await described(file)
      await placeFile(file.path, targets[index]!, this.#overwrite)
      placed.push({ path: targets[index]!, ...about })
    }
    return placed
  }

  async #placeZip(
    set: string | undefined,
    files: readonly OutputFile[],
    stage: (name: string) => Promise<string>,
  ): Promise<PlacedOutput> {
    const { facts } = this.#request
    const name = outputName(set ?? `${stemOf(facts.inputName)}_${facts.tool.replace('/', '-')}`, '', 'zip')
    const staged = await stage(join('.zip', name))
    await zipFiles(files, staged)
    const file = { path: staged, name, mime: 'application/zip' }
    const { destination } = this.#request
    if (destination.kind === 'stdout' || destination.kind === 'device') return this.#placeOne([file], destination)
    const target = this.target(name, 'zip')
    await this.#check(target)
    const about = await described(file)
    await placeFile(staged, await behindLinks(target), this.#overwrite)
    return { path: target, ...about }
  }

  /** A folder that a person named may hold other files: members are added to it, and only same names are replaced. */
  async #placeMembers(
    files: readonly OutputFile[],
    folder: string,
    stage: (name: string) => Promise<string>,
  ): Promise<PlacedOutput[]> {
    if (!(await exists(folder))) return this.#placeFolder(files, folder, stage)
    const placed: PlacedOutput[] = []
    for (const file of files) await this.#check(join(folder, file.name))
    for (const file of files) {
      const about = await described(file)
      await placeFile(file.path, join(folder, file.name), true)
      placed.push({ path: join(folder, file.name), ...about })
    }
    return placed
  }

  async #placeSet(
    set: string,
    files: readonly OutputFile[],
    stage: (name: string) => Promise<string>,
  ): Promise<PlacedOutput[]> {
    const { claims, job, given } = this.#request
    const target = this.target(set, '')
    claims.claim(target, job, given)
    return this.#placeFolder(files, target, stage)
  }

  /** The whole set appears in one step. */
  async #placeFolder(
    files: readonly OutputFile[],
    folder: string,
    stage: (name: string) => Promise<string>,
  ): Promise<PlacedOutput[]> {
    const staged = await stage(join('.set', basename(folder)))
    const placed: PlacedOutput[] = []
    for (const file of files) {
      const about = await described(file)
      await mkdir(dirname(join(staged, file.name)), { recursive: true })
      await rename(file.path, join(staged, file.name))
      placed.push({ path: join(folder, file.name), ...about })
    }
    await placeFolder(staged, folder, this.#overwrite)
    return placed
  }
}

async function described({ path, mime }: OutputFile): Promise<{ bytes: number; type: string }> {
  return { bytes: (await stat(path)).size, type: mime }
}
