import type { Kysely, Migration } from 'kysely'
import type { Client, Pool, PoolClient, PoolConfig } from 'pg'
import { MediaprocError } from '../../errors.ts'
import { installCommand } from '../engine.ts'
import { importPackage, libraryEngine, packageFolder } from '../library.ts'
import { databaseFailure } from './failure.ts'
import { DatabaseLock, type LockOptions } from './lock.ts'
import { PreparedNames } from './prepared.ts'

/** The oldest server that is supported; it has been maintained since 2020. */
const OLDEST = { number: 130_000, name: 'PostgreSQL 13' }
/** How long to wait for a connection, in milliseconds. */
const CONNECT_MS = 5000
/** How long a statement may take, and a transaction may pause between two, in milliseconds. */
const STATEMENT_MS = 30_000
/** How long to wait for the answer to a statement: a server that hangs does not end it. */
const ANSWER_MS = STATEMENT_MS + 5000
const IDLE_MS = 60_000
/** How long a statement of a migration may take, and the wait for another server that migrates, in milliseconds. */
const MIGRATION_MS = 3_600_000

export const postgresEngine = libraryEngine({
  id: 'postgres',
  purpose: 'records of serve in PostgreSQL (DATABASE_URL)',
  licence: 'MIT',
  package: 'pg',
  pack: 'postgres',
})

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/name`, with the parameters of libpq, such as `sslmode` and `sslrootcert`. */
  url: string
  /** Maximum number of connections. */
  connections: number
}

interface Packages {
  pg: {
    Client: typeof Client
    Pool: typeof Pool
    types: { setTypeParser(oid: number, parse: (text: string) => unknown): void }
  }
  kysely: typeof import('kysely')
}

/** @throws ENGINE_UNAVAILABLE without the packages */
async function loadPackages(): Promise<Packages> {
  if (packageFolder('pg') === undefined || packageFolder('kysely') === undefined)
    throw new MediaprocError('ENGINE_UNAVAILABLE', 'DATABASE_URL needs an engine pack that is not installed', {
      hint: { shell: `Install it: ${installCommand('postgres')}` },
      fields: { engine: 'postgres', pack: 'postgres' },
    })
  const { default: pg } = await importPackage<{ default: Packages['pg'] }>('pg')
  return { pg, kysely: await importPackage<Packages['kysely']>('kysely') }
}

/** A connection of the pool whose errors are ours; one that did not answer is not used again. */
function guarded(client: PoolClient, names: PreparedNames): PoolClient {
  let isBroken = false
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name === 'query')
        return (...given: Parameters<PoolClient['query']>) =>
          Promise.resolve(target.query(...prepared(given, names))).catch((error: unknown) => {
            const failure = databaseFailure(error)
            isBroken ||= failure.code === 'STORE_UNAVAILABLE'
            throw failure
          })
      if (name === 'release') return () => target.release(isBroken)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A statement with parameters as one with a name, if it is executed often. */
function prepared(given: Parameters<PoolClient['query']>, names: PreparedNames): Parameters<PoolClient['query']> {
  const [text, values] = given as unknown[]
  const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? names.nameOf(text) : undefined
  return name === undefined ? given : ([{ name, text, values }] as unknown as typeof given)
}

/** An open database. */
export interface OpenDatabase<Schema> {
  db: Kysely<Schema>
  /** The template tag for SQL with parameters. */
  sql: Packages['kysely']['sql']
  /** Applies migrations that the database does not have yet. @throws INVALID_CONFIG for a database of a newer release */
  migrate(migrations: Record<string, Migration>): Promise<void>
  /**
   * The migrations that the database does not have yet; changes nothing.
   * @throws INVALID_CONFIG for a database of a newer release
   */
  pending(migrations: Record<string, Migration>): Promise<string[]>
  /** Whether migrations have been applied. */
  isMigrated(): Promise<boolean>
  /** A lock of the database. @param onTaken called when another session has taken it, after it was lost */
  lock(key: number, onTaken: () => void, how?: LockOptions): DatabaseLock
  close(): Promise<void>
}

/**
 * Connects to a PostgreSQL server.
 * @throws INVALID_CONFIG for a wrong URL, password or an old server; STORE_UNAVAILABLE; ENGINE_UNAVAILABLE
 */
export async function openDatabase<Schema>({ url, connections }: DatabaseOptions): Promise<OpenDatabase<Schema>> {
  const { pg, kysely } = await loadPackages()
  const config: PoolConfig = {
    ...{ connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true, application_name: 'mediaproc' },
    ...{ statement_timeout: STATEMENT_MS, idle_in_transaction_session_timeout: IDLE_MS, max: connections },
    query_timeout: ANSWER_MS,
    // Single statements must see what was committed while they waited, whatever the default of the database; `options` in the
    // URL replace this.
    options: '-c default_transaction_isolation=read\\ committed',
  }
  const pool = await firstConnection(pg, config)
  const names = new PreparedNames()
  const connect = async () =>
    guarded(
      await pool.connect().catch((error: unknown) => {
        throw databaseFailure(error)
      }),
      names,
    )
  const db = new kysely.Kysely<Schema>({
    dialect: new kysely.PostgresDialect({ pool: { connect, end: () => pool.end() } as unknown as Pool }),
  })
  const isMigrated = async (): Promise<boolean> => {
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
    return tables.some(({ name }) => name === kysely.DEFAULT_MIGRATION_TABLE)
  }
  return {
    db,
    sql: kysely.sql,
    async migrate(migrations) {
      const limits = { statement_timeout: MIGRATION_MS, query_timeout: MIGRATION_MS, max: 1 }
      const patient = await firstConnection(pg, { ...config, ...limits })
      const migrating = new kysely.Kysely<Schema>({ dialect: new kysely.PostgresDialect({ pool: patient }) })
      const migrator = new kysely.Migrator({ db: migrating, provider: { getMigrations: async () => migrations } })
      const migrate = async () => ({ known: await migrator.getMigrations(), ...(await migrator.migrateToLatest()) })
      const { known = [], error } = await migrate()
        .catch((cause: unknown) => ({ known: [], error: cause }))
        .finally(() => migrating.destroy())
      if (!error) return
      if (/corrupted migrations/.test(String(error)) && known.length > 0) throw newerRelease(error)
      throw databaseFailure(error)
    },
    async pending(migrations) {
      if (!(await isMigrated())) return Object.keys(migrations)
      const { rows } = await kysely.sql<{ name: string }>`
        select name from ${kysely.sql.table(kysely.DEFAULT_MIGRATION_TABLE)}`.execute(db)
      if (rows.some(({ name }) => !Object.hasOwn(migrations, name))) throw newerRelease()
      const known = new Set(rows.map(({ name }) => name))
      return Object.keys(migrations).filter((name) => !known.has(name))
    },
    isMigrated,
    lock: (key, onTaken, how) => new DatabaseLock(key, () => new pg.Client(config), onTaken, how),
    close: () => db.destroy(),
  }
}

const newerRelease = (cause?: unknown): MediaprocError =>
  new MediaprocError('INVALID_CONFIG', 'The database was written by a newer release', {
    hint: { shell: 'Start that release, or a database of this one.' },
    cause,
  })

/** Opens the pool, and checks the server. */
async function firstConnection(pg: Packages['pg'], config: PoolConfig): Promise<Pool> {
  let pool: Pool | undefined
  try {
    pool = new pg.Pool(config)
    // A connection that ends fails its statement, and is replaced by the next use.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    const { rows } = await pool.query<{ server_version_num: string }>('show server_version_num')
    if (Number(rows[0]?.server_version_num) >= OLDEST.number) return pool
    throw new MediaprocError('INVALID_CONFIG', `The database is older than ${OLDEST.name}`)
  } catch (error) {
    await pool?.end()
    const failure = databaseFailure(error)
    // A server that cannot be reached may come back; a wrong address, name or password does not change by itself.
    if (failure.code === 'STORE_UNAVAILABLE' || failure.code === 'INVALID_CONFIG') throw failure
    throw new MediaprocError('INVALID_CONFIG', 'The database of DATABASE_URL cannot be opened', {
      hint: { shell: 'Check its user, password, host and name.' },
      detail: failure.detail ?? '',
      cause: error,
    })
  }
}
