import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from '../../engines/redis/redis.ts'
import { type ErrorCode, MediaprocError, toMediaprocError } from '../../errors.ts'
import type { JobRecord } from '../job-record.ts'
import type { LocalWorkspace } from '../local/workspace.ts'
import type { JobTable } from '../postgres/job-table.ts'
import { type JobListener, type JobQueue, type JobWork, MAX_ATTEMPTS, type SubmitOptions } from '../queue.ts'
import { untilAvailable } from '../until-available.ts'
import type { Admission } from './admission.ts'
import { type Claim, type Claims, listText, type StopReason } from './claims.ts'
import { Followers } from './followers.ts'
import type { JobInputs } from './inputs.ts'
import { ClaimLost, type ClusterJobs } from './jobs.ts'
import type { Nodes } from './nodes.ts'
import type { ClusterRole } from './options.ts'
import { BEAT_MS, Pulse } from './pulse.ts'

/** Time between two looks whether a job of another process has ended, in milliseconds. */
const LOOK_MS = 200
/** How long a process that ends waits for those who follow jobs of others, in milliseconds: they may ask another server. */
const MOST_FOLLOWING_MS = 5000
/** Channel of an event that a job waits. */
const WAITING = 'waiting'

export interface QueueParts {
  nodes: Nodes
  admission: Admission
  claims: Claims
  jobs: ClusterJobs
  table: JobTable
  inputs: JobInputs
  redis: Redis
  workspace: LocalWorkspace
  role: ClusterRole
  /** Called with what the operator should know. */
  onWarning(message: string, error: unknown): void
}

interface Running {
  stop: AbortController
  heavy: boolean
  ended: Promise<void>
}

const reasonOf = ({ code, message }: StopReason): MediaprocError => new MediaprocError(code as ErrorCode, message)

/** The queue of several processes: the table of jobs, with events over Redis. */
export class ClusterQueue implements JobQueue {
  /** The database is asked when the events of a job can arrive. */
  readonly reportsPresent = true
  readonly #parts: QueueParts
  readonly #followers: Followers
  readonly #running = new Map<string, Running>()
  #work: JobWork | undefined
  #isClosing = false
  #wake = (): void => {}
  /** Whether jobs may wait that this process has not looked for. */
  #hasNews = true
  readonly #pulse: Pulse
  #loop: Promise<void> = Promise.resolve()
  readonly #undo: (() => void)[] = []

  constructor(parts: QueueParts) {
    this.#parts = parts
    this.#followers = new Followers(parts.redis, parts.table, parts.jobs)
    const { jobs } = parts
    const current = (id: string, claim: string): Running | undefined =>
      jobs.claimOf(id) === claim ? this.#running.get(id) : undefined
    this.#pulse = new Pulse(parts, {
      claims: () => new Map([...this.#running.keys()].map((id) => [id, jobs.claimOf(id) ?? ''])),
      holds: (id) => this.#running.has(id) || jobs.claimOf(id) !== undefined,
      lost(id, claim) {
        // It may have ended since the question.
        const running = current(id, claim)
        if (!running) return
        jobs.lose(id)
        running.stop.abort(new ClaimLost(id))
      },
      stop({ id, claim, stop }) {
        if (stop) current(id, claim)?.stop.abort(reasonOf(stop))
      },
      returned: (count) => {
        if (count > 0) this.#announce()
      },
      giveUp: (record) => this.#needed.giveUp(record),
      onWarning: parts.onWarning,
    })
  }

  get #needed(): JobWork {
    if (!this.#work) throw new MediaprocError('INTERNAL', 'No work is registered')
    return this.#work
  }

  async submit(record: JobRecord, options: SubmitOptions): Promise<void> {
    const { admission, inputs, jobs, workspace, role } = this.#parts
    const { id } = record
    const followed = options.mayBeLost ? this.#followers.begin(id) : undefined
    try {
      await inputs.send(record, workspace.folderOf(id), options.mayBeLost)
      // Before others can see the job: this process may be the one that runs it, in a folder of the same name. If this fails,
      // the next start of this process removes it.
      const discarded = workspace.discard(id).catch(() => {})
      if (role.name !== 'api') await discarded
      const needs = record.task ? this.#needed.needsOf(record.task) : { tools: [], bundles: [] }
      followed?.seen()
      await admission.submit(record, needs, options)
      followed?.end(record)
    } catch (error) {
      followed?.end()
      await inputs.remove(record).catch(() => {})
      jobs.removeIfUnanswered(id, error)
      throw error
    }
    this.#announce()
  }

  work(work: JobWork): void {
    this.#work = work
  }

  async takeUp(): Promise<void> {
    const { claims, redis, role } = this.#parts
    await this.#pulse.start()
    this.#undo.push(await redis.subscribe(`node:${claims.node}`, () => void this.#pulse.beat()))
    if (role.name === 'api') return
    this.#undo.push(await redis.subscribe(WAITING, () => this.#look()))
    this.#loop = this.#claimJobs()
  }

