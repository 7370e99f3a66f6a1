import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { addDefaultTeam } from '../../../src/store/default-team.ts'
import { LocalWorkspace } from '../../../src/store/local/workspace.ts'
import { LocalQueue } from '../../../src/store/memory/queue.ts'
import type { StoreOptions } from '../../../src/store/options.ts'
import type { AuditEntry } from '../../../src/store/records.ts'
import type { AuditFilter, AuditLog, Store } from '../../../src/store/store.ts'
import { MemoryBlobs } from './blobs.ts'
import { MemoryJobs } from './jobs.ts'
import { MemoryLibrary } from './library.ts'
import { type Access, copyOf, memoryRepositories, type Tables } from './repositories.ts'

function memoryAudit(): AuditLog {
  const all: AuditEntry[] = []
  const wanted = ({ action, ip, from, to }: AuditFilter): AuditEntry[] =>
    all.filter(
      (entry) =>
        (!action || entry.action === action) &&
        (!ip || entry.ipAddress === ip) &&
        !(Date.parse(entry.createdAt) < Date.parse(from ?? '')) &&
        !(Date.parse(entry.createdAt) > Date.parse(to ?? '')),
    )
  return {
    async append(entry) {
      const complete = { id: randomUUID(), ...entry, createdAt: new Date().toISOString() }
      all.unshift(complete)
      return complete
    },
    async query({ page, limit, ...filter }) {
      const found = wanted(filter)
      return { entries: found.slice((page - 1) * limit, page * limit), total: found.length }
    },
    async *entries(filter) {
      yield* wanted(filter)
    },
    // Records in memory cannot be altered from outside.
    check: async () => ({ entries: 0, unlinked: 0, cutOff: 0, broken: 0, breaks: [], head: '', begins: true }),
    sweep: async () => {},
    close: async () => {},
  }
}

/**
 * A store that only keeps the workspace on disk, which is local to this machine by its contract: the second
 * implementation of the interface, without files. Results and the library are in no folder.
 */
export async function openMemoryStore(folder: string, { workspaceFolder }: Partial<StoreOptions> = {}): Promise<Store> {
  let tables: Tables = new Map()
  let turn: Promise<unknown> = Promise.resolve()
  /** Sequentially, on a copy that replaces the previous state on success. */
  function transaction<R>(work: (access: Access) => R | Promise<R>): Promise<R> {
    const result = turn.then(async () => {
      const draft = copyOf(tables)
      const made = await work({ tables: () => draft, write: async (edit) => edit(draft) })
      tables = draft
      return made
    })
    turn = result.catch(() => {})
    return result
  }
  const own = workspaceFolder ?? join(folder, 'workspace')
  await mkdir(own, { recursive: true })
  const workspace = new LocalWorkspace(own)
  const results = new MemoryBlobs()
  const repositories = memoryRepositories({
    tables: () => tables,
    write: (edit) => transaction(({ write }) => write(edit)),
  })
  await addDefaultTeam(repositories)
  const jobs = new MemoryJobs(workspace, results)
  return {
    ...repositories,
    ...{ workspace, results, previews: new MemoryBlobs(), audit: memoryAudit() },
    jobs,
    queue: new LocalQueue(jobs),
    library: new MemoryLibrary(new MemoryBlobs()),
    transaction: (work) => transaction((access) => work(memoryRepositories(access))),
    ping: async () => true,
    close: async () => {},
  }
}
