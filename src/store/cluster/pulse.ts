import type { JobRecord } from '../job-record.ts'
import type { LocalWorkspace } from '../local/workspace.ts'
import type { JobTable } from '../postgres/job-table.ts'
import type { Claims } from './claims.ts'
import { type HeldClaim, Nodes } from './nodes.ts'
import type { ClusterRole } from './options.ts'

/** Time between two signs of life, in milliseconds. */
export const BEAT_MS = 1000
/** Time between two searches for jobs of dead processes, in milliseconds. */
const REAP_MS = 5000
/** A claim that this process does not know of is released when it was seen this often. */
const UNKNOWN_BEATS = 3

/** What a process does with what it learns. */
export interface PulseOwner {
  /** Claims of its jobs, by their ids. */
  claims(): Map<string, string>
  /** Whether it holds a job. */
  holds(id: string): boolean
  /** The database no longer has this claim. */
  lost(id: string, claim: string): void
  stop(held: HeldClaim): void
  /** Jobs of dead processes wait again. */
  returned(count: number): void
  giveUp(record: JobRecord): Promise<void>
  onWarning(message: string, error: unknown): void
}

interface Parts {
  nodes: Nodes
  claims: Claims
  table: JobTable
  workspace: LocalWorkspace
  role: ClusterRole
}

/** The signs of life of this process, and the search for processes that give none. */
export class Pulse {
  readonly #parts: Parts
  readonly #owner: PulseOwner
  #timers: NodeJS.Timeout[] = []
  #beating: Promise<void> | undefined
  /** Since when this process has been seen without a gap, in milliseconds since 1970. */
  #seenSince = Number.POSITIVE_INFINITY
  #lastBeat = 0
  /** Claims of this process that it does not know of, and how often they were seen. */
  #unknown = new Map<string, number>()

  constructor(parts: Parts, owner: PulseOwner) {
    this.#parts = parts
    this.#owner = owner
  }

  async start(): Promise<void> {
    await this.beat()
    this.#timers = [
      setInterval(() => void this.beat(), BEAT_MS).unref(),
      setInterval(() => void this.#reap(), REAP_MS).unref(),
    ]
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#parts.nodes.leave().catch(() => {})
  }

  /** Says that this process lives, and learns which of its jobs are to stop. One at a time: a slow database gets no more. */
  beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => {
      this.#beating = undefined
    })
    return this.#beating
  }

  async #beatOnce(): Promise<void> {
    const { nodes, role } = this.#parts
    const begun = Date.now()
    const asked = this.#owner.claims()
    const held = await nodes.beat(role.name, role.version).catch(() => undefined)
    if (!held) return
    if (begun - this.#lastBeat > Nodes.deadMs / 3) this.#seenSince = begun
    this.#lastBeat = begun
    const known = new Map(held.map((one) => [one.id, one]))
    for (const [id, claim] of asked) {
      const one = known.get(id)
      if (one?.claim !== claim) this.#owner.lost(id, claim)
      else if (one.stop) this.#owner.stop(one)
    }
    await this.#releaseUnknown(held)
  }

  /** Releases claims whose answers were lost: they are in the database, and this process has never heard of them. */
  async #releaseUnknown(held: readonly HeldClaim[]): Promise<void> {
    const unknown = held.filter(({ id }) => !this.#owner.holds(id))
    const seen = new Map(unknown.map(({ claim }) => [claim, (this.#unknown.get(claim) ?? 0) + 1]))
    this.#unknown = seen
    // An answer may be on its way for a while. Should it come later all the same, the claim is lost by then.
    for (const { id, claim } of unknown)
      if ((seen.get(claim) ?? 0) >= UNKNOWN_BEATS) await this.#parts.claims.release(id, claim, false).catch(() => {})
  }

  /** Takes up the jobs of dead processes. After a gap of the database, the others first get time to say that they live. */
  async #reap(): Promise<void> {
    const { nodes, table, workspace } = this.#parts
    if (Date.now() - this.#seenSince < Nodes.deadMs || Date.now() - this.#lastBeat > BEAT_MS * 2) return
    try {
      this.#owner.returned(await nodes.reap())
      for (const record of await nodes.unsettled()) await nodes.settle(record.id, await workspace.held(record))
      for (const record of await table.abandoned()) await this.#owner.giveUp(record)
    } catch (error) {
      this.#owner.onWarning('jobs of ended processes are not taken up', error)
    }
  }
}
