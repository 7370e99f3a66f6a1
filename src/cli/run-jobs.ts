import { basename, dirname, join } from 'node:path'
import { type ExitCode, EXIT, MediaprocError, toMediaprocError } from '../errors.ts'
import { defaultConcurrency, runBatch } from '../job/batch.ts'
import { type Runnable, runJob } from '../job/run.ts'
import { Workspace } from '../job/workspace.ts'
import { extensionOf, type MediaFile, printableName, stemOf } from '../media/file.ts'
import type { CatalogueEntry } from '../tool/catalogue.ts'
import { chooseDestination, makesSet } from './destination.ts'
import { foreseenExtension, foreseenName } from './foresee.ts'
import type { InputItem } from './inputs.ts'
import type { Io } from './io.ts'
import { checkPattern } from './name-pattern.ts'
import { openInput } from './open-input.ts'
import { printOutcome, summaryLine } from './output-lines.ts'
import { Placement, type PlacedOutput } from './placement.ts'
import { showProgress } from './progress.ts'
import { exitCodeOf, type Outcome } from './record.ts'
import type { RunOptions } from './run-options.ts'
import { Claims, ProtectedFiles } from './targets.ts'

export interface Run {
  /** What is known of the tool, or of its action, as data. */
  entry: Pick<CatalogueEntry, 'section' | 'id' | 'input' | 'output' | 'heavy' | 'settings'>
  /** Its code. */
  tool: Runnable
  items: readonly InputItem[]
  secondary: Readonly<Record<string, InputItem>>
  settings: Record<string, unknown>
  options: RunOptions
}

/** One job of a run: the inputs that it takes together. */
interface Planned {
  index: number
  items: readonly InputItem[]
  given: string | string[] | null
}

function planJobs({ entry, items }: Run): Planned[] {
  if (entry.input.files === 'one') return items.map((item, index) => ({ index, items: [item], given: item.given }))
  return [{ index: 0, items, given: entry.input.files === 'none' ? null : items.map((item) => item.given) }]
}

/** Runs all jobs of one tool and prints what became of them. @returns the exit code */
export class JobRunner {
  readonly #run: Run
  readonly #io: Io
  readonly #signal: AbortSignal
  readonly #jobs: Planned[]
  readonly #destination
  readonly #claims = new Claims()
  readonly #protectedFiles: ProtectedFiles
  readonly #workspace = new Workspace('.')
  readonly #opened = new Map<string, Promise<MediaFile>>()
  readonly #refused = new Map<number, MediaprocError>()

  /** @throws MediaprocError USAGE where options contradict each other */
  constructor(run: Run, io: Io, signal: AbortSignal) {
    this.#run = run
    this.#io = io
    this.#signal = signal
    this.#jobs = planJobs(run)
    if (run.options.name !== undefined) checkPattern(run.options.name, Object.keys(run.entry.settings))
    this.#destination = chooseDestination(run.options, run.entry.output, this.#jobs.length)
    const items = [...run.items, ...Object.values(run.secondary)]
    this.#protectedFiles = new ProtectedFiles(items.flatMap(({ path }) => path ?? []))
  }

