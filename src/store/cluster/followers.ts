import { randomUUID } from 'node:crypto'
import type { Redis } from '../../engines/redis/redis.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import { Listeners } from '../memory/listeners.ts'
import type { JobTable } from '../postgres/job-table.ts'
import type { JobListener } from '../queue.ts'
import { type Event, eventOf, type Progress, readEvent } from './events.ts'

/** Time between two looks into the database, in milliseconds: events may be lost. */
const LOOK_MS = 1000
/** How much earlier than the listener a job with its client id may have been created, by clocks that differ, in milliseconds. */
const CLOCKS_MS = 60_000

/** Events about the progress of a job come at most this often, in milliseconds: a quick job has none between its begin and end. */
const PROGRESS_MS = 100

/** Jobs of which is known when their progress was sent; those whose end is not seen here are forgotten with all others. */
const MOST_SENT = 10_000

/** Where the records of jobs are read. */
interface RecordSource {
  look(id: string): Promise<JobRecord | undefined>
  /** Receives the record of a job that another process has ended. */
  learn(ended: JobRecord): void
}

interface Followed {
  /** The last reported state. */
  record: JobRecord | undefined
  /** Others cannot see the job yet, so none of its events was missed. */
  isUnseen?: boolean
  /** Ends the subscription. */
  stop: () => void
}

const RANK = { queued: 0, processing: 1, completed: 2, failed: 2, canceled: 2 } as const

/** How far a job is; a later state has a greater number. */
const stepOf = ({ attempts, status, percent, members = [] }: Progress & Pick<JobRecord, 'members'>): number =>
  (RANK[status] === 2 ? 1e15 : attempts * 1e12 + RANK[status] * 1e11) +
  members.filter(({ state }) => state !== 'waiting').length * 1000 +
  percent

/**
 * Listeners to jobs that other processes run. Events come over Redis, after the database has what they report. Because they may
 * be lost, the database is asked about once a second as well, and for the ends of batches and for large results.
 */
export class Followers {
  readonly #redis: Redis
  readonly #table: JobTable
  readonly #source: RecordSource
  readonly #listeners = new Listeners()
  readonly #expected = new Listeners()
  readonly #jobs = new Map<string, Followed>()
  readonly #clientIds = new Map<string, Followed & { since: number }>()
  readonly #own = randomUUID()
  /** Jobs of this process, and when their progress was sent. */
  readonly #sent = new Map<string, { status: string; at: number }>()
  readonly #timer: NodeJS.Timeout
  readonly #stopReconnects: () => void
  #isLooking = false

  constructor(redis: Redis, table: JobTable, source: RecordSource) {
    this.#redis = redis
    this.#table = table
    this.#source = source
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref()
    this.#stopReconnects = redis.onReconnect(() => void this.#look())
  }

  /** Number of jobs that are followed. */
  get size(): number {
    return this.#jobs.size + this.#clientIds.size
  }

  publish(record: JobRecord): void {
    const { id, clientJobId, status } = record
    this.#report(record)
    const isNew = status === 'queued'
    // The others learn the id of a new job later, and begin with a look into the database.
    if (!isNew && this.#isNews(record)) this.#redis.publish(`job:${id}`, eventOf(record, this.#own))
    if (clientJobId === null || !isNew) return
    this.#redis.publish(`client:${clientJobId}`, JSON.stringify({ from: this.#own } satisfies Event))
    this.#expected.notify(clientJobId, record)
  }

  /** Whether an event is due. What is left out is read from the database, where it is a second later. */
  #isNews(record: JobRecord): boolean {
    const { id, status } = record
    const last = this.#sent.get(id)
    const at = performance.now()
    if (last?.status === status && at - last.at < PROGRESS_MS) return false
    if (this.#sent.size >= MOST_SENT) this.#sent.clear()
    if (isOver(record)) this.#sent.delete(id)
    else this.#sent.set(id, { status, at })
    return true
  }

  /** Reports a state that is later than the last one. */
  #report(record: JobRecord): void {
    const followed = this.#jobs.get(record.id)
    if (!followed) return
    const { record: last } = followed
    const [step, lastStep] = [stepOf(record), last ? stepOf(last) : -1]
    // The database may be behind the events by a second.
    if (step < lastStep || (step === lastStep && record.stage === last?.stage)) return
    followed.record = record
    this.#listeners.notify(record.id, record)
  }

