import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import type { Writable } from 'node:stream'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { extensionOf, printableName, stemOf } from '../media/file.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { foreseenExtension } from '../tool/output-type.ts'
import { chooseDestination, type Destination, makesSet } from './destination.ts'
import { foreseenName } from './foresee.ts'
import type { InputItem } from './inputs.ts'
import { checkPattern } from './name-pattern.ts'
import { Placement } from './placement.ts'
import type { RunOptions } from './run-options.ts'
import { Claims, ProtectedFiles } from './targets.ts'

export interface PlanRequest {
  /** What is known of the tool, or of its action, as data; a variant of a pipeline looks like a tool. */
  entry: Pick<CatalogueEntry, 'id' | 'input' | 'output' | 'naming' | 'heavy' | 'settings'> & { section: string }
  items: readonly InputItem[]
  secondary: Readonly<Record<string, InputItem>>
  settings: Record<string, unknown>
  options: RunOptions
  stdout: Writable
  stdoutIsTerminal: boolean
  /** A folder for what comes from or goes to a stream; removed after the run. */
  scratch(): Promise<string>
  /** Where several plans belong to one run, their outputs must not meet either. */
  among?: { claims: Claims; likelyClaims: Claims; plans: number; number: number; name: string }
}

/** The folder of a file seen from the current one; '.' where it lies elsewhere. */
function folderFromHere(path: string): string {
  const folder = relative('.', dirname(path))
  return folder === '' || folder.startsWith('..') || isAbsolute(folder) ? '.' : folder
}

/** One job of a run: the inputs that it takes together. */
export interface PlannedJob {
  index: number
  items: readonly InputItem[]
  /** `input` of its record. */
  given: string | string[] | null
}

/** The jobs of a run, where their outputs go, and what can be refused before any work. */
export class Plan {
  readonly jobs: readonly PlannedJob[]
  /** `image/resize` */
  readonly toolName: string
  /** Jobs that need not run, as their output is there already. */
  readonly refused = new Map<number, MediaprocError>()
  readonly #request: PlanRequest
  readonly #destination: Destination
  readonly #claims: Claims
  /** Names that the tool may give, apart from the certain ones, which they must not get in the way of. */
  readonly #likelyClaims: Claims
  readonly #protectedFiles: ProtectedFiles

  /** @throws MediaprocError USAGE where options contradict each other */
  constructor(request: PlanRequest) {
    const { entry, items, options, secondary } = request
    this.#request = request
    this.#claims = request.among?.claims ?? new Claims()
    this.#likelyClaims = request.among?.likelyClaims ?? new Claims()
    this.toolName = `${entry.section}/${entry.id}`
    this.jobs =
      entry.input.files === 'one' && items.length > 0
        ? items.map((item, index) => ({ index, items: [item], given: item.given }))
        : [{ index: 0, items, given: items.length === 0 ? null : items.map(({ given }) => given) }]
    if (options.name !== undefined) checkPattern(options.name, Object.keys(entry.settings))
    this.#destination = chooseDestination(options, entry.output, this.jobs.length)
    this.#protectedFiles = new ProtectedFiles([...items, ...Object.values(secondary)].flatMap(({ path }) => path ?? []))
  }