  get #toolName(): string {
    return `${this.#run.entry.section}/${this.#run.entry.id}`
  }

  /** The name by which outputs are called, as far as it is known without opening the input. */
  #givenName({ items }: Planned): string | undefined {
    const [first] = items
    if (!first) return this.#run.entry.id
    return first.kind === 'file' ? basename(first.path!) : undefined
  }

  #placement(job: Planned, inputName: string): Placement {
    const { entry, settings, options, secondary } = this.#run
    const [first] = job.items
    const sources = [...job.items, ...Object.values(secondary)]
    return new Placement({
      destination: this.#destination,
      options,
      facts: { inputName, tool: entry.id, section: entry.section, index: job.index + 1, count: this.#jobs.length, settings },
      job: job.index,
      given: first?.given ?? this.#toolName,
      beside: first?.kind === 'file' ? dirname(first.given) : '.',
      subfolder: first?.subfolder ?? '',
      protectedFiles: this.#protectedFiles,
      // What comes from a stream or an address has no age to compare.
      sources: sources.every(({ kind }) => kind === 'file') ? sources.map(({ path }) => path!) : [],
      set: makesSet(entry.output),
      claims: this.#claims,
      scratch: () => this.#workspace.scratch(),
      stdout: this.#io.stdout,
      stdoutIsTerminal: this.#io.stdoutIsTerminal,
    })
  }

  /** Two inputs of one name that go into one folder are refused although the tool alone knows the full name. */
  #claimLikely(job: Planned, placement: Placement, inputName: string): void {
    if (this.#destination.kind !== 'named' || placement.known(undefined) !== undefined || this.#run.entry.output.kind === 'report') return
    const extension = foreseenExtension(this.#run.entry, inputName, this.#run.settings) ?? extensionOf(inputName)
    const likely = placement.target(`${stemOf(inputName)}_${this.#run.entry.id.replace('/', '-')}.${extension}`, extension)
    this.#claims.claim(likely, job.index, job.items[0]?.given ?? this.#toolName)
  }

  /** Refuses before any work what can be refused then; an output that is there already fails its own job only. */
  async #checkBefore(): Promise<void> {
    for (const job of this.#jobs) {
      const name = this.#givenName(job)
      if (name === undefined || job.items.some(({ error }) => error)) continue
      const placement = this.#placement(job, name)
      const foreseen = foreseenName(this.#run.entry, name, this.#run.settings)
      try {
        if (await placement.isUpToDate(foreseen)) continue
        if (foreseen === undefined) this.#claimLikely(job, placement, name)
        await placement.checkKnown(foreseen)
      } catch (error) {
        const known = toMediaprocError(error)
        if (known.code !== 'OUTPUT_EXISTS') throw known
        this.#refused.set(job.index, known)
      }
    }
  }

  /** Further inputs are opened once for all jobs. */
  async #openSecondary(): Promise<Record<string, MediaFile>> {
    const files: Record<string, MediaFile> = {}
    for (const [name, item] of Object.entries(this.#run.secondary)) {
      const opened = this.#opened.get(name) ?? this.#open(item)
      this.#opened.set(name, opened)
      files[name] = await opened
    }
    return files
  }

  #open(item: InputItem): Promise<MediaFile> {
    return openInput(item, this.#io, () => this.#workspace.scratch(), this.#signal)
  }

  async #runOne(job: Planned, onProgress: (fraction: number, phase: string) => void): Promise<Outcome> {
    const started = performance.now()
    const warnings: string[] = []
    const basics = () => ({ tool: this.#toolName, input: job.given, warnings, ms: Math.round(performance.now() - started) })
    let placement: Placement | undefined
    try {
      const refused = this.#refused.get(job.index)
      if (refused) throw refused
      const name = this.#givenName(job)
      if (name !== undefined) {
        const early = this.#placement(job, name)
        if (await early.isUpToDate(foreseenName(this.#run.entry, name, this.#run.settings))) return await this.#skipped(basics(), early)
      }
      const inputs: MediaFile[] = []
      for (const item of job.items) inputs.push(await this.#open(item))
      placement = this.#placement(job, inputs[0]?.name ?? this.#run.entry.id)
      const { outputs, result } = await this.#work(job, inputs, placement, warnings, onProgress)
      return { record: { ...basics(), ok: true, outputs, result } }
    } catch (error) {
      if (placement?.upToDate) return this.#skipped(basics(), placement)
      const known = toMediaprocError(error)
      return { record: { ...basics(), ok: false, error: known.toJSON() }, error: known }
    }
  }

  async #work(
    _job: Planned,
    inputs: readonly MediaFile[],
    placement: Placement,
    warnings: string[],
    onProgress: (fraction: number, phase: string) => void,
  ): Promise<{ outputs: PlacedOutput[]; result?: Record<string, unknown> }> {
    const { tool, settings, options } = this.#run
    return runJob(
      {
        tool,
        inputs,
        secondary: await this.#openSecondary(),
        settings: structuredClone(settings),
        destination: await placement.stagingFolder(),
        signal: this.#signal,
        timeoutS: options.timeout,
        onProgress,
        onWarning: (message) => warnings.push(message),
        onOutput: (name) => placement.beforeOutput(name),
      },
      async (result, stage) => ({ outputs: await placement.place(result, stage), result: result.report }),
    )
  }

  async #skipped(basics: { tool: string; input: Planned['given']; warnings: string[]; ms: number }, placement: Placement): Promise<Outcome> {
    return { record: { ...basics, ok: true, skipped: true, outputs: await placement.upToDateOutputs() } }
  }

  /** Prints what would be done. */
  #dryRun(): ExitCode {
    const { settings, entry } = this.#run
    const shown = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, entry.settings[name]?.secret ? '…' : value]))
    let valid = true
    for (const job of this.#jobs) {
      const bad = job.items.find(({ error }) => error)
      if (bad) {
        valid = false
        this.#io.err(`mediaproc: ${printableName(bad.given)}: ${bad.error!.message} (${bad.error!.code})\n`)
        continue
      }
      const name = this.#givenName(job)
      const given = job.items.map((item) => printableName(item.given)).join(' ')
      this.#io.out(`${this.#toolName} ${given} -> ${this.#plannedOutput(job, name)} ${JSON.stringify(shown)}\n`)
    }
    return valid ? EXIT.ok : EXIT.usage
  }

  #plannedOutput(job: Planned, name: string | undefined): string {
    if (this.#run.entry.output.kind === 'report' && this.#destination.kind === 'named') return 'a report'
    if (this.#destination.kind === 'stdout') return '-'
    const placement = this.#placement(job, name ?? job.items[0]?.given ?? this.#run.entry.id)
    const known = name === undefined ? undefined : placement.known(foreseenName(this.#run.entry, name, this.#run.settings))
    return known ? printableName(known) : `${printableName(join(placement.folder(), '/'))} (named by the tool)`
  }

  async run(): Promise<ExitCode> {
    const { options, entry } = this.#run
    const jobs = this.#jobs.length
    try {
      await this.#checkBefore()
      if (options.dryRun) return this.#dryRun()
      const progress = await showProgress(this.#io, jobs, options.quiet || options.json, this.#toolName)
      const outcomes = new Array<Outcome | undefined>(jobs)
      let printed = 0
      let failed = false
      const printReady = (): void => {
        for (; outcomes[printed]; printed += 1) {
          const ready = outcomes[printed]!
          progress.interrupt(() => printOutcome(this.#io, ready, options, jobs))
        }
      }
      await runBatch(
        this.#jobs,
        options.jobs ?? defaultConcurrency(entry.heavy),
        async (job) => {
          const outcome = await this.#runOne(job, (fraction, phase) => progress.update(job.index, fraction, phase))
          outcomes[job.index] = outcome
          failed ||= !outcome.record.ok
          progress.done(job.index)
          printReady()
        },
        () => !this.#signal.aborted && !(failed && options.failFast),
      )
      progress.stop()
      const done = outcomes.filter((outcome) => outcome !== undefined)
      if (jobs > 1 && !options.quiet && !options.json) this.#io.err(`mediaproc: ${summaryLine(done, jobs)}\n`)
      return exitCodeOf(done, this.#signal.aborted)
    } finally {
      await this.#workspace.remove()
    }
  }
}
