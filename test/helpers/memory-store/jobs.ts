import { MediaprocError } from '../../../src/errors.ts'
import type { Blobs } from '../../../src/store/blobs.ts'
import { isOver, type JobRecord } from '../../../src/store/job-record.ts'
import { usageOf } from '../../../src/store/job-usage.ts'
import type { JobQuery, Jobs, JobUsage } from '../../../src/store/jobs.ts'
import type { LocalWorkspace } from '../../../src/store/local/workspace.ts'
import type { Patch } from '../../../src/store/repositories.ts'

const timeOf = (text: string | null): number => (text === null ? Number.NaN : Date.parse(text))

const byAge = (one: JobRecord, other: JobRecord): number => timeOf(one.createdAt) - timeOf(other.createdAt)

/** Records of jobs in memory. */
export class MemoryJobs implements Jobs {
  readonly damaged: readonly string[] = []
  readonly isComplete = true
  readonly #records = new Map<string, JobRecord>()
  /** Bytes of jobs whose files are complete. */
  readonly #settled = new Map<string, number>()
  readonly #workspace: LocalWorkspace
  readonly #results: Blobs

  constructor(workspace: LocalWorkspace, results: Blobs) {
    this.#workspace = workspace
    this.#results = results
  }

  #where(isWanted: (record: JobRecord) => boolean): JobRecord[] {
    return [...this.#records.values()].filter(isWanted).sort(byAge)
  }

  #idsWhere(isWanted: (record: JobRecord) => boolean): string[] {
    return this.#where(isWanted).map(({ id }) => id)
  }

  complete = async (): Promise<void> => {}
  get = async (id: string): Promise<JobRecord | undefined> => this.#records.get(id)

  async named(id: string): Promise<JobRecord[]> {
    const own = this.#records.get(id)
    const others = this.#where((record) => record.clientJobId === id && record !== own).reverse()
    return own ? [own, ...others] : others
  }

  async create(record: JobRecord, { isUnique = false } = {}): Promise<void> {
    const { clientJobId, ownerId } = record
    const isTaken = this.#where((one) => one.ownerId === ownerId && one.clientJobId === clientJobId).length > 0
    if (isUnique && clientJobId !== null && isTaken) throw new MediaprocError('CONFLICT', 'The id was used before')
    this.#records.set(record.id, record)
  }

  async update(id: string, patch: Patch<JobRecord>): Promise<JobRecord> {
    const before = this.#records.get(id)
    if (!before) throw new MediaprocError('NOT_FOUND', 'There is no such job')
    const record = { ...before, ...patch }
    this.#records.set(id, record)
    return record
  }

  async note(id: string, edit: (record: JobRecord) => Patch<JobRecord>): Promise<JobRecord | undefined> {
    const before = this.#records.get(id)
    return before && !isOver(before) ? this.update(id, edit(before)) : undefined
  }

  async settle(id: string, bytes: number): Promise<void> {
    const record = this.#records.get(id)
    if (!record) return
    const before = this.#settled.get(id)
    if (before === undefined) this.#workspace.count(id, bytes)
    else this.#workspace.add(record.ownerId, bytes - before)
    this.#settled.set(id, bytes)
    this.#workspace.rest(id)
  }

  async ofOwner({ ownerId, status, limit, offset }: JobQuery): Promise<{ jobs: JobRecord[]; total: number }> {
    const found = this.#where(
      (record) =>
        record.type !== 'upload' &&
        (ownerId === undefined || record.ownerId === ownerId) &&
        (status === undefined || record.status === status),
    ).reverse()
    return { jobs: found.slice(offset, offset + limit), total: found.length }
  }

  unfinished = async (): Promise<JobRecord[]> => this.#where((record) => !isOver(record))
  idsOf = async (ownerId: string): Promise<string[]> => this.#idsWhere((record) => record.ownerId === ownerId)

  uploadsOf = async (ownerId: string): Promise<JobRecord[]> =>
    this.#where((record) => record.type === 'upload' && record.outputs.length > 0 && record.ownerId === ownerId)

  #isExpired({ expiresAt, outputs }: JobRecord, moment: string): boolean {
    return outputs.length > 0 && expiresAt !== null && expiresAt <= moment
  }

  expired = async (moment: string): Promise<string[]> =>
    this.#idsWhere((record) => this.#settled.has(record.id) && this.#isExpired(record, moment))

  endedBefore = async (ended: string, moment: string): Promise<string[]> =>
    this.#idsWhere((record) => {
      const { id, completedAt, createdAt, outputs } = record
      const isOld = this.#settled.has(id) && (completedAt ?? createdAt) <= ended
      return isOld && (outputs.length === 0 || this.#isExpired(record, moment))
    })

  async surplus(most: number, ownerId?: string | null): Promise<string[]> {
    const settled = this.#where(({ id }) => this.#settled.has(id))
    const owners = ownerId === undefined ? new Set(settled.map((record) => record.ownerId)) : [ownerId]
    return [...owners].flatMap((owner) => {
      const own = settled.filter((record) => record.ownerId === owner)
      return own.slice(0, Math.max(0, own.length - most)).map(({ id }) => id)
    })
  }

  async remove(id: string): Promise<void> {
    const record = this.#records.get(id)
    if (record) this.#workspace.add(record.ownerId, -(this.#settled.get(id) ?? 0))
    this.#records.delete(id)
    this.#settled.delete(id)
    for await (const key of this.#results.keys()) if (key.startsWith(`${id}/`)) await this.#results.remove(key)
    await this.#workspace.discard(id)
  }

  usage(since: string): Promise<JobUsage> {
    const all = this.#where(() => true).map((record) => ({
      ...record,
      created: timeOf(record.createdAt),
      started: timeOf(record.startedAt),
      completed: timeOf(record.completedAt),
    }))
    return usageOf(all, Date.parse(since))
  }

  async popularTools(): Promise<{ toolId: string; runs: number }[]> {
    const runs = new Map<string, number>()
    for (const { toolId } of this.#where(({ id, type }) => this.#settled.has(id) && type !== 'upload'))
      if (toolId !== null) runs.set(toolId, (runs.get(toolId) ?? 0) + 1)
    return [...runs].map(([toolId, count]) => ({ toolId, runs: count })).sort((one, other) => other.runs - one.runs)
  }
}