  /** Says to all workers that a job waits. Should the event be lost, they ask once a second. */
  #announce(): void {
    this.#parts.redis.publish(WAITING, '')
    this.#look()
  }

  #look(): void {
    this.#hasNews = true
    this.#wake()
  }

  /** Takes jobs as long as there are some and this process has room. */
  async #claimJobs(): Promise<void> {
    const { claims, role } = this.#parts
    const tools = listText(this.#needed.tools)
    while (!this.#isClosing) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const heavy = [...this.#running.values()].filter((one) => one.heavy).length
      // As in the pool of processes: one place is for light jobs.
      const mayBeHeavy = heavy < Math.max(1, role.concurrentJobs - 1)
      const offer = { tools, bundles: this.#needed.loadedBundles(), mayBeHeavy }
      const looks = this.#hasNews && this.#running.size < role.concurrentJobs
      if (looks) this.#hasNews = false
      const claim = looks ? await claims.next(offer).catch(() => undefined) : undefined
      if (claim) {
        this.#hasNews ||= claim.hasOthers
        this.#start(claim, claim.stop ? reasonOf(claim.stop) : undefined)
      } else if (await Promise.race([woken, pause(BEAT_MS, true)])) this.#hasNews = true
    }
  }

  #start(claim: Claim, reason?: MediaprocError): Promise<void> {
    const { id, task } = claim.record
    const heavy = task?.heavy ?? false
    const stop = new AbortController()
    if (reason) stop.abort(reason)
    this.#parts.jobs.hold(claim)
    const ended = this.#run(claim, stop.signal)
      .catch((error: unknown) => this.#parts.onWarning('a job of this process is given to others', error))
      .finally(() => {
        this.#running.delete(id)
        // Heavy jobs may have been passed over.
        if (heavy) this.#hasNews = true
        this.#wake()
      })
    this.#running.set(id, { stop, heavy, ended })
    return ended
  }

  async #run({ record, attempt }: Claim, signal: AbortSignal): Promise<void> {
    const { inputs, jobs, workspace, onWarning } = this.#parts
    const { id } = record
    try {
      if (attempt > MAX_ATTEMPTS && !signal.aborted) await this.#needed.giveUp(record)
      else {
        const hasFiles = record.members?.some(({ files }) => files) ?? false
        const receive = () => inputs.receive(record, workspace.folderOf(id))
        if (!signal.aborted || hasFiles) await untilAvailable(receive, () => this.#isClosing || signal.aborted)
        await this.#needed.run(id, signal, attempt > 1)
      }
      if (jobs.isDone(id)) await inputs.remove(record)
    } catch (error) {
      if (toMediaprocError(error).code !== 'NOT_FOUND') throw error
      // The inputs are gone, which another attempt would not change.
      await this.#needed.giveUp(record)
    } finally {
      // Before the job is released: this process may take it again at once.
      await workspace.discard(id).catch((error: unknown) => onWarning('the folder of a job stayed', error))
      // What was not ended is run by others.
      if (jobs.claimOf(id) !== undefined) {
        await untilAvailable(() => jobs.release(id, !this.#isClosing), this.#mayGiveUp).catch(() => {})
        this.#announce()
      }
      jobs.drop(id)
    }
  }

  /** The database may stay away while the server ends: then the others find the job without a living process. */
  readonly #mayGiveUp = (): boolean => this.#isClosing

  async cancel(id: string, reason: Error): Promise<boolean> {
    const { claims, redis } = this.#parts
    const error = toMediaprocError(reason, 'CANCELED')
    const waiting = await claims.one(id)
    if (waiting) {
      await this.#start(waiting, error)
      return true
    }
    const node = await claims.stop(id, { code: error.code, message: error.message })
    if (node === undefined) return false
    if (node === claims.node) this.#running.get(id)?.stop.abort(error)
    else redis.publish(`node:${node}`, id)
    await this.ended(id)
    return true
  }

  async ended(id: string): Promise<void> {
    await this.#running.get(id)?.ended
    const { claims } = this.#parts
    const claim = await claims.claimOf(id)
    while (claim !== undefined && (await claims.claimOf(id)) === claim) await pause(LOOK_MS)
  }

  size(): Promise<number> {
    return this.#parts.claims.size()
  }

  publish(record: JobRecord): void {
    this.#followers.publish(record)
  }

  listen(id: string, listener: JobListener): () => void {
    return this.#followers.listen(id, listener)
  }

  expect(clientJobId: string, listener: JobListener): () => void {
    return this.#followers.expect(clientJobId, listener)
  }

  async close(ms: number, late: () => void): Promise<void> {
    this.#isClosing = true
    this.#wake()
    const begun = Date.now()
    // A database that hangs must not delay the end.
    await Promise.race([this.#loop, pause(ms)])
    const goesOn = (): boolean =>
      this.#running.size > 0 || (this.#followers.size > 0 && Date.now() < begun + MOST_FOLLOWING_MS)
    while (goesOn() && Date.now() < begun + ms) await pause(50)
    late()
    await this.#followers.repeat()
    for (const { stop } of this.#running.values()) stop.abort()
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    // May be called again: jobs of forms that were still being received arrive later, and other processes run them.
  }

  /** Ends the signs of life. */
  async leave(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo()
    this.#followers.close()
    await this.#pulse.stop()
  }
}
