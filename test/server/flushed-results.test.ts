/** When results are made durable: before the answer, or after it for a client that waits and has nothing else. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { FileBlobs } from '../../src/store/local/blobs.ts'
import { openMemoryStore } from '../helpers/memory-store/store.ts'
import { fromSamples, photo } from '../helpers/picture.ts'
import { call, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { resize, untilStatus } from '../helpers/server-jobs.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const events: string[] = []

/** Blobs that must be flushed, and that note it. */
class NotedBlobs extends FileBlobs {
  override async put(...given: Parameters<FileBlobs['put']>): Promise<void> {
    await super.put(...given)
    const [, source] = given
    events.push('mayBeLost' in source && source.mayBeLost ? 'put, may be lost' : 'put')
  }

  override async flush(key: string): Promise<void> {
    await super.flush(key)
    events.push('flushed')
  }
}

let server: ServerHere
let token: string
const results = new NotedBlobs(temporaryFolder(), { isDurable: true })

beforeAll(async () => {
  server = await serveHere({ open: async (...given) => ({ ...(await openMemoryStore(...given)), results }) })
  token = await signIn(server)
})

beforeEach(() => void events.splice(0))

const isThere = async (path: string) => (await call(server, 'GET', path, { token })).status === 200

test('the small result of an awaited job may be flushed after the answer, and is', async () => {
  const { json } = await resize(server, token)
  expect(await isThere(json.downloadUrl)).toBe(true)
  await expect.poll(() => events).toEqual(['put, may be lost', 'flushed'])
})

test('a result is flushed before the end is known if others may have seen the job', async () => {
  const { json } = await resize(server, token, { clientJobId: 'known' })
  expect(await isThere(json.downloadUrl)).toBe(true)
  expect(events).toEqual(['put'])
})

test('a result is flushed before the end is known if the client no longer waits', async () => {
  const hasty = await serveHere({
    environment: { SYNC_WAIT_MS: '1' },
    open: async (...given) => ({ ...(await openMemoryStore(...given)), results }),
  })
  const user = await signIn(hasty)
  const { status, json } = await resize(hasty, user)
  expect(status).toBe(202)
  await untilStatus(hasty, user, json.jobId, 'completed')
  expect(events).toEqual(['put'])
  await hasty.stop()
  expect(events).toEqual(['put'])
})

test('a large result is flushed before the answer', async () => {
  const large = await fromSamples(photo(1200, 1000)).png({ compressionLevel: 0 }).toBuffer()
  const file = { name: 'a.png', bytes: large }
  const settings = JSON.stringify({ width: 1100 })
  const path = '/api/v1/tools/image/resize'
  const { json } = await send(
    server,
    path,
    [
      ['file', file],
      ['settings', settings],
    ],
    token,
  )
  expect(json.processedSize).toBeGreaterThan(1_048_576)
  expect(events).toEqual(['put'])
})
