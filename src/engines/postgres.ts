import type { Kysely, Migration } from 'kysely'
import type { Client, Pool, PoolClient, PoolConfig } from 'pg'
import { MediaprocError } from '../errors.ts'
import { installCommand } from './engine.ts'
import { importPackage, libraryEngine, packageFolder } from './library.ts'

/** The oldest server that is supported; it has been maintained since 2020. */
const OLDEST = { number: 130_000, name: 'PostgreSQL 13' }
/** How long to wait for a connection, in milliseconds. */
const CONNECT_MS = 5000
/** How long a statement may take, and a transaction may pause between two, in milliseconds. */
const STATEMENT_MS = 30_000
const IDLE_MS = 60_000

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

/** SQLSTATE classes of a server that cannot work now: connection, resources, operator intervention, system, read-only. */
const UNAVAILABLE = /^(?:08|53|57P|58|25006)/
const DISK_FULL = '53100'
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE', 'EAI_AGAIN', 'EHOSTUNREACH'])

/** Messages of pg for connections that ended, which have no code. */
const LOST = /connection (?:terminated|timeout)|timeout exceeded when trying to connect|not queryable/i

/** An error of the database as one of ours: what is not known is INTERNAL. */
export function databaseFailure(error: unknown): MediaprocError {
  if (error instanceof MediaprocError) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code === DISK_FULL) return new MediaprocError('DISK_FULL', 'The disk of the database is full', { cause: error })
  if (UNAVAILABLE.test(code) || NETWORK.has(code) || LOST.test(message))
    return new MediaprocError('STORE_UNAVAILABLE', undefined, { detail: message, cause: error })
  return new MediaprocError('INTERNAL', undefined, { detail: message, cause: error })
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

/** A connection of the pool whose errors are ours. */
function guarded(client: PoolClient): PoolClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name === 'query')
        return (...given: Parameters<PoolClient['query']>) =>
          Promise.resolve(target.query(...given)).catch((error: unknown) => {
            throw databaseFailure(error)
          })
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** An open database. */
export interface OpenDatabase<Schema> {
  db: Kysely<Schema>
  /** The template tag for SQL with parameters. */
  sql: Packages['kysely']['sql']
  /** Applies migrations that the database does not have yet. @throws INVALID_CONFIG for a database of a newer release */
  migrate(migrations: Record<string, Migration>): Promise<void>
  /** Whether migrations have been applied. */
  isMigrated(): Promise<boolean>
  /**
   * Holds a lock of the database until the returned function is called, or the connection is lost.
   * @returns undefined when another connection holds it
   */
  hold(key: number, onLost: () => void): Promise<(() => Promise<void>) | undefined>
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
  }
  const pool = await firstConnection(pg, config)
  const connect = async () =>
    guarded(
      await pool.connect().catch((error: unknown) => {
        throw databaseFailure(error)
      }),
    )
  const db = new kysely.Kysely<Schema>({
    dialect: new kysely.PostgresDialect({ pool: { connect, end: () => pool.end() } as unknown as Pool }),
  })
  return {
    db,
    sql: kysely.sql,
    async migrate(migrations) {
      const migrator = new kysely.Migrator({ db, provider: { getMigrations: async () => migrations } })
      const known = await migrator.getMigrations()
      const { error } = await migrator.migrateToLatest().catch((cause: unknown) => ({ error: cause }))
      if (!error) return
      if (/corrupted migrations/.test(String(error)) && known.length > 0)
        throw new MediaprocError('INVALID_CONFIG', 'The database was written by a newer release', {
          hint: { shell: 'Start that release, or a database of this one.' },
          cause: error,
        })
      throw databaseFailure(error)
    },
    async isMigrated() {
      const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
      return tables.some(({ name }) => name === kysely.DEFAULT_MIGRATION_TABLE)
    },
    async hold(key, onLost) {
      const client = new pg.Client(config)
      client.on('error', () => {})
      try {
        await client.connect()
        const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [key])
        if (!rows[0]?.held) {
          await client.end()
          return undefined
        }
      } catch (error) {
        await client.end().catch(() => {})
        throw databaseFailure(error)
      }
      // Only the end of a connection that held the lock is a loss.
      client.once('end', onLost)
      return async () => {
        client.off('end', onLost)
        await client.end().catch(() => {})
      }
    },
    close: () => db.destroy(),
  }
}

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
