import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { letOthersRun, mapConcurrently } from '../concurrency.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { exists } from '../job/workspace.ts'
import { extensionOf, type MediaFile, openMediaFile, stemOf } from '../media/file.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { expectedExtension, typeFor } from '../tool/output-type.ts'
import { type Claimant, OutputClaims, ProtectedFiles, type SharedClaims } from './conflicts.ts'
import { chooseDestination, makesSet, type OutputOptions } from './destination.ts'
import type { InputItem, Streams } from './inputs.ts'
import type { InputFacts } from './names/input-facts.ts'
import { checkPattern, checkPatternUse, needsInput } from './names/pattern.ts'
import { checkExtension, expectedName, expectedSet } from './output-names.ts'
import { nameOfTool, type OutputContext, OutputPaths } from './output-paths.ts'
import type { PlannedJob, PlannedOutput } from './planned-run.ts'
import { FileStates } from './records/file-state.ts'
import type { Recipe } from './records/recipe.ts'

/** What the runs of rows share: each row has an output plan of its own. */
export interface SharedByRows extends SharedClaims {
  /** The number of jobs of all rows. */
  count: number
  protectedFiles: ProtectedFiles
  states: FileStates
}

export interface OutputPlanRequest {
  /** The data of the tool or action; a variant of a pipeline is treated like a tool. */
  entry: Pick<CatalogueEntry, 'id' | 'input' | 'output' | 'naming' | 'settings'> & { section: string }
  jobs: readonly PlannedJob[]
  /** Files that all jobs read. */
  further: readonly InputItem[]
  settings: Readonly<Record<string, unknown>>
  options: OutputOptions
  /** The processing of the inputs, for the build record. */
  recipe: Recipe
  streams?: Streams
  /** A folder for outputs written to a stream. */
  scratch(): Promise<string>
  /** Whether an output with this extension is converted to the type in -o. */
  canBecome?(extension: string): boolean
  /** If several plans belong to one run, their outputs must not collide either. */
  variant?: SharedClaims & { name: string; facts: Map<PlannedJob, InputFacts> }
  /** If several runs belong to one process, neither must theirs. */
  shared?: SharedClaims
  signal?: AbortSignal
  /** If it is for one of several rows. */
  rows?: SharedByRows
  /** The values of the row, as parts of names. */
  columns?: Readonly<Record<string, string>>
}

/** Inputs whose facts are read at the same time, before the run. */
const READS = 4

/** The folder of a file relative to the current one; '.' if it is elsewhere. */
function folderFromHere(path: string): string {
  const folder = relative('.', dirname(path))
  return folder === '' || folder.startsWith('..') || isAbsolute(folder) ? '.' : folder
}

/** The destinations of all jobs' outputs, and the checks before the run. */
export class OutputPlan {
  /** Jobs to skip, as their output exists already. */
  readonly refused = new Map<PlannedJob, MediaprocError>()
  /** Why --newer recreates existing outputs. */
  readonly #reasons = new Map<PlannedJob, string>()
  readonly #request: OutputPlanRequest
  readonly #context: OutputContext
  /** Facts of the inputs, for names that need them. */
  readonly #facts: Map<PlannedJob, InputFacts>
  /** Other names that the tool may use; they must not collide with the certain ones. */
  readonly #likelyClaims: OutputClaims

