import { randomUUID } from 'node:crypto'
import type { JobRecord } from '../job-record.ts'
import type { Access } from '../postgres/access.ts'
import type { StopReason } from './claims.ts'

/** A process that has not been seen for this long is dead, in seconds: its jobs are given to others. */
const DEAD_S = 15

/** A job of this process as the database knows it. */
export interface HeldClaim {
  id: string
  claim: string
  stop: StopReason | null
}

/** The processes that share a database: their signs of life, and what becomes of the jobs of those that died. */
export class Nodes {
  /** Milliseconds after which a process without a sign of life is dead. */
  static readonly deadMs = DEAD_S * 1000
  /** This process. */
  readonly id = randomUUID()
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  /** Says that this process lives; returns its jobs. The role and the version are for people who look into the table. */
  async beat(role: string, version: string): Promise<HeldClaim[]> {
    const { sql, executor } = this.#access
    await sql`insert into nodes (id, role, version) values (${this.id}, ${role}, ${version})
      on conflict (id) do update set seen = clock_timestamp()`.execute(executor)
    const { rows } = await sql<HeldClaim>`select id, claim, stop from jobs
      where claim is not null and node = ${this.id}`.execute(executor)
    return rows
  }

  get #isDead() {
    return this.#access.sql`not exists (select from nodes where nodes.id = jobs.node
      and seen > clock_timestamp() - make_interval(secs => ${DEAD_S}))`
  }

  /** Gives the jobs of dead processes back to the queue; returns their number. */
  async reap(): Promise<number> {
    const { sql, executor } = this.#access
    await sql`delete from nodes where seen < clock_timestamp() - make_interval(secs => ${4 * DEAD_S})`.execute(executor)
    const { rows } = await sql`update jobs set claim = null, node = null
      where claim is not null and ${this.#isDead} and status in ('queued', 'processing') returning id`.execute(executor)
    return rows.length
  }

  /** Ended jobs whose files were not counted, because their processes died. */
  async unsettled(): Promise<JobRecord[]> {
    const { sql, executor } = this.#access
    const { rows } = await sql<{ record: JobRecord }>`select record from jobs where bytes is null and turn is null
      and status not in ('queued', 'processing') and (claim is null or ${this.#isDead})`.execute(executor)
    return rows.map(({ record }) => record)
  }

  /** Counts the files of such a job. */
  async settle(id: string, bytes: number): Promise<void> {
    const { sql, executor } = this.#access
    await sql`update jobs set bytes = ${bytes}, claim = null, node = null where id = ${id} and bytes is null`.execute(
      executor,
    )
  }

  /** See `Store.lease`. */
  async lease(name: string, ms: number): Promise<boolean> {
    const { sql, executor } = this.#access
    const until = sql`clock_timestamp() + make_interval(secs => ${ms / 1000})`
    const { rows } = await sql`insert into leases values (${name}, ${until})
      on conflict (name) do update set until = excluded.until where leases.until <= clock_timestamp()
      returning name`.execute(executor)
    return rows.length > 0
  }

  /** This process ends. */
  async leave(): Promise<void> {
    const { sql, executor } = this.#access
    await sql`delete from nodes where id = ${this.id}`.execute(executor)
  }
}
