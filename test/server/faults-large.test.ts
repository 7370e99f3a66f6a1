import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { chunk, filePart, formHead, HAS_PROC, memoryOf, openRaw } from '../helpers/machine.ts'
import { until } from '../helpers/pool.ts'
import { call, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize } from '../helpers/server-jobs.ts'

const MEGABYTE = 1_000_000
/** Size of the upload in megabytes; CI uses more. */
const UPLOAD_MB = Number(process.env.MEDIAPROC_TEST_UPLOAD_MB ?? 300)
const MOST_MEMORY = 150 * MEGABYTE

const head = Buffer.from(filePart('large.bin'))
const tail = Buffer.from('\r\n--edge--\r\n')

/** Sends a form of zeros as fast as the server accepts it; stops at the response. */
async function sendZeros(server: TestServer, path: string, token: string, isAnnounced: boolean) {
  const length = head.length + UPLOAD_MB * MEGABYTE + tail.length
  const headers: Record<string, string | number> = {
    authorization: `Bearer ${token}`,
    'content-type': 'multipart/form-data; boundary=edge',
    ...(isAnnounced && { 'content-length': length }),
  }
  const sending = request(server.base + path, { method: 'POST', headers })
  let answer: IncomingMessage | undefined
  sending.on('response', (response) => {
    answer = response
  })
  // The server may close a connection with an unread body.
  sending.on('error', () => undefined)
  const answered = once(sending, 'response')
  const zeros = Buffer.alloc(MEGABYTE)
  let sent = 0
  sending.write(head)
  while (sent < UPLOAD_MB && !answer) {
    sent += 1
    if (!sending.write(zeros)) await Promise.race([once(sending, 'drain'), answered])
  }
  if (!answer) sending.end(tail)
  await answered
  const chunks: Buffer[] = []
  for await (const part of answer!) chunks.push(part)
  sending.destroy()
  return { status: answer!.statusCode, json: JSON.parse(Buffer.concat(chunks).toString()), sent }
}

interface Started {
  server: TestServer
  token: string
}

const servers: TestServer[] = []
const known = new Map<number, Promise<Started>>()
afterAll(() => Promise.all(servers.map((server) => server.stop())))

async function begin(limitMb: number): Promise<Started> {
  const server = await startServer({ environment: { MAX_UPLOAD_SIZE_MB: String(limitMb), LEAST_FREE_MB: '0' } })
  servers.push(server)
  const token = await signIn(server)
  await resize(server, token)
  return { server, token }
}

/** A server that has not needed much memory yet. */
function startFresh(limitMb: number): Promise<Started> {
  const started = begin(limitMb)
  known.set(limitMb, started)
  return started
}

/** A server with a limit, which tests share. */
const start = (limitMb: number): Promise<Started> => known.get(limitMb) ?? startFresh(limitMb)

test.skipIf(!HAS_PROC).each([true, false])(
  `${UPLOAD_MB} MB go through little memory, announced: %s`,
  { timeout: 300_000 },
  async (isAnnounced) => {
    const { server, token } = await startFresh(UPLOAD_MB)
    const before = memoryOf(server.process.pid!).peak
    const { status, json } = await sendZeros(server, '/api/v1/upload', token, isAnnounced)
    expect([status, json.files[0].size]).toEqual([200, UPLOAD_MB * MEGABYTE])
    const response = await fetch(`${server.base}/api/v1/download/${json.jobId}/large.bin`, {
      headers: { authorization: `Bearer ${token}` },
    })
    let received = 0
    for await (const part of response.body!) received += part.length
    expect(received).toBe(UPLOAD_MB * MEGABYTE)
    expect(memoryOf(server.process.pid!).peak - before).toBeLessThan(MOST_MEMORY)
  },
)

/** Size of the connection's unread buffers: Linux lets them grow to 33 MB and 4 MB. */
const BUFFERED_MB = 50