  /** The name by which outputs are called, as far as it is known without opening the input. */
  #givenName({ items }: PlannedJob): string | undefined {
    const [first] = items
    if (!first) return this.#request.entry.id
    return first.kind === 'file' ? basename(first.path!) : undefined
  }

  /** What becomes of a job's outputs; `inputName` is the name of its first input. */
  placement(job: PlannedJob, inputName: string): Placement {
    const { entry, settings, options, secondary, stdout, stdoutIsTerminal, scratch } = this.#request
    const [first] = job.items
    const sources = [...job.items, ...Object.values(secondary)]
    return new Placement({
      destination: this.#destination,
      options,
      facts: {
        inputName,
        tool: entry.id,
        section: entry.section,
        index: job.index + 1,
        count: this.jobs.length,
        settings,
        dir: first?.kind === 'file' ? folderFromHere(first.path!) : '.',
      },
      job: this.#owner(job),
      given: this.#label(job),
      beside: first?.kind === 'file' ? dirname(first.given) : '.',
      subfolder: first?.subfolder ?? '',
      protectedFiles: this.#protectedFiles,
      // What comes from a stream or an address has no age to compare.
      sources: sources.every(({ kind }) => kind === 'file') ? sources.map(({ path }) => path!) : [],
      set: makesSet(entry.output),
      claims: this.#claims,
      scratch,
      stdout,
      stdoutIsTerminal,
    })
  }

  /** The number under which a job claims its outputs. */
  #owner({ index }: PlannedJob): number {
    const { among } = this.#request
    return among ? index * among.plans + among.number : index
  }

  /** What a collision calls a job. */
  #label({ items }: PlannedJob): string {
    const { among } = this.#request
    return `${items[0]?.given ?? this.toolName}${among?.name ? ` (${among.name})` : ''}`
  }

  #foreseen(name: string): string | undefined {
    return foreseenName(this.#request.entry, name, this.#request.settings)
  }

  /** Two inputs of one name that go into one folder are refused although only the tool knows the full name. */
  #claimLikely(job: PlannedJob, placement: Placement, name: string): void {
    const { entry, settings } = this.#request
    if (
      this.#destination.kind !== 'named' ||
      placement.known(undefined) !== undefined ||
      entry.output.kind === 'report'
    )
      return
    const extension = foreseenExtension(entry.output.type, name, settings) ?? extensionOf(name)
    const likely = placement.target(`${stemOf(name)}_${entry.id.replace('/', '-')}.${extension}`, extension)
    this.#likelyClaims.claim(likely, this.#owner(job), this.#label(job))
  }

  /**
   * Looks at all jobs before any work. An output that is there already fails only its own job, later.
   * @throws MediaprocError OUTPUT_COLLISION, OUTPUT_IS_INPUT
   */
  async check(): Promise<void> {
    for (const job of this.jobs) {
      const name = this.#givenName(job)
      if (name === undefined || job.items.some(({ error }) => error)) continue
      const placement = this.placement(job, name)
      const foreseen = this.#foreseen(name)
      try {
        if (foreseen === undefined) this.#claimLikely(job, placement, name)
        if (!(await placement.isUpToDate(foreseen))) await placement.checkKnown(foreseen)
      } catch (error) {
        const known = toMediaprocError(error)
        if (known.code !== 'OUTPUT_EXISTS') throw known
        this.refused.set(job.index, known)
      }
    }
  }

  /** The placement of a job whose outputs are up to date (--newer), where that is known before the tool is asked. */
  async upToDate(job: PlannedJob): Promise<Placement | undefined> {
    const name = this.#givenName(job)
    if (name === undefined) return undefined
    const placement = this.placement(job, name)
    return (await placement.isUpToDate(this.#foreseen(name))) ? placement : undefined
  }

  /** What is wrong with a job's inputs, as far as a look at their names tells. */
  inputError({ items }: PlannedJob): { given: string; error: MediaprocError } | undefined {
    for (const { given, error, kind, path } of items) {
      if (error) return { given, error }
      if (kind === 'file' && !existsSync(path!))
        return { given, error: new MediaprocError('FILE_NOT_FOUND', 'does not exist') }
    }
    return undefined
  }

  /** The line of --dry-run: `image/resize a.jpg -> a_resize.jpg {"width":100}`. */
  describe(job: PlannedJob): string {
    const { entry, settings } = this.#request
    const shown = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, entry.settings[name]?.secret ? '…' : value]),
    )
    const inputs = job.items.map(({ given }) => `${printableName(given)} `).join('')
    return `${this.toolName} ${inputs}-> ${this.plannedOutput(job)} ${JSON.stringify(shown)}`
  }

  /** The path of a job's output, as --dry-run shows it. */
  plannedOutput(job: PlannedJob): string {
    if (this.#destination.kind === 'stdout') return '-'
    if (this.#request.entry.output.kind === 'report' && this.#destination.kind === 'named') return 'a report'
    const name = this.#givenName(job)
    const placement = this.placement(job, name ?? job.items[0]!.given)
    const known = name === undefined ? undefined : placement.known(this.#foreseen(name))
    return printableName(known ?? `${join(placement.folder, '/')} (named by the tool)`)
  }
}
