/** A database of every earlier release becomes one of this release, with all of its records. */
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/engines/postgres/database.ts'
import type { JobRecord } from '../../src/store/job-record.ts'
import { migrations } from '../../src/store/postgres/migrations.ts'
import type { LibraryItem, UserRecord } from '../../src/store/records.ts'
import { nodes } from '../helpers/nodes.ts'

const cluster = nodes()
const AT = '2026-01-01T00:00:00.000Z'
const MS = Date.parse(AT)

const USER: UserRecord = {
  ...{ id: 'u1', username: 'Ada', role: 'admin', teamId: 't', passwordHash: null, mustChangePassword: false },
  ...{ authProvider: 'local', email: null, createdAt: AT },
}
const ITEM: LibraryItem = {
  ...{ id: 'i1', ownerId: 'u1', originalName: 'A.txt', mimeType: 'text/plain', size: 4, width: null, height: null },
  ...{ version: 1, parentId: null, toolChain: [], createdAt: AT },
}
const JOB: JobRecord = {
  ...{
    id: 'j1',
    clientJobId: 'mine',
    ownerId: 'u1',
    type: 'single',
    toolId: 'resize',
    status: 'completed',
    percent: 100,
  },
  ...{ stage: null, createdAt: AT, startedAt: AT, completedAt: AT, attempts: 1, inputBytes: 5, outputs: [] },
  ...{ result: null, error: null, expiresAt: null },
}
const LINE = { ...{ id: 'a1', action: 'LOGIN', actorId: 'u1', actorUsername: 'Ada', targetType: null, targetId: null } }
const ENTRY = { ...LINE, details: null, ipAddress: '10.0.0.1', createdAt: AT }

/** Rows as the first release wrote them: its columns never change. */
const ROWS_OF_001: readonly string[] = [
  `insert into store (id) values ('store-1')`,
  `insert into users (id, record, name_key, team_id, role_key)
    values ('u1', '${JSON.stringify(USER)}', 'ada', 't', 'admin')`,
  `insert into settings (id, record) values ('brandName', '{"value":"Press","updatedAt":"${AT}"}')`,
  `insert into library (id, owner_id, chain, version, name_key, created, size, written, content, record)
    values ('i1', 'u1', 'i1', 1, 'a.txt', ${MS}, 4, 300, 'i1/content', '${JSON.stringify(ITEM)}')`,
  `insert into jobs (id, owner_id, client_job_id, type, status, tool_id, created, started, completed, expires,
      has_outputs, input_bytes, bytes, record)
    values ('j1', 'u1', 'mine', 'single', 'completed', 'resize', ${MS}, ${MS}, ${MS}, null, false, 5, 7,
      '${JSON.stringify(JOB)}')`,
  `insert into audit (created_at, action, ip, line)
    values ('${AT}', 'LOGIN', '10.0.0.1', '${JSON.stringify({ ...ENTRY, previous: '0'.repeat(64) })}')`,
]

async function migrateTo(url: string, count: number): Promise<void> {
  const opened = await openDatabase<unknown>({ url, connections: 2 })
  try {
    await opened.migrate(Object.fromEntries(Object.entries(migrations(opened.sql)).slice(0, count)))
  } finally {
    await opened.close()
  }
}

const names = async (): Promise<string[]> => {
  const { sql } = await import('kysely')
  return Object.keys(migrations(sql))
}

test.each(await names())('from %s', async (name) => {
  const url = await cluster.database()
  await migrateTo(url, 1)
  for (const statement of ROWS_OF_001) await cluster.execute(url, statement)
  await migrateTo(url, (await names()).indexOf(name) + 1)
  const store = await cluster.open(url)
  expect(await store.users.byName('ADA')).toEqual(USER)
  expect((await store.settings.get('brandName'))?.value).toBe('Press')
  expect(await store.library.list({ ownerId: 'u1', limit: 9, offset: 0 })).toEqual({ items: [ITEM], total: 1 })
  expect(await store.jobs.named('mine')).toEqual([JOB])
  expect(await store.audit.check()).toMatchObject({ entries: 1, broken: 0, begins: true })
  expect((await store.audit.query({ page: 1, limit: 9 })).entries).toEqual([ENTRY])
  // Everything can be written as well.
  await (await store.library.reserve('u1', 10, 1000)).release()
  await store.audit.append({ ...LINE, details: null, ipAddress: null })
  expect(await store.audit.check()).toMatchObject({ entries: 2, broken: 0 })
  expect((await store.users.update('u1', { email: 'ada@example.org' })).email).toBe('ada@example.org')
})

test('a migration may take longer than other statements, and two servers make it once', async () => {
  const url = await cluster.database()
  const limits: unknown[] = []
  const start = async (): Promise<void> => {
    const opened = await openDatabase<unknown>({ url, connections: 2 })
    const up = async (db: Kysely<unknown>): Promise<void> => {
      limits.push(...(await opened.sql`show statement_timeout`.execute(db)).rows)
      await opened.sql`select pg_sleep(0.3)`.execute(db)
    }
    await opened.migrate({ '001-slow': { up } }).finally(() => opened.close())
  }
  await Promise.all([start(), start(), start()])
  expect(limits).toEqual([{ statement_timeout: '1h' }])
})

test('a database of a newer release is refused', async () => {
  const url = await cluster.database()
  await migrateTo(url, (await names()).length)
  await cluster.execute(url, `insert into kysely_migration (name, timestamp) values ('999-later', '${AT}')`)
  await expect(cluster.open(url)).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
})
