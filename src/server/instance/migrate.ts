import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type EnvironmentName, withServerVariables } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { type MigrateOptions, type Migration, migrate } from '../../store/migrate/migrate.ts'
import { databaseFolders, haveSameFolder, openDump, type StorePlace } from '../../store/migrate/open.ts'
import { survey } from '../../store/migrate/survey.ts'
import type { StoreOptions } from '../../store/options.ts'
import { printableName } from '../../wording.ts'
import { readConfig, type ServerConfig } from '../config.ts'
import { storeParts } from '../store-parts.ts'

/** The variables that decide where a server keeps its data; others of a file do not matter. */
const STORE_VARIABLES = [
  ...['DATA_DIR', 'WORKSPACE_PATH', 'FILES_STORAGE_PATH', 'DATABASE_URL', 'DATABASE_CONNECTIONS', 'REDIS_URL'],
  ...['SHARED_DIR', 'S3_BUCKET', 'S3_REGION', 'S3_ENDPOINT', 'S3_PREFIX', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ...['S3_FORCE_PATH_STYLE', 'S3_PRESIGN'],
] as readonly EnvironmentName[]

const isQuoted = (text: string): boolean => /^(["']).*\1$/s.test(text)

/**
 * Parses lines such as `DATA_DIR=/data`, as Docker reads them: `#` begins a comment only at the start of a line. Quotes
 * around a value and `export` are ignored, as shells do.
 * @throws MediaprocError INVALID_CONFIG naming the line, but not its text, which may be a secret
 */
export function parseVariables(text: string, name: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    const [, key = '', value = ''] = /^(?:export\s+)?(\w+)\s*=\s*(.*)$/s.exec(content) ?? []
    if (key === '')
      throw new MediaprocError('INVALID_CONFIG', `Expected NAME=value in line ${index + 1} of ${printableName(name)}`)
    found[key] = isQuoted(value) && value.length > 1 ? value.slice(1, -1) : value
  }
  return found
}

/**
 * The configuration of the store that is in a data folder, or that a file of variables names.
 * @throws MediaprocError INVALID_CONFIG, FILE_NOT_FOUND for a missing file whose name ends in `.env`
 */
export function configOf(place: string): ServerConfig {
  const about = statSync(place, { throwIfNoEntry: false })
  if (!about && place.endsWith('.env'))
    throw new MediaprocError('FILE_NOT_FOUND', `There is no file ${printableName(place)}`)
  if (!about?.isFile()) return withServerVariables({}, () => readConfig({ dataFolder: resolve(place) }))
  const all = parseVariables(readFileSync(place, 'utf8'), place)
  const names = STORE_VARIABLES.flatMap((name) => [name, `${name}_FILE`])
  const given = Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])))
  if (!given.DATA_DIR)
    throw new MediaprocError('INVALID_CONFIG', `The file ${printableName(place)} does not set DATA_DIR`, {
      hint: { shell: 'Add the data folder of the server, as it is called on this machine.' },
    })
  return withServerVariables(given, () => readConfig())
}

/** What a store reports while it is open. */
type Reports = Required<Pick<StoreOptions, 'onLockLost'>> & { onWarning(message: string): void }

const placeOf = (config: ServerConfig, { onWarning, onLockLost }: Reports): StorePlace => ({
  folder: config.dataFolder,
  options: {
    ...storeParts(config, onWarning),
    ...{ auditRetentionDays: 0, onLockLost },
  },
})

const same = (what: string): MediaprocError =>
  new MediaprocError('USAGE', `Both stores have the same ${what}`, {
    hint: { shell: 'Name a new folder, or a new database, as the target.' },
  })

const lockLost = (what: string): MediaprocError =>
  new MediaprocError('CONFLICT', `The connection that locks the database of the ${what} was lost`, {
    hint: { shell: 'A server may have changed it: check that none runs, and run the command again.' },
  })

/** The database that an address names, without its user and parameters. */
function databaseOf({ options: { database } }: StorePlace): string | undefined {
  if (!database) return undefined
  const { host, pathname } = new URL(database.url)
  return `${host}${pathname}`
}

export interface StoreMigration extends Migration {
  from: string
  /** Absent for a dry run. */
  to?: string
  isResumed: boolean
}

/**
 * Copies a store to another place.
 * @param from a data folder, or a file of variables
 * @param options `isDryRun` only counts what the source has
 * @throws MediaprocError CONFLICT when a server uses a store, or the target is not empty; INVALID_CONFIG, INVALID_FILE
 */
export async function migrateStore(
  from: ServerConfig,
  to: ServerConfig,
  options: MigrateOptions & { isDryRun: boolean; onWarning(message: string): void },
): Promise<StoreMigration> {
  const lost = new AbortController()
  const signal = AbortSignal.any([options.signal, lost.signal])
  const [source, target] = (
    [
      [from, 'source'],
      [to, 'target'],
    ] as const
  ).map(([config, what]) =>
    placeOf(config, { onWarning: options.onWarning, onLockLost: () => lost.abort(lockLost(what)) }),
  ) as [StorePlace, StorePlace]
  const isSameFolder = await haveSameFolder(source, target)
  if (isSameFolder && !source.options.database && !target.options.database) throw same('data folder')
  if (source.options.database && databaseOf(source) === databaseOf(target)) throw same('database')
  const { dump } = await openDump(source, { targetFolders: databaseFolders(target) })
  try {
    const surveyed = await survey(dump)
    signal.throwIfAborted()
    const { id, label } = dump
    if (options.isDryRun) {
      const { entries, head } = surveyed.audit
      return { from: label, isResumed: false, counts: surveyed.counts, audit: { entries, head }, warnings: [] }
    }
    const opened = await openDump(target, { source: { id, label }, isLocked: isSameFolder })
    try {
      const result = await migrate(dump, opened, surveyed, { ...options, signal })
      return { from: label, to: opened.dump.label, isResumed: opened.isResumed, ...result }
    } finally {
      await opened.dump.close()
    }
  } finally {
    await dump.close()
  }
}
