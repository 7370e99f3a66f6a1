import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fastify } from 'fastify'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { openBucket, type S3Bucket } from '../../src/engines/s3/s3.ts'
import { sendBlob } from '../../src/server/http/send-file.ts'
import { S3Blobs } from '../../src/store/s3/blobs.ts'
import { freePort } from '../helpers/free-port.ts'
import { startS3 } from '../helpers/s3.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { blobsContract } from './contract/blobs.ts'

const folder = temporaryFolder()
const s3 = await startS3()
const proxy = await startTcpProxy(s3.port)
const buckets: S3Bucket[] = []
afterAll(async () => {
  for (const bucket of buckets) bucket.close()
  proxy.close()
  await s3.stop()
})

let opened = 0
const prefix = (): string => `test-${opened++}/`

async function open(endpoint?: string): Promise<S3Blobs> {
  const limits = { attemptMs: 1500, quickMs: 1500, idleMs: 1000, pingMs: 500 }
  const bucket = await openBucket(s3.options({ prefix: prefix(), ...(endpoint && { endpoint }) }), limits)
  buckets.push(bucket)
  return new S3Blobs(bucket, 'results', folder)
}
const _openBehindProxy = (): Promise<S3Blobs> => open(`http://127.0.0.1:${proxy.port}`)

const MEGABYTE = 1024 * 1024
const unavailable = expect.objectContaining({ code: 'STORE_UNAVAILABLE' })

/** Bytes that differ from place to place. */
async function* pattern(megabytes: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < megabytes; index++)
    yield Buffer.alloc(MEGABYTE, createHash('sha256').update(`${index}`).digest())
}

async function _sha256(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk)
  return hash.digest('hex')
}

describe('blobs in S3', () => blobsContract(() => open()))

test('a source that breaks in a later part leaves no object and no parts', async () => {
  const blobs = await open()
  const broken = Readable.from(
    (async function* () {
      yield* pattern(20)
      throw new Error('cut off')
    })(),
    { objectMode: false },
  )
  await expect(blobs.put('a', broken)).rejects.toMatchObject({ code: 'INTERNAL' })
  expect([await blobs.stat('a'), s3.unfinished()]).toEqual([undefined, []])
})

test('a new blob under the same key has another time', async () => {
  const blobs = await open()
  await blobs.put('a', Readable.from(['x']))
  const first = await blobs.stat('a')
  await blobs.put('a', Readable.from(['y']))
  expect((await blobs.stat('a'))?.modifiedMs).toBeGreaterThan(first!.modifiedMs)
  expect(Math.abs(first!.modifiedMs - Date.now())).toBeLessThan(60_000)
})

test('lists all pages of keys', async () => {
  const blobs = await open()
  const keys = Array.from({ length: 230 }, (_, index) => `job-${index % 7}/${index}`).sort()
  for (let at = 0; at < keys.length; at += 50)
    await Promise.all(keys.slice(at, at + 50).map((key) => blobs.put(key, Readable.from([key]))))
  const found: string[] = []
  for await (const key of blobs.keys()) found.push(key)
  expect(found.sort()).toEqual(keys)
})

test('a file that programs borrow has its name, and is removed afterwards', async () => {
  const blobs = await open()
  await blobs.put('a/cat.png', Readable.from(['meow']))
  let borrowed = ''
  const use = async (path: string) => {
    borrowed = path
    expect(existsSync(path)).toBe(true)
    throw new Error('not today')
  }
  await expect(blobs.borrow('a/cat.png', use)).rejects.toThrow('not today')
  expect([borrowed.endsWith('/cat.png'), existsSync(borrowed)]).toEqual([true, false])
  expect(readdirSync(folder).filter((name) => name.startsWith('borrowed-'))).toEqual([])
})

test('addresses for downloads work without credentials, with name and type', async () => {
  const blobs = await open()
  await blobs.put('a', Readable.from(['hello']))
  const disposition = 'attachment; filename="%C3%A4.txt"'
  const url = await blobs.presigned?.('a', { disposition, mime: 'text/plain; charset=utf-8', seconds: 60 })
  const answer = await fetch(url ?? '')
  expect([answer.status, await answer.text()]).toEqual([200, 'hello'])
  expect(answer.headers.get('content-disposition')).toBe(disposition)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(new URL(url ?? '').searchParams.get('X-Amz-Expires')).toBe('60')
})

