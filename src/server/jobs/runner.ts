import { join } from 'node:path'
import { ANONYMOUS } from '../../accounts/caller.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import type { Done, JobWarning, RanStep, Task } from '../../pool/messages.ts'
import type { BatchMember, JobFile, JobRecord } from '../../store/job-record.ts'
import type { Patch } from '../../store/repositories.ts'
import { untilAvailable } from '../../store/until-available.ts'
import { runBatch } from './batch.ts'
import { failed, failedWithHint, type Outcome } from './failure.ts'
import { aboutJob, logEnd, logOwnFault, logUnannounced } from './job-log.ts'
import { keepResults } from './kept-results.ts'
import { outcomeOf, withWarnings } from './outcome.ts'
import { packed, putResults, removeResults, resultOf, tidy } from './results.ts'
import { expiryOf } from './retention.ts'
import type { RunnerParts } from './runner-parts.ts'
import { shownSteps, stepFailure } from './steps.ts'
import { type Terms, termsOf } from './terms.ts'

/** A job that runs or waits longer than this has its state written to disk, in milliseconds. */
export const NOTE_AFTER_MS = 250

/** More warnings of a job are left out of its record. */
const MAX_WARNINGS = 100

/** The store is away, or another process has taken the job over: its files may be needed by the next attempt. */
const isNotOurs = (failure: unknown): boolean =>
  ['STORE_UNAVAILABLE', 'CONFLICT'].includes(toMediaprocError(failure).code)

/** Runs jobs: from the record that describes the task to the one that holds the outcome. */
export class JobRunner {
  readonly #parts: RunnerParts
  readonly #running = new Set<string>()
  /** Ids of jobs whose earlier attempt was interrupted. */
  readonly #repeated = new Set<string>()
  #closing = false

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** The server is stopping: unfinished jobs resume at the next start. */
  get isClosing(): boolean {
    return this.#closing
  }

  /** Bundles whose models processes of the pool have loaded. */
  loadedBundles(): readonly string[] {
    return this.#parts.pool.loadedBundles()
  }

  /** From now on, aborted jobs return to the queue. */
  close(): void {
    this.#closing = true
  }

