import { resultFiles } from '../job-record.ts'
import type { HeldFiles } from '../jobs.ts'
import { LocalWorkspace } from '../local/workspace.ts'
import type { Access } from '../postgres/access.ts'
import { ownerKey } from '../postgres/job-rows.ts'

/** How old the sums of the database may be, in milliseconds. */
const SUMS_MS = 1000

/** The size of an ended job's files. Without outputs, nothing is kept: the files of a batch go with its archive. */
export const heldBytes = (record: HeldFiles): number =>
  record.outputs.length === 0 ? 0 : resultFiles(record).reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Folders of this process, for uploads that arrive and jobs that run. The files that count are known to the database: sizes are
 * its sums, at most a second old, plus what arrives here.
 */
export class ClusterWorkspace extends LocalWorkspace {
  readonly #access: Access
  readonly #owners = new Map<string | null, number>()
  #all = { bytes: 0, at: 0 }

  constructor(folder: string, access: Access) {
    super(folder)
    this.#access = access
  }

  override get totalBytes(): number {
    return this.#all.bytes + super.totalBytes
  }

  override bytesOf(ownerId: string | null): number {
    return (this.#owners.get(ownerId) ?? 0) + super.bytesOf(ownerId)
  }

  override async refresh(ownerId: string | null): Promise<void> {
    const { sql, executor } = this.#access
    const now = Date.now()
    if (now - this.#all.at > SUMS_MS) {
      const { rows } = await sql<{ bytes: string }>`select coalesce(sum(bytes), 0) as bytes from job_sums`.execute(
        executor,
      )
      this.#all = { bytes: Number(rows[0]?.bytes), at: now }
      this.#owners.clear()
    }
    if (this.#owners.has(ownerId)) return
    const { rows } = await sql<{ bytes: string }>`select coalesce(sum(bytes), 0) as bytes from job_sums
      where owner_key = ${ownerKey(ownerId)}`.execute(executor)
    this.#owners.set(ownerId, Number(rows[0]?.bytes))
  }

  override handOver(id: string): Promise<void> {
    return this.discard(id)
  }

  override async held(record: HeldFiles): Promise<number> {
    return heldBytes(record)
  }
}
