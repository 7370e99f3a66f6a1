import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunk, connectionsOf, filePart, formHead, HAS_PROC, openFiles, openRaw } from '../helpers/machine.ts'
import { fromSamples, photo } from '../helpers/picture.ts'
import { until } from '../helpers/pool.ts'
import { call, send, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize, sendEndless, smallPicture, untilStatus } from '../helpers/server-jobs.ts'

const get = (path: string, token: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${token}\r\n\r\n`

/** Clients that disconnect at each stage, in sequence on one server. */
describe.skipIf(!HAS_PROC)('a client that disconnects', () => {
  let server: TestServer
  let token: string
  /** Of an earlier run: this one has not verified them yet. */
  let keys: string[]
  let before: string[]
  const dispatcher = getGlobalDispatcher()

  const workspace = (): string[] => readdirSync(join(server.data, 'workspace'))
  const files = (): string[] => openFiles(server.process.pid!).sort()

  beforeAll(async () => {
    // Without this, fetch keeps its connections for later.
    setGlobalDispatcher(new Agent({ pipelining: 0 }))
    const environment = { SYNC_WAIT_MS: '500', CONCURRENT_JOBS: '1' }
    // Verifying a key must take long enough for a client to disconnect meanwhile.
    const first = await startServer({ environment, realScrypt: true })
    token = await signIn(first)
    const makeKey = () => call(first, 'POST', '/api/v1/api-keys', { token, body: { name: 'k' } })
    keys = (await Promise.all(Array.from({ length: 16 }, makeKey))).map(({ json }) => json.key)
    await first.stop()
    server = await startServer({ environment, data: first.data, realScrypt: true })
    await Promise.all([resize(server, token), resize(server, token)])
    // The records of the two jobs may still be written after their answers.
    await until(() => files().every((path) => !path.endsWith('.part')))
    before = files()
  })

  afterAll(async () => {
    setGlobalDispatcher(dispatcher)
    await server.stop()
  })

  /** The server has the request and verifies the key for the first time, which takes a while. */
  async function leave(socket: Socket): Promise<void> {
    await expect.poll(() => connectionsOf(server.process.pid!), { interval: 1 }).toBeGreaterThan(0)
    socket.destroy()
  }

  /** No connection stays open, and no folder except those of jobs. */
  async function expectNothingLeft(folders: number): Promise<void> {
    const left = () => ({
      files: files(),
      connections: connectionsOf(server.process.pid!),
      folders: workspace().length,
    })
    await expect.poll(left, { timeout: 15_000, interval: 100 }).toEqual({ files: before, connections: 0, folders })
    expect((await call(server, 'GET', '/api/v1/health')).status).toBe(200)
  }

  test('within the headers', async () => {
    const { socket } = await openRaw(server, formHead('/api/v1/upload', token).slice(0, 60))
    socket.destroy()
    await expectNothingLeft(2)
  })

  test.each(['destroy', 'end'] as const)('in the middle of an upload (%s)', async (way) => {
    const path = '/api/v1/tools/image/resize'
    const { socket } = await openRaw(server, formHead(path, token) + chunk(filePart('half.png') + 'x'.repeat(300_000)))
    await until(() => workspace().length === 3 && files().some((one) => one.includes('/in-0')))
    socket[way]()
    await expectNothingLeft(2)
  })

  test('between two parts', async () => {
    const form = formHead('/api/v1/upload', token)
    const { socket } = await openRaw(server, form + chunk(`${filePart('a.txt')}whole\r\n--edge\r\ncontent-dispo`))
    await until(() => workspace().length === 3)
    socket.destroy()
    await expectNothingLeft(2)
  })

  test('after a refused form', async () => {
    const body = `${filePart('bad.png')}no picture\r\n--edge--\r\n`
    const head = formHead('/api/v1/tools/image/resize', token, [`content-length: ${body.length}`])
    const clients = await Promise.all(Array.from({ length: 8 }, () => openRaw(server, head + body)))
    for (const { socket } of clients) socket.destroy()
    await expectNothingLeft(2)
  })

  test('while its credential is checked', async () => {
    const body = `${filePart('a.png')}abc\r\n--edge--\r\n`
    const own = keys.splice(0, 4)
    for (const key of own) {
      const { socket } = await openRaw(
        server,
        formHead('/api/v1/upload', key, [`content-length: ${body.length}`]) + body,
      )
      await leave(socket)
    }
    for (const key of own) expect((await call(server, 'GET', '/api/v1/preferences', { token: key })).status).toBe(200)
    await expectNothingLeft(2)
  })

  test('while it waits for the job: the job continues', async () => {
    const { bytes } = await smallPicture()
    const stop = new AbortController()
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(bytes)]), 'a.png')
    form.append('clientJobId', 'left-alone')
    form.append('settings', '{"width":40}')
    // The only process is busy, so that the job has to wait.
    const busy = sendEndless(server, token, 'busy')
    await untilStatus(server, token, 'busy', 'processing')
    const headers = { authorization: `Bearer ${token}` }
    const { signal } = stop
    const waiting = fetch(`${server.base}/api/v1/tools/image/resize`, { method: 'POST', body: form, headers, signal })
    await untilStatus(server, token, 'left-alone', 'queued')
    stop.abort()
    await expect(waiting).rejects.toThrow()
    await call(server, 'POST', '/api/v1/jobs/busy/cancel', { token })
    await busy
    const { result } = await untilStatus(server, token, 'left-alone', 'completed')
    expect((await call(server, 'GET', result.downloadUrl, { token })).bytes.length).toBe(result.processedSize)
    await expectNothingLeft(4)
  })

  test('in the middle of a download', async () => {
    const much = Buffer.alloc(30_000_000, 7)
    const { jobId } = (await send(server, '/api/v1/upload', [['file', { name: 'much.bin', bytes: much }]], token)).json
    const clients = await Promise.all(
      Array.from({ length: 5 }, () => openRaw(server, get(`/api/v1/download/${jobId}/much.bin`, token))),
    )
    for (const { socket } of clients) {
      await until(() => socket.bytesRead > 100_000)
      socket.pause()
    }
    await until(() => files().filter((one) => one.includes(jobId)).length === 5)
    for (const { socket } of clients) socket.destroy()
    await expectNothingLeft(5)
  })

  test('in the middle of a growing batch archive', async () => {
    const picture = await fromSamples(photo(1800, 1400)).png().toBuffer()
    const settings = '--edge\r\ncontent-disposition: form-data; name="settings"\r\n\r\n{"format":"bmp"}\r\n'
    const parts = Array.from({ length: 7 }, (_, index) => [
      Buffer.from(filePart(`${index}.png`)),
      picture,
      Buffer.from('\r\n'),
    ])
    const whole = Buffer.concat([Buffer.from(settings), ...parts.flat(), Buffer.from('--edge--\r\n')])
    const head = formHead('/api/v1/tools/image/convert/batch', token, [`content-length: ${whole.length}`])
    const { socket } = await openRaw(server, Buffer.concat([Buffer.from(head), whole]))
    await once(socket, 'data')
    // The client reads nothing, so that the archive stops within a file.
    socket.pause()
    await until(() => files().some((one) => /\/out-\d+\//.test(one) || one.endsWith('batch.zip')))
    socket.destroy()
    await expectNothingLeft(6)
  })

  test('during progress events, immediately or later', async () => {
    for (const key of keys) {
      const { socket } = await openRaw(server, get('/api/v1/jobs/nobody-sends-this/progress', key))
      await leave(socket)
    }
    for (const key of keys) expect((await call(server, 'GET', '/api/v1/preferences', { token: key })).status).toBe(200)
    for (let count = 0; count < 12; count++) {
      const { socket, text } = await openRaw(server, get('/api/v1/jobs/nobody-sends-this/progress', token))
      await until(() => text().includes('event-stream'))
      socket.destroy()
      await once(socket, 'close')
    }
    await expectNothingLeft(6)
    // At most ten streams per user: disconnected ones do not count.
    const { socket, text } = await openRaw(server, get('/api/v1/jobs/nobody-sends-this/progress', token))
    await until(() => text().startsWith('HTTP/1.1 200'))
    socket.destroy()
  })
})
