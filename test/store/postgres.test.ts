/** The store whose records are in PostgreSQL, with a server of Debian. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/engines/postgres.ts'
import { checkAuditOf } from '../../src/server/instance/audit-check.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Store } from '../../src/store/store.ts'
import { afterEveryTest } from '../helpers/clean-up.ts'
import { startPostgres, type TestPostgres } from '../helpers/postgres.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { jobsContract } from './contract/jobs.ts'
import { libraryContract } from './contract/library.ts'
import { repositoriesContract } from './contract/repositories.ts'

const parent = temporaryFolder()
const opened: Store[] = []
let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())
afterEveryTest(async () => {
  for (const store of opened.splice(0)) await store.close()
})

async function openAt(url: string, folder = mkdtempSync(join(parent, 'data-'))): Promise<Store> {
  const store = await openPostgresStore(folder, { auditRetentionDays: 0, database: { url, connections: 5 } })
  opened.push(store)
  return store
}

const open = async (): Promise<Store> => openAt(await postgres.database())

describe('the store in PostgreSQL', () => {
  repositoriesContract(open)
  jobsContract(open)
  libraryContract(open)
})

test('a second server is refused while the first one runs', async () => {
  const url = await postgres.database()
  const first = await openAt(url)
  await expect(openAt(url)).rejects.toMatchObject({ code: 'CONFLICT' })
  await first.close()
  expect(await (await openAt(url)).users.count()).toBe(0)
})

describe('the audit log', () => {
  const entry = { actorId: null, actorUsername: null, targetType: null, targetId: null, details: null, ipAddress: null }

  test('is checked while a server uses the database; a changed entry and a removed one are found', async () => {
    const url = await postgres.database()
    const options = { database: { url, connections: 2 }, dataFolder: '/nowhere' }
    await expect(checkAuditOf(options)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    const { audit } = await openAt(url)
    for (const action of ['A', 'B', 'C', 'D', 'E']) await audit.append({ ...entry, action })
    const whole = await checkAuditOf(options)
    expect(whole).toMatchObject({ entries: 5, broken: 0, begins: true, unlinked: 0 })
    const { db, sql, close } = await openDatabase<unknown>(options.database)
    await sql`update audit set line = replace(line, '"B"', '"X"') where seq = 2`.execute(db)
    await sql`delete from audit where seq = 5`.execute(db)
    await close()
    expect(await checkAuditOf(options, whole.head)).toMatchObject({
      ...{ entries: 4, broken: 1, isHeadKnown: false },
      breaks: [{ file: 'audit', line: 3, reason: 'changed' }],
    })
  })
})
