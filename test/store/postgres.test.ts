/** The store whose records are in PostgreSQL, with a server of Debian. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