  /** Runs a job to completion. Never rejects. @param isRepeated see JobWork; the start is then written at once */
  async run(id: string, signal: AbortSignal, isRepeated: boolean): Promise<void> {
    const { jobs, log } = this.#parts
    this.#running.add(id)
    if (isRepeated) this.#repeated.add(id)
    let about: object = { jobId: id }
    try {
      const record = await jobs.get(id)
      if (!record) return
      about = aboutJob(record)
      const work = this.#work(record, signal)
      // Read while the outputs are stored.
      const terms = work.catch(() => {}).then(() => this.#termsOf(record))
      terms.catch(() => {})
      const kept = keepResults(this.#parts, record, work, () => this.#closing)
      await this.end(record, await kept.outcome.catch(record.task?.outcome ? failedWithHint : failed), terms)
      await kept.flush()
    } catch (error) {
      log.error({ err: error, ...about }, 'the end of a job is not recorded: it will be run again')
    } finally {
      this.#running.delete(id)
      this.#repeated.delete(id)
    }
  }

  /**
   * Suffix of the names that an attempt gives to results: an earlier one that was taken for dead may still write its own.
   * Attempts in one folder replace each other's files.
   */
  #attemptOf({ attempts }: JobRecord): string {
    return this.#parts.isShared && attempts > 0 ? `.${attempts}` : ''
  }

  async #work(record: JobRecord, signal: AbortSignal): Promise<Outcome> {
    const { id } = record
    const own = this.#parts.workspace.folderOf(id)
    const { inputs, secondary } = record.task!
    const at = ({ file, name, bytes, type }: JobFile) => ({
      path: join(own, file),
      name,
      ...(type && { known: { bytes, type } }),
    })
    if (record.type === 'batch')
      return runBatch({
        record,
        folder: own,
        attempt: this.#attemptOf(record),
        signal,
        concurrency: this.#parts.concurrentJobs,
        run: async (input, folder) =>
          (await this.#process(record, { inputs: [at(input)], secondary: {} }, folder, signal)).made,
        // The archive contains them as well.
        keep: (files) =>
          putResults(this.#parts, id, files, { how: 'copy', isOver: () => this.#closing || signal.aborted }),
        begins: (filename) => this.#parts.jobs.note(id, () => ({ stage: filename })),
        changed: (members, over, isWorthSaving) => this.#changed(id, members, over, isWorthSaving),
      })
    const further = Object.fromEntries(Object.entries(secondary).map(([name, file]) => [name, at(file)]))
    const folder = `out${this.#attemptOf(record)}`
    const part = { inputs: inputs.map(at), secondary: further }
    const { made, warnings } = await this.#process(record, part, folder, signal)
    const output = record.task!.kind === 'tool' ? findTool(record.task!.target).entry.output : undefined
    const result = await packed(made, own, folder, { stem: `set${this.#attemptOf(record)}`, archive: output?.archive })
    const { files } = result
    const saved = record.library && files[0] ? await this.#save(record, join(own, files[0].file), files[0]) : {}
    const steps = made.steps ? { stepsCompleted: made.steps.length, steps: shownSteps(made.steps) } : {}
    return {
      outputs: [...files, ...result.members],
      result: {
        ...resultOf(id, withWarnings(made, warnings), result, record.inputBytes),
        ...{ ...steps, ...saved },
        ...(record.task!.outcome && { outcome: outcomeOf(made, warnings) }),
      },
      error: null,
    }
  }

  /** Runs one task in a process of the pool; outputs go into a subfolder of the job. */
  async #process(
    record: JobRecord,
    part: Partial<Task>,
    folder: string,
    signal: AbortSignal,
  ): Promise<{ made: Done; warnings: JobWarning[] }> {
    const { id, ownerId } = record
    const { kind, target, settings, steps, timeoutS, heavy } = record.task!
    const destination = join(this.#parts.workspace.folderOf(id), folder)
    // Without accounts, nobody else waits for a slot.
    const ownerKey = ownerId === null || ownerId === ANONYMOUS ? '' : ownerId
    const common = { id, ownerKey, destination, timeoutS, heavy }
    const warnings: JobWarning[] = []
    const { onRan } = this.#parts
    const what = kind === 'tool' ? { kind, target, settings } : { kind, steps: steps! }
    const done = this.#parts.pool.run({ ...common, ...what, ...part } as Task, {
      signal,
      // Admitted when the job was accepted.
      isAdmitted: true,
      onStart: () => void this.#began(id),
      ...(onRan && { onRan: (steps: readonly RanStep[]) => onRan(id, steps) }),
      ...(record.type !== 'batch' && {
        onProgress: (fraction: number, phase: string) => void this.#progress(id, fraction, phase),
        onWarning: (message: string, manner?: 'advice') =>
          void (warnings.length < MAX_WARNINGS && warnings.push({ message, ...(manner && { manner }) })),
      }),
    })
    const made = await done.catch((error: unknown) => {
      logOwnFault(this.#parts.log, record, error)
      throw stepFailure(error)
    })
    return { made, warnings }
  }

  async #save(record: JobRecord, path: string, file: JobFile): Promise<Record<string, unknown>> {
    // Another process may have taken the job over meanwhile; then this fails, and only that one saves.
    await this.#parts.jobs.update(record.id, {})
    return { savedFileId: await this.#parts.saveVersion(record, path, file) }
  }

  async #began(id: string): Promise<void> {
    let isFirst = false
    const record = await this.#parts.jobs.note(id, ({ status, attempts }) => {
      isFirst = status === 'queued'
      return isFirst ? { status: 'processing', startedAt: new Date().toISOString(), attempts: attempts + 1 } : {}
    })
    if (!record || !isFirst) return
    this.#parts.queue.publish(record)
    const keep = (): void => {
      if (this.#running.has(id) && !this.#closing) void this.keep(id)
    }
    // Only a restart reads this, and most jobs end before. A job that crashed the server before may do so again at
    // once.
    if (this.#repeated.has(id)) keep()
    else setTimeout(keep, NOTE_AFTER_MS).unref()
  }

  /** Failing to write an intermediate state only costs repeated work after a crash, so the job does not fail. */
  async keep(id: string, patch: Patch<JobRecord> = {}): Promise<JobRecord | undefined> {
    const { jobs, log } = this.#parts
    return jobs.update(id, patch).catch(async (error: unknown) => {
      const record = await jobs.get(id).catch(() => undefined)
      log.warn({ err: error, jobId: id, ...(record && aboutJob(record)) }, 'a job is not noted')
      return undefined
    })
  }

  async #progress(id: string, fraction: number, phase: string): Promise<void> {
    const percent = Math.min(99, Math.floor(fraction * 100))
    let isNews = false
    const record = await this.#parts.jobs.note(id, (before) => {
      isNews = percent > before.percent || phase !== (before.stage ?? '')
      return isNews ? { percent: Math.max(before.percent, percent), stage: phase || null } : {}
    })
    if (record && isNews) this.#parts.queue.publish(record)
  }

  /** Records a finished file of a batch. */
  async #changed(id: string, members: readonly BatchMember[], over: number, isWorthSaving: boolean): Promise<void> {
    const percent = Math.min(99, Math.floor((over / Math.max(1, members.length)) * 100))
    const record = await this.#parts.jobs.note(id, () => ({ members, percent }))
    if (isWorthSaving) await this.keep(id)
    if (record) this.#parts.queue.publish(record)
  }

  /** Writes the final state to disk before any listener is notified. @param terms if they are read already */
  async end({ id }: Pick<JobRecord, 'id'>, outcome: Outcome, terms?: Promise<Terms>): Promise<void> {
    const { jobs, queue, log, onEnd, announceEnd } = this.#parts
    if (this.#closing && outcome.error) return this.#putBack(id)
    const before = await jobs.get(id)
    if (!before) return
    const { age, subscribers } = await (terms ?? this.#termsOf(before))
    const status = outcome.error ? (outcome.error.code === 'CANCELED' ? 'canceled' : 'failed') : 'completed'
    const last = {
      ...outcome,
      status,
      percent: status === 'completed' ? 100 : before.percent,
      completedAt: new Date().toISOString(),
      expiresAt: expiryOf(age),
      // Settings may contain passwords, so they are removed when the job ends.
      task: undefined,
    } as const
    const ended = { ...before, ...last, task: before.task }
    const announced = this.#untilAvailable(async () => announceEnd?.(ended, subscribers) ?? false)
    const hasMessages = await announced.catch(logUnannounced(log, before))
    const saved = await this.#untilAvailable(() => jobs.update(id, last)).catch((failure: unknown) => {
      if (isNotOurs(failure)) throw failure
      return this.#endUnsaved(before, last, failure)
    })
    const record = saved ?? (await jobs.get(id))
    if (!record) return
    queue.publish(record)
    const bytes = await tidy(this.#parts, before, record)
    // A job without a saved end runs again after a restart.
    if (saved) await this.#settle(record, bytes)
    const ms = Date.parse(last.completedAt) - Date.parse(record.createdAt)
    logEnd(log, record, ms)
    onEnd?.(record, ms, hasMessages)
  }

  #termsOf({ ownerId }: JobRecord): Promise<Terms> {
    return this.#untilAvailable(() => termsOf(this.#parts, ownerId))
  }

  /** The end of a job outlives a restart of the database; a server that stops leaves it to the next start. */
  #untilAvailable<R>(work: () => Promise<R>): Promise<R> {
    return untilAvailable(work, () => this.#closing)
  }

  /** Counts a finished job; removes the owner's oldest ones above the limit. */
  async #settle({ id, ownerId }: JobRecord, bytes: number): Promise<void> {
    const { jobs, maxFinishedJobs } = this.#parts
    await this.#untilAvailable(() => jobs.settle(id, bytes))
    if (maxFinishedJobs === 0) return
    for (const oldest of await jobs.surplus(maxFinishedJobs, ownerId)) await jobs.remove(oldest)
  }

  /** Returns a job to the queue that a stopping server aborted. The next start runs it; the attempt does not count. */
  async #putBack(id: string): Promise<void> {
    const before = await this.#parts.jobs.get(id)
    if (!before) return
    const begun = before.status === 'processing' ? 1 : 0
    await this.keep(id, { status: 'queued', attempts: before.attempts - begun })
  }

  /** If the final state cannot be written, removes the job's files to make room; without outputs the job has failed. */
  async #endUnsaved(
    before: JobRecord,
    last: Outcome & Patch<JobRecord>,
    failure: unknown,
  ): Promise<JobRecord | undefined> {
    const { id } = before
    const patch = last.result ? { ...last, ...failed(failure), status: 'failed' as const } : last
    await this.#parts.workspace.removeFiles(id)
    await removeResults(this.#parts, { ...before, ...last })
    const saved = await this.keep(id, patch)
    if (!saved) await this.#parts.jobs.note(id, () => patch)
    return saved
  }

  /** Ends a job that cannot be run again. */
  interrupted(record: JobRecord): Promise<void> {
    return this.end(record, failed(new MediaprocError('INTERRUPTED', 'The server was stopped while this ran')))
  }
}
