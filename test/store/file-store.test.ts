import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { checkFormat } from '../../src/store/file/format.ts'
import { openStore } from '../../src/store/file/open.ts'
import { Snapshots } from '../../src/store/file/snapshots.ts'
import { KINDS, Tables } from '../../src/store/file/tables.ts'
import { FileBlobs } from '../../src/store/local/blobs.ts'
import type { Store } from '../../src/store/store.ts'
import { afterEveryTest } from '../helpers/clean-up.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { blobsContract } from './contract/blobs.ts'
import { jobsContract, workspaceContract } from './contract/jobs.ts'
import { libraryContract } from './contract/library.ts'
import { queueContract } from './contract/queue.ts'
import { repositoriesContract } from './contract/repositories.ts'

const parent = temporaryFolder()
const opened: Store[] = []

afterEveryTest(async () => {
  for (const store of opened.splice(0)) await store.close()
})

/** Has the required fields of every kind. */
const RECORD = {
  ...{ userId: 'u', username: 'u', role: 'user', passwordHash: null, createdAt: '', expiresAt: '', lastSeenAt: '' },
  ...{ loginMethod: 'local', prefix: 'p', hash: 'h', secret: 's', recovery: {}, isOn: true, kind: 'used', name: 'n' },
  ...{ permissions: [], value: 'v', steps: [], publicKey: 'k', counter: 0, transports: [] },
  ...{ fingerprint: 'f', runId: 'r', lockedUntil: '' },
  ...{ url: null, events: [], failures: 0, webhookId: 'w', payload: '{}', status: 'dead', attempts: [] },
}

async function open(): Promise<Store> {
  const store = await openStore(mkdtempSync(join(parent, 'data-')), { auditRetentionDays: 0 })
  opened.push(store)
  return store
}

describe('the store in files', () => {
  repositoriesContract(open)
  jobsContract(open)
  workspaceContract(open)
  libraryContract(open)
})

test('records of every kind are in the snapshots that a closed store leaves', async () => {
  const folder = mkdtempSync(join(parent, 'data-'))
  const first = new Tables()
  const layout = await checkFormat(folder)
  const snapshots = await Snapshots.read(folder, first, layout.hasChecksums)
  for (const kind of KINDS) first.apply([[kind, 'x', { ...RECORD, id: 'x' }]])
  await snapshots.write(first)
  const second = new Tables()
  await Snapshots.read(folder, second, layout.hasChecksums)
  expect(KINDS.filter((kind) => second.rows(kind).get('x') === undefined)).toEqual([])
})

describe('the queue of one server', () => {
  queueContract(open)
})

describe('blobs in files', () => {
  blobsContract(async () => new FileBlobs(mkdtempSync(join(parent, 'blobs-'))))

  test('removes incomplete blobs of a killed server', async () => {
    const folder = mkdtempSync(join(parent, 'blobs-'))
    const blobs = new FileBlobs(folder)
    await blobs.put('a/whole', Readable.from(['x']))
    writeFileSync(join(folder, 'a', 'half.3f.part'), 'ha')
    const keys: string[] = []
    for await (const key of blobs.keys()) keys.push(key)
    await blobs.removeParts()
    expect([keys, readdirSync(join(folder, 'a'))]).toEqual([['a/whole'], ['whole']])
  })

  test('keeps blobs written in their place', async () => {
    const folder = mkdtempSync(join(parent, 'blobs-'))
    writeFileSync(join(folder, 'made'), 'x')
    const blobs = new FileBlobs(folder)
    await blobs.put('made', { path: join(folder, 'made'), how: 'move' })
    expect(await blobs.stat('made')).toEqual({ size: 1, modifiedMs: expect.any(Number) })
  })
})
