/** Stores of several servers on one database, as in a cluster, with a PostgreSQL server for the tests of one file. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { AccountsContext } from '../../src/accounts/context.ts'
import { openAccounts } from '../../src/accounts/open.ts'
import { openDatabase } from '../../src/engines/postgres/database.ts'
import { type ClusterStoreOptions, openClusterStore } from '../../src/store/cluster/open.ts'
import type { ClusterOptions } from '../../src/store/cluster/options.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { afterEveryTest } from './clean-up.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { startRedis, type TestRedis } from './redis.ts'
import { temporaryFolder } from './tool.ts'

type OpenOptions = Partial<Omit<ClusterStoreOptions, 'cluster'>> & {
  /** Whether it is one of several servers. */
  isShared?: boolean
  cluster?: Partial<ClusterOptions>
}

export interface Nodes {
  /** The Redis server of all. */
  readonly redis: TestRedis
  /** Creates an empty database and returns its URL. */
  database(): Promise<string>
  /** Opens the store of one more server; contents are in a folder that all servers of the database have. */
  open(url: string, options?: OpenOptions): Promise<Store>
  /** Several servers of a new database. */
  several(count: number): Promise<{ url: string; stores: Store[] }>
  /** The folder of contents that the servers of a database share. */
  filesOf(url: string): string
  /** Runs a statement on a database beside its servers. */
  execute(url: string, statement: string): Promise<void>
  /** The rows of a query. */
  rows(url: string, query: string): Promise<unknown[]>
}

export function nodes(): Nodes {
  const parent = temporaryFolder()
  const opened: Store[] = []
  let postgres: TestPostgres
  let redis: TestRedis
  beforeAll(async () => {
    postgres = await startPostgres()
    redis = await startRedis()
  })
  afterAll(async () => {
    await postgres.stop()
    await redis.stop()
  })
  afterEveryTest(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  const filesFolder = (url: string): string => join(parent, new URL(url).pathname.slice(1))
  const open: Nodes['open'] = async (url, options = {}) => {
    const folder = mkdtempSync(join(parent, 'node-'))
    const database = { url, connections: 5 }
    const { isShared = true, cluster, ...more } = options
    const common = { auditRetentionDays: 0, database, ...more }
    const contents = { kind: 'folder', folder: filesFolder(url) } as const
    const role = { name: 'all', version: '1', concurrentJobs: 2 } as const
    const shared = { redis: { url: redis.url }, contents, role, onWarning: () => {}, ...cluster }
    const store = isShared
      ? await openClusterStore(folder, { ...common, cluster: shared })
      : await openPostgresStore(folder, common)
    opened.push(store)
    return store
  }
  return {
    get redis() {
      return redis
    },
    database: () => postgres.database(),
    open,
    filesOf: (url) => join(filesFolder(url), 'contents', 'library'),
    async several(count) {
      const url = await postgres.database()
      return { url, stores: await Promise.all(Array.from({ length: count }, () => open(url))) }
    },
    execute: async (url, statement) => void (await rows(url, statement)),
    rows,
  }
}

async function rows(url: string, query: string): Promise<unknown[]> {
  const { db, sql, close } = await openDatabase<unknown>({ url, connections: 1 })
  try {
    return (await sql.raw(query).execute(db)).rows
  } finally {
    await close()
  }
}

/** The accounts of a server. @param now the clock, in milliseconds since 1970 */
export const accountsOf = (store: Store, now: () => number = () => Date.now(), maxUsers = 0): AccountsContext =>
  openAccounts(store, {
    ...{ authEnabled: true, sessionMs: 168 * 3_600_000, maxUsers, skipMustChangePassword: true, now },
    dataFolder: '/nowhere',
  })
