import { existsSync } from 'node:fs'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../wording.ts'
import type { Blobs } from '../blobs.ts'
import { openContents } from '../cluster/open.ts'
import { foldersBeside } from '../local/beside.ts'
import { FileBlobs } from '../local/blobs.ts'
import { directly } from '../postgres/access.ts'
import { claimFolder } from '../postgres/claim.ts'
import { type DatabaseParts, type DatabaseStoreOptions, openParts } from '../postgres/parts.ts'
import { TABLES } from '../postgres/repositories.ts'
import { Rows, type Table } from '../postgres/rows.ts'
import { readUnfinished, removeUnfinished, writeUnfinished } from '../postgres/unfinished.ts'
import { DEFAULT_TEAM_ID } from '../records.ts'
import { type Dump, type DumpRole, KINDS, type OpenedDump, PAGE } from './dump.ts'
import { isBegun } from './marker.ts'
import { PostgresItems, PostgresJobRecords } from './postgres-collections.ts'

/** The database in messages, without its password. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `the database ${host}${pathname}`
}

async function isUnused({ accounts: { sql, executor } }: DatabaseParts, blobs: readonly Blobs[]): Promise<boolean> {
  const others = [
    ...KINDS.filter((kind) => kind !== 'teams').map((kind) => TABLES[kind].name),
    'library',
    'jobs',
    'audit',
  ]
  const used = others.map((name) => sql`or exists (select from ${sql.table(name)})`)
  const { rows } = await sql<{ is: boolean }>`select exists (select from teams where id <> ${DEFAULT_TEAM_ID})
    ${sql.join(used, sql` `)} as is`.execute(executor)
  if (rows[0]?.is !== false) return false
  // Contents without a record would stay without end.
  for (const one of blobs) for await (const _ of one.keys()) return false
  return true
}

interface Places {
  library: Blobs
  results: Blobs
  label: string
}

async function openPlaces(
  folder: string,
  options: DatabaseStoreOptions,
  parts: DatabaseParts,
  isTarget: boolean,
): Promise<Places> {
  if (options.cluster) {
    const { contents } = options.cluster
    const label =
      contents.kind === 's3' ? `the bucket ${contents.s3.bucket}` : `the folder ${printableName(contents.folder)}`
    const shared = await openContents(contents, parts, folder)
    return { library: shared.blobs('library'), results: shared.blobs('results'), label }
  }
  const { filesFolder, workspaceFolder } = foldersBeside(folder, options)
  for (const path of [filesFolder, workspaceFolder]) {
    if (!isTarget && ![path, `${path}.id`].every((one) => existsSync(one)))
      throw new MediaprocError('INVALID_CONFIG', `The folder ${printableName(path)} has no files of the database`, {
        hint: { shell: 'Name the data folder that the server of the database uses in DATA_DIR.' },
      })
    await claimFolder(path, parts.id)
  }
  const [library, results] = [filesFolder, workspaceFolder].map((path) => new FileBlobs(path, { isDurable: true })) as [
    FileBlobs,
    FileBlobs,
  ]
  if (isTarget) for (const blobs of [library, results]) await blobs.removeParts()
  return { library, results, label: `the data folder ${printableName(folder)}` }
}

/**
 * Opens a store in PostgreSQL: that of one server, or that of a cluster.
 * @throws CONFLICT when a server uses it, or a target has data; as `openParts`
 */
export async function openPostgresDump(
  folder: string,
  options: DatabaseStoreOptions,
  { source, isLocked = false }: DumpRole,
): Promise<OpenedDump> {
  const migration = { isTarget: source !== undefined, isLocked }
  // Not shared: no server of a cluster may run either.
  const { close, ...opened } = await openParts(
    folder,
    { ...options, auditRetentionDays: 0, migration },
    false,
    async (parts) => {
      const places = await openPlaces(folder, options, parts, source !== undefined)
      const label = `${nameOf(options.database.url)} with ${places.label}`
      const { sql, executor } = parts.accounts
      const isResumed =
        source !== undefined &&
        isBegun(
          await readUnfinished(sql, executor),
          source,
          label,
          await isUnused(parts, [places.library, places.results]),
        )
      if (source && !isResumed) await writeUnfinished(sql, executor, source)
      return { dump: dumpOf(parts, places, label), isResumed }
    },
  )
  return { ...opened, dump: { ...opened.dump, close } }
}

function dumpOf(parts: DatabaseParts, { library, results }: Places, label: string): Omit<Dump, 'close'> {
  const { accounts, audit, id } = parts
  const { sql, executor } = accounts
  const rowsOf = (kind: (typeof KINDS)[number]) => new Rows<unknown>(accounts, TABLES[kind] as Table<unknown>)
  return {
    ...{ id: `database:${id}`, label },
    library: new PostgresItems(directly(parts.opened, 'library'), library),
    jobs: new PostgresJobRecords(accounts, results),
    async *records(kind) {
      for (let offset = 0; ; offset += PAGE) {
        const page = await rowsOf(kind).entries({ limit: PAGE, offset })
        if (page.length > 0) yield page
        if (page.length < PAGE) return
      }
    },
    addRecords: (kind, records) =>
      accounts.write(async (within) => {
        for (const [key, record] of records) await rowsOf(kind).putWithin(within, key, record)
      }),
    auditLines: () => audit.allLines(),
    addAuditLines: (lines) => audit.restore(lines),
    checkAudit: () => audit.check(),
    async clear() {
      await audit.clear()
      const tables = KINDS.map((kind) => sql`${sql.table(TABLES[kind].name)}`)
      await sql`truncate ${sql.join(tables)} restart identity`.execute(executor)
    },
    finish: () => removeUnfinished(sql, executor),
  }
}