  listen(id: string, listener: JobListener): () => void {
    let isListening = true
    const stop = this.#listeners.add(id, listener)
    const known = this.#jobs.get(id)
    if (!known) {
      const followed = { record: undefined, stop: () => {} }
      this.#jobs.set(id, followed)
      this.#subscribe(this.#jobs, id, followed, `job:${id}`, (event) => this.#receive(id, event))
    } else if (known.record) {
      const { record } = known
      // The others have been called with it. Without one, the first look comes and calls all.
      queueMicrotask(() => isListening && listener(record))
    }
    return () => {
      isListening = false
      stop()
      if (!this.#listeners.has(id)) this.#unfollow(this.#jobs, id)
    }
  }

  /**
   * Follows a job that this process is about to submit: then its listener, which comes soon, needs no look into the database.
   * Returns what to call when others begin to see the job, and afterwards with its record; without one, the job was refused.
   */
  begin(id: string): { seen(): void; end(record?: JobRecord): void } {
    const followed: Followed = { record: undefined, isUnseen: true, stop: () => {} }
    this.#jobs.set(id, followed)
    this.#subscribe(this.#jobs, id, followed, `job:${id}`, (event) => this.#receive(id, event))
    const endUnheard = (): void => {
      if (this.#jobs.get(id) === followed && !this.#listeners.has(id)) this.#unfollow(this.#jobs, id)
    }
    return {
      seen() {
        followed.isUnseen = false
      },
      end: (record) => {
        if (!record) return endUnheard()
        if (this.#jobs.get(id) === followed) followed.record ??= record
        setTimeout(endUnheard, LOOK_MS).unref()
      },
    }
  }

  #receive(id: string, { progress, ended }: Event): void {
    const last = this.#jobs.get(id)?.record
    if (ended?.id === id) {
      this.#source.learn(ended)
      this.#report(ended)
    } else if (!progress || !last) void this.#lookAt(id)
    // The files of a batch are not in events: they are read once a second.
    else if (!last.members) this.#report({ ...last, ...progress })
  }

  expect(clientJobId: string, listener: JobListener): () => void {
    const seen = new Set<string>()
    const stop = this.#expected.add(clientJobId, (record) => {
      // An event and a look may report the same job.
      if (seen.has(record.id)) return
      seen.add(record.id)
      listener(record)
    })
    if (!this.#clientIds.has(clientJobId)) {
      const followed = { record: undefined, stop: () => {}, since: Date.now() - CLOCKS_MS }
      this.#clientIds.set(clientJobId, followed)
      const look = (): void => void this.#lookFor([clientJobId])
      this.#subscribe(this.#clientIds, clientJobId, followed, `client:${clientJobId}`, look)
    }
    return () => {
      stop()
      if (!this.#expected.has(clientJobId)) this.#unfollow(this.#clientIds, clientJobId)
    }
  }

  #subscribe<F extends Followed>(
    all: Map<string, F>,
    id: string,
    followed: F,
    channel: string,
    receive: (event: Event) => void,
  ): void {
    const subscribed = this.#redis.subscribe(channel, (text) => {
      const event = readEvent(text)
      if (event.from !== this.#own) receive(event)
    })
    subscribed.then(
      (stop) => {
        if (all.get(id) === followed) followed.stop = stop
        else stop()
        // What happened before the subscription.
        if (!followed.isUnseen) receive({ from: '' })
      },
      () => {},
    )
  }

  #unfollow(all: Map<string, Followed>, id: string): void {
    all.get(id)?.stop()
    all.delete(id)
  }

  async #lookAt(id: string): Promise<void> {
    // Without an answer, the next look may have one.
    const record = await this.#source.look(id).catch(() => undefined)
    if (record) this.#report(record)
  }

  async #lookFor(clientIds: readonly string[]): Promise<void> {
    const since = Math.min(...clientIds.map((id) => this.#clientIds.get(id)?.since ?? Number.POSITIVE_INFINITY))
    if (!Number.isFinite(since)) return
    const found = await this.#table.createdSince(clientIds, since).catch(() => [])
    for (const record of found) this.#expected.notify(record.clientJobId ?? '', record)
  }

  /** Reports what is new in the database. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.size === 0) return
    this.#isLooking = true
    try {
      const before = [...this.#jobs].map(([id, { record }]) => ({ id, last: record }))
      const found = await this.#table.some(before.map(({ id }) => id))
      const records = new Map(found.map((record) => [record.id, record]))
      for (const { id, last } of before) {
        const record = records.get(id)
        if (record) this.#report(record)
        // A job that was removed at another process was stopped before, and the event was lost.
        else if (last && !isOver(last)) this.#report({ ...last, status: 'canceled' })
      }
      if (this.#clientIds.size > 0) await this.#lookFor([...this.#clientIds.keys()])
    } catch {
      // The next look may succeed.
    } finally {
      this.#isLooking = false
    }
  }

  /** Calls all listeners once more with the state of their jobs, for the end of the server. */
  async repeat(): Promise<void> {
    const records = await this.#table.some([...this.#jobs.keys()]).catch(() => [])
    for (const record of records) this.#listeners.notify(record.id, record)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stopReconnects()
    for (const all of [this.#jobs, this.#clientIds]) for (const id of all.keys()) this.#unfollow(all, id)
  }
}