  /** @throws MediaprocError USAGE if options conflict */
  constructor(request: OutputPlanRequest) {
    const { entry, jobs, further, settings, options, recipe, streams, scratch, variant, shared, rows } = request
    const count = rows?.count ?? jobs.length
    const inputs = [...jobs.flatMap(({ items }) => items), ...further]
    const isSet = makesSet(entry.output)
    const destination = chooseDestination(options, entry.output, count, streams)
    if (options.name !== undefined) {
      checkPattern(options.name, Object.keys(entry.settings))
      if (destination.kind === 'named') checkPatternUse(options.name, { settings, isSet, zip: options.zip === true })
    }
    const paths = inputs.flatMap(({ path }) => path ?? [])
    rows?.protectedFiles.add(paths)
    this.#request = request
    this.#facts = variant?.facts ?? new Map()
    this.#likelyClaims = (shared ?? variant)?.likelyClaims ?? new OutputClaims()
    this.#context = {
      tool: entry,
      settings,
      ...(request.columns && { columns: request.columns }),
      destination,
      options,
      isSet,
      count,
      claims: (shared ?? variant)?.claims ?? new OutputClaims(),
      protectedFiles: rows?.protectedFiles ?? new ProtectedFiles(paths),
      recipe,
      states: rows?.states ?? new FileStates(options.newer !== undefined || options.records === 'beside'),
      keepsRecordsBeside: options.records === 'beside',
      scratch,
    }
  }

  /**
   * Reserves a path for the manifest of the run: no output may have it. Call it before `check`.
   * @throws MediaprocError OUTPUT_IS_INPUT, USAGE if outputs are written to standard output
   */
  async reserveManifest(path: string): Promise<void> {
    const { claims, destination, protectedFiles } = this.#context
    if (destination.kind === 'stdout')
      throw new MediaprocError('USAGE', 'A manifest lists files, and -o - writes to standard output', {
        hint: 'Name a file with -o, or leave --manifest out.',
      })
    await protectedFiles.refuse(path)
    claims.claim(path, { job: 'manifest', label: '--manifest' })
  }

  /** The output name, as far as it is known without opening the input. */
  #inputName({ items }: PlannedJob): string | undefined {
    const [first] = items
    if (!first) return this.#request.entry.id
    return first.kind === 'file' ? basename(first.path!) : undefined
  }

  #expected(inputName: string): string | undefined {
    const { entry, settings, options } = this.#request
    const known = expectedName(entry, inputName, settings)
    // Without inputs, a pattern and the type are the whole name.
    if (known !== undefined || options.name === undefined || entry.input.files !== 'none') return known
    if (entry.section !== 'pipeline' || entry.output.kind !== 'file') return undefined
    const extension = expectedExtension(entry.output.type, inputName, settings)
    return extension && `${entry.id}.${extension}`
  }

  /** The name of the set, if the tool produces one. */
  #expectedSet(inputName: string): string | undefined {
    return expectedSet(this.#request.entry, inputName, this.#request.settings)
  }

  #claimant({ index, items, row }: PlannedJob): Claimant {
    const { entry, variant, shared } = this.#request
    const [first] = items
    const label = row?.label ?? first?.given ?? `${entry.section}/${entry.id}`
    const source = shared && first?.path
    const job = source ?? index
    if (!variant?.name) return { job, label, source }
    return { job: `${job} ${variant.name}`, label: `${label} (${variant.name})`, source }
  }

  /** The pattern of names, if it needs facts of inputs. */
  get #factPattern(): string | undefined {
    const { options, destination, settings } = this.#context
    const isUsed = options.name !== undefined && destination.kind === 'named' && needsInput(options.name, settings)
    return isUsed ? options.name : undefined
  }

  /**
   * Reads the facts of a job's first input, if names need them.
   * @param file the opened input
   * @throws MediaprocError NO_NAME_VALUE if it lacks one
   */
  async readFacts(job: PlannedJob, file: MediaFile | undefined): Promise<void> {
    const pattern = this.#factPattern
    if (pattern === undefined) return
    const { signal = new AbortController().signal } = this.#request
    if (!this.#facts.has(job)) {
      const { readInputFacts } = await import('./names/input-facts.ts')
      this.#facts.set(job, file ? await readInputFacts(file, signal) : {})
    }
    this.paths(job, file?.name).checkInputFacts(pattern)
  }

  /** The facts of an input that can be opened before the run. A file that lacks one is refused. */
  async #readEarly(job: PlannedJob): Promise<void> {
    const [first] = job.items
    if (first && (first.kind !== 'file' || first.error)) return
    const path = first?.path
    try {
      // The job reports a file that cannot be opened.
      const file = path === undefined ? undefined : await openMediaFile(path).catch(() => null)
      if (file !== null) await this.readFacts(job, file)
    } catch (error) {
      this.refused.set(job, toMediaprocError(error))
    }
  }

  /** The destination of a job's outputs; `inputName` is the name of its first input. */
  paths(job: PlannedJob, inputName = job.items[0]?.given ?? this.#request.entry.id): OutputPaths {
    const [first] = job.items
    const isFile = first?.kind === 'file'
    const sources = [...job.items, ...this.#request.further]
    const paths = new OutputPaths(this.#context, {
      inputName,
      number: job.index + 1,
      claimant: this.#claimant(job),
      inputFolder: isFile ? dirname(first.given) : '.',
      dir: isFile ? folderFromHere(first.path!) : '.',
      subfolder: first?.subfolder ?? '',
      inputs: job.items.map(({ path, given }) => path ?? given),
      sources: sources.flatMap(({ path }) => path ?? []),
      isAgeless: !sources.every(({ kind }) => kind === 'file'),
      facts: this.#facts.get(job),
    })
    paths.reason = this.#reasons.get(job)
    return paths
  }

  /** Two inputs with the same name and output folder are rejected, although only the tool knows the full name. */
  #claimLikely(paths: OutputPaths, inputName: string): void {
    const { entry, settings } = this.#request
    const isNamed = this.#context.destination.kind === 'named' && paths.knownPath(undefined) === undefined
    if (!isNamed || entry.output.kind === 'report') return
    const extension = expectedExtension(entry.output.type, inputName, settings) ?? extensionOf(inputName)
    const likely = paths.path(`${stemOf(inputName)}_${nameOfTool(entry.id)}.${extension}`, extension)
    if (likely !== undefined) this.#likelyClaims.claim(likely, paths.job.claimant)
  }

  /** -o must not name a type that the tool does not produce. @throws MediaprocError USAGE */
  #checkNamedType(extension: string): void {
    const { destination, settings } = this.#context
    if (destination.kind !== 'file' || this.#request.canBecome?.(extension)) return
    const { type } = this.#request.entry.output
    // The extension of an input may be wrong: if its type matters, the run decides.
    if (type !== undefined && 'byInput' in typeFor(type, settings)) return
    checkExtension(destination.path, extension, '-o')
  }

  /**
   * Checks all jobs before the run. An existing output fails only its own job, later.
   * @throws MediaprocError OUTPUT_COLLISION, OUTPUT_IS_INPUT
   */
  async check(): Promise<void> {
    if (this.#factPattern !== undefined) await mapConcurrently(this.#request.jobs, READS, (job) => this.#readEarly(job))
    for (const job of this.#request.jobs) {
      await letOthersRun(job.index)
      const inputName = this.#inputName(job)
      if (inputName === undefined || this.refused.has(job) || job.items.some(({ error }) => error)) continue
      const paths = this.paths(job, inputName)
      const expected = this.#expected(inputName)
      const isReport = this.#request.entry.output.kind === 'report'
      if (isReport || expected !== undefined) this.#checkNamedType(isReport ? 'json' : extensionOf(expected!))
      try {
        const set = this.#expectedSet(inputName)
        if (expected === undefined && set === undefined) this.#claimLikely(paths, inputName)
        if (!(await paths.isUpToDate(expected, set))) await paths.checkKnown(expected, set)
      } catch (error) {
        const known = toMediaprocError(error)
        if (known.code !== 'OUTPUT_EXISTS') throw known
        this.refused.set(job, known)
      }
    }
  }

  /** The paths of a job whose outputs are up to date (--newer), if known before the tool runs. */
  async upToDate(job: PlannedJob): Promise<OutputPaths | undefined> {
    if (this.#context.options.newer === undefined) return undefined
    const inputName = this.#inputName(job)
    if (inputName === undefined) return undefined
    const paths = this.paths(job, inputName)
    if (await paths.isUpToDate(this.#expected(inputName), this.#expectedSet(inputName))) return paths
    if (paths.reason !== undefined) this.#reasons.set(job, paths.reason)
    return undefined
  }

  /** The plan for a job, as far as it is known before the run. @throws MediaprocError OUTPUT_EXISTS */
  async preview(job: PlannedJob): Promise<PlannedOutput[]> {
    const refused = this.refused.get(job)
    if (refused) throw refused
    const { destination, options } = this.#context
    if (destination.kind === 'stdout') return [{ path: '-', action: 'write' }]
    if (this.#request.entry.output.kind === 'report' && destination.kind === 'named') return []
    const inputName = this.#inputName(job)
    const paths = this.paths(job, inputName)
    const expected = inputName === undefined ? undefined : this.#expected(inputName)
    const set = inputName === undefined ? undefined : this.#expectedSet(inputName)
    if (await paths.isUpToDate(expected, set)) return paths.upToDate!.map(({ path }) => ({ path, action: 'skip' }))
    const { reason } = paths
    const { isSet } = this.#context
    const named = inputName === undefined ? undefined : paths.knownPath(expected)
    const known = named ?? (isSet && inputName !== undefined ? paths.setPath(set) : undefined)
    if (known === undefined && (paths.isLate || this.#factPattern !== undefined)) {
      const extension = isSet
        ? expectedExtension(this.#request.entry.output.type, inputName ?? '', this.#context.settings)
        : extensionOf(expected ?? '')
      if (extension)
        return [
          {
            path: paths.shownPath(expected ?? '', extension),
            action: 'write',
            ...(reason !== undefined && { reason }),
          },
        ]
    }
    const isThere = known !== undefined && (await exists(known))
    const action = isThere ? 'replace' : 'write'
    const isFolder = known === undefined || (named === undefined && !options.zip)
    const path = isFolder ? join(known ?? paths.folder, '/') : known
    return [{ path, action, ...(reason !== undefined && { reason }) }]
  }
}
