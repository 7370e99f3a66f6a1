import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import type { Store } from '../../src/store/seam.ts'
import { openStore } from '../../src/store/store.ts'
import { afterEveryTest } from '../helpers/clean-up.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { jobsContract } from './contract/jobs.ts'
import { repositoriesContract } from './contract/repositories.ts'

const parent = temporaryFolder()
const opened: Store[] = []

afterEveryTest(async () => {
  for (const store of opened.splice(0)) await store.close()
})

async function open(): Promise<Store> {
  const store = await openStore(mkdtempSync(join(parent, 'data-')), { auditRetentionDays: 0 })
  opened.push(store)
  return store
}

describe('the store in files', () => {
  repositoriesContract(open)
  jobsContract(open)
})