test.each([
  ['/api/v1/tools/image/resize', false, 100 + BUFFERED_MB],
  ['/api/v1/files/upload', false, 100 + BUFFERED_MB],
  ['/api/v1/tools/image/resize', true, BUFFERED_MB],
])(
  'refuses more than 100 MB for %s before all of it has arrived, announced: %s',
  async (path, isAnnounced, mostSent) => {
    const { server, token } = await start(isAnnounced ? 20 : 100)
    const jobs = async (): Promise<number> => (await call(server, 'GET', '/api/v1/jobs', { token })).json.total
    const before = await jobs()
    const { status, json, sent } = await sendZeros(server, path, token, isAnnounced)
    expect([status, json.code]).toEqual([413, 'FILE_TOO_LARGE'])
    expect(json.error).toMatch(/larger than the limit of (100|20) MB/)
    expect(sent).toBeLessThan(Math.min(mostSent, UPLOAD_MB))
    // The response arrived during the upload; the server has not read on.
    expect((await resize(server, token)).status).toBe(200)
    expect(await jobs()).toBe(before + 1)
  },
)

const jsonHead = (path: string, token: string, length: number, more: readonly string[] = []): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: test',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${length}`,
    ...more,
    '\r\n',
  ].join('\r\n')

test.each([
  ['a form', '/api/v1/upload', Buffer.concat([head, Buffer.alloc(20 * MEGABYTE), tail])],
  ['JSON', '/api/v1/pipeline/explain', Buffer.from(JSON.stringify({ steps: 'x'.repeat(20 * MEGABYTE) }))],
])(
  'a client that sends %s and reads only after everything gets the refusal, and may continue',
  async (_, path, body) => {
    const { server, token } = await start(1)
    const isJson = path.endsWith('explain')
    const { length } = body
    const headers = isJson ? jsonHead(path, token, length) : formHead(path, token, [`content-length: ${length}`])
    const { socket, text } = await openRaw(server, headers)
    socket.pause()
    await new Promise((resolve) => socket.write(body, resolve))
    socket.resume()
    await until(() => text().includes('FILE_TOO_LARGE'))
    expect(text()).toMatch(/^HTTP\/1\.1 413 /)
    socket.write('GET /api/v1/health HTTP/1.1\r\nhost: test\r\n\r\n')
    await until(() => text().includes('healthy'))
    socket.destroy()
  },
)

test.each([
  ['HTTP/1.1', ['connection: close']],
  ['HTTP/1.0', []],
])('so does one whose connection ends with the response: %s', async (version, more) => {
  const { server, token } = await start(1)
  const body = Buffer.from(JSON.stringify({ steps: 'x'.repeat(20 * MEGABYTE) }))
  const headers = jsonHead('/api/v1/pipeline/explain', token, body.length, more).replace('HTTP/1.1', version)
  const { socket, text, ended } = await openRaw(server, headers)
  socket.pause()
  await new Promise((resolve) => socket.write(body, resolve))
  socket.resume()
  expect(await ended).toMatch(/^HTTP\/1\.1 413 /)
  expect(text()).toContain('FILE_TOO_LARGE')
})

test('closes the connection of a client that continues sending after the refusal', async () => {
  const { server, token } = await start(1)
  const { socket, text, ended } = await openRaw(
    server,
    formHead('/api/v1/upload', token) + chunk(filePart('endless.bin')),
  )
  const zeros = chunk('0'.repeat(MEGABYTE))
  const sendMore = (): void => {
    while (socket.writable && socket.write(zeros));
  }
  socket.on('drain', sendMore)
  sendMore()
  expect(await ended).toMatch(/^HTTP\/1\.1 413 /)
  expect(text()).toContain('FILE_TOO_LARGE')
})

test('refuses an upload without a credential before it has fully arrived', async () => {
  const { server } = await start(UPLOAD_MB)
  const { status, json, sent } = await sendZeros(server, '/api/v1/upload', 'nobody', true)
  expect([status, json.code]).toEqual([401, 'SESSION_INVALID'])
  expect(sent).toBeLessThan(50)
})