describe('downloads of the server', () => {
  const sent = { name: 'x.bin', cache: 'private, max-age=60' }

  test.each([
    ['small', 1000],
    ['large', 3 * MEGABYTE],
  ])('a %s one costs one request to the storage', async (_size, bytes) => {
    const blobs = await open()
    await blobs.put('a', Readable.from([randomBytes(bytes)]))
    const server = fastify()
    server.get('/', (request, reply) => sendBlob(request, reply, { blobs, key: 'a' }, sent))
    const bucket = buckets.at(-1)
    if (!bucket) throw new Error('expected a bucket')
    const [get, head] = [vi.spyOn(bucket, 'get'), vi.spyOn(bucket, 'stat')]
    const { headers, rawPayload } = await server.inject('/')
    expect([headers['content-length'], rawPayload.length]).toEqual([String(bytes), bytes])
    expect([get.mock.calls.length, head.mock.calls.length]).toEqual([1, 0])
    const again = await server.inject({ url: '/', headers: { 'if-none-match': String(headers.etag) } })
    expect(again.statusCode).toBe(304)
    expect([get.mock.calls.length, head.mock.calls.length]).toEqual([1, 1])
    await server.close()
  })

  test('are redirected to the storage unless they are cached', async () => {
    const blobs = await open()
    await blobs.put('a', Readable.from(['hello']))
    const server = fastify()
    server.get('/cached', (request, reply) => sendBlob(request, reply, { blobs, key: 'a' }, sent))
    server.get('/', (request, reply) => sendBlob(request, reply, { blobs, key: 'a' }, { name: 'x.bin' }))
    expect((await server.inject('/')).statusCode).toBe(302)
    expect(await server.inject('/cached')).toMatchObject({
      ...{ statusCode: 200, payload: 'hello', headers: { 'cache-control': 'private, max-age=60' } },
    })
    await server.close()
  })
})

describe('single requests', () => {
  test('a reader that stops ends the request', async () => {
    let closed: () => void
    const ended = new Promise<void>((resolve) => {
      closed = resolve
    })
    // Sends without end.
    const server = createServer((request, response) => {
      if (request.method !== 'GET' || request.url?.includes('list-type')) return response.end()
      response.writeHead(200, { 'content-length': 1e12 })
      const timer = setInterval(() => response.write(Buffer.alloc(1000)), 5)
      response.once('close', () => {
        clearInterval(timer)
        closed()
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const bucket = await openBucket(s3.options({ endpoint: `http://127.0.0.1:${port}` }))
    const { body } = await bucket.get('a')
    for await (const _ of body) break
    await ended
    bucket.close()
    server.close()
  })

  test('bytes that were damaged on their way are an error', async () => {
    const server = createServer((request, response) => {
      if (request.method === 'GET' && !request.url?.includes('list-type'))
        response.setHeader('x-amz-checksum-crc32', 'AAAAAA==')
      response.end(request.method === 'GET' && !request.url?.includes('list-type') ? 'damaged' : '')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const bucket = await openBucket(s3.options({ endpoint: `http://127.0.0.1:${port}` }))
    const { body } = await bucket.get('a')
    await expect(text(body)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/damaged/),
    })
    bucket.close()
    server.close()
  })

  test.each([
    [503, 'SlowDown', 'STORE_UNAVAILABLE'],
    [500, 'InternalError', 'STORE_UNAVAILABLE'],
    [403, 'AccessDenied', 'STORE_UNAVAILABLE'],
    [404, 'NoSuchBucket', 'STORE_UNAVAILABLE'],
    [507, 'XMinioStorageFull', 'DISK_FULL'],
    [400, 'InvalidArgument', 'INTERNAL'],
  ])('the status %i %s is %s', async (status, name, code) => {
    let isBroken = false
    const server = createServer((request, response) => {
      request.resume()
      response.statusCode = isBroken ? status : 200
      response.end(isBroken ? `<?xml version="1.0"?><Error><Code>${name}</Code><Message>no</Message></Error>` : '')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const bucket = await openBucket(s3.options({ endpoint: `http://127.0.0.1:${port}` }))
    isBroken = true
    await expect(bucket.get('a')).rejects.toMatchObject({ code })
    await expect(bucket.put('a', Readable.from(['x']))).rejects.toMatchObject({ code })
    bucket.close()
    server.close()
  })

  test('uploads carry a checksum', async () => {
    const sent: unknown[] = []
    const server = createServer((request, response) => {
      if (request.method === 'PUT') sent.push(request.headers['x-amz-checksum-crc32'])
      request.resume().once('end', () => response.end())
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const bucket = await openBucket(s3.options({ endpoint: `http://127.0.0.1:${port}` }))
    await bucket.put('a', Readable.from(['123456789']))
    // The known checksum of these digits is cbf43926.
    expect(sent.at(-1)).toBe(Buffer.from('cbf43926', 'hex').toString('base64'))
    bucket.close()
    server.close()
  })
})

describe('at the start', () => {
  test.each([
    ['a missing bucket', { bucket: 'other' }, 'INVALID_CONFIG', /bucket of S3_BUCKET does not exist/],
    ['a wrong key', { accessKeyId: 'WRONG' }, 'INVALID_CONFIG', /refuses the credentials/],
  ] as const)('%s is named', async (_name, over, code, message) => {
    await expect(openBucket(s3.options(over))).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test('a port where nothing listens may be one that starts later', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`
    await expect(openBucket(s3.options({ endpoint }))).rejects.toEqual(unavailable)
  })

  test('a server of something else is named', async () => {
    const server = createServer((_request, response) => response.writeHead(404).end('<html>no</html>')).listen(
      0,
      '127.0.0.1',
    )
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    await expect(openBucket(s3.options({ endpoint: `http://127.0.0.1:${port}` }))).rejects.toMatchObject({
      ...{ code: 'INVALID_CONFIG', message: expect.stringMatching(/not S3-compatible/) },
    })
    server.close()
  })
})
