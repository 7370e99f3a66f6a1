/** Batches, resumable uploads and repeated requests of the built client, against a server of this process. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ApiError, type EachResult, MediaprocClient } from '../../dist/src/client/client.js'
import { plain } from '../helpers/picture.ts'
import { endlessPdf } from '../helpers/pool.ts'
import { RECEIVER_ENVIRONMENT, startReceiver } from '../helpers/receiver.ts'
import { type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { readZip } from '../helpers/zip-names.ts'

let server: Served
let token: string
let client: MediaprocClient
let picture: File
const broken = new File(['no picture'], 'broken.png')

beforeAll(async () => {
  server = await serveHere({ environment: RECEIVER_ENVIRONMENT })
  token = await signIn(server)
  client = new MediaprocClient({ url: server.base, key: token })
  picture = new File([Uint8Array.from(await plain(40, 30, '#ff0000').png().toBuffer())], 'red.png')
})

/** The rejection of a promise. */
const failureOf = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => Promise.reject(new Error('expected a rejection')),
    (error: ApiError) => error,
  )

/** A client whose requests go through a function. */
const through = (fetch: (request: Request) => Promise<Response>, retries?: number): MediaprocClient =>
  new MediaprocClient({ url: server.base, key: token, fetch, ...(retries !== undefined && { retries }) })

describe('many files', () => {
  test('as single jobs: in order, with the errors of some', async () => {
    const seen: EachResult[] = []
    for await (const one of client.runEach(
      'image/resize',
      [picture, broken, picture],
      { width: 5 },
      { concurrency: 2 },
    ))
      seen.push(one)
    expect(seen.map(({ index, result, error }) => [index, result?.files[0]?.filename, error?.code])).toEqual([
      [0, 'red_resize.png', undefined],
      [1, undefined, 'INVALID_FILE'],
      [2, 'red_resize.png', undefined],
    ])
  })

  test('as single jobs: as they end, and no more of them at a time than allowed', async () => {
    const posts: (() => void)[] = []
    let running = 0
    let most = 0
    const held = through(async (request) => {
      if (request.method !== 'POST') return fetch(request)
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => void posts.push(resolve))
      running -= 1
      return fetch(request)
    })
    const order: number[] = []
    const files = [picture, picture, picture]
    const work = (async () => {
      const options = { concurrency: 2, order: 'completion' } as const
      for await (const { index } of held.runEach('image/resize', files, { width: 5 }, options)) order.push(index)
    })()
    await expect.poll(() => posts.length).toBe(2)
    posts[1]?.()
    await expect.poll(() => order).toEqual([1])
    await expect.poll(() => posts.length).toBe(3)
    posts[2]?.()
    await expect.poll(() => order).toEqual([1, 2])
    posts[0]?.()
    await work
    expect([order, most]).toEqual([[1, 2, 0], 2])
  })

  test('a loop that ends early, and an abort, cancel the jobs that run', { timeout: 120_000 }, async () => {
    const endless = new File([Uint8Array.from(endlessPdf())], 'endless.pdf')
    const states = async () =>
      (await client.get('/api/v1/jobs', { params: { query: { limit: 2 } } })).jobs.map(({ status }) => status)
    const runs = async () => (await states()).some((state) => state === 'queued' || state === 'processing')
    let posts = 0
    const second = through(async (request) => {
      if (request.method === 'POST') posts += 1
      if (request.method === 'POST' && posts === 2) await expect.poll(runs, { timeout: 30_000 }).toBe(true)
      return fetch(request)
    })
    const options = { order: 'completion' } as const
    // The second file is no PDF: its error arrives while the first job runs.
    for await (const { index, error } of second.runEach('pdf/pdf-to-image', [endless, picture], {}, options)) {
      expect([index, error?.code]).toEqual([1, 'UNSUPPORTED_FILE_TYPE'])
      break
    }
    await expect.poll(runs, { timeout: 30_000 }).toBe(false)
    expect(await states()).toContain('canceled')
    const stop = new AbortController()
    const reason = new Error('enough')
    const rest = client.runEach('pdf/pdf-to-image', [endless], {}, { signal: stop.signal })
    const first = failureOf(rest.next())
    await expect.poll(runs, { timeout: 30_000 }).toBe(true)
    stop.abort(reason)
    expect(await first).toBe(reason)
    await expect.poll(runs, { timeout: 30_000 }).toBe(false)
  })

  test('as one job: the ZIP, the names of the inputs, and the failures', async () => {
    const seen: number[] = []
    const blue = new File([picture], 'blue.png')
    const made = await client.runBatch(
      'image/resize',
      [picture, broken, picture, blue],
      { width: 5 },
      {
        onProgress: (fraction) => seen.push(fraction),
        jobId: 'batch-1',
      },
    )
    expect(made).toMatchObject({
      jobId: 'batch-1',
      names: ['red_resize.png', undefined, 'red_resize_1.png', 'blue_resize.png'],
      failures: [{ filename: 'broken.png', code: 'INVALID_FILE', message: expect.stringMatching(/\w{4}/) }],
    })
    const zip = Buffer.from(await (await client.download(made.archive)).arrayBuffer())
    const path = join(temporaryFolder(), 'batch.zip')
    writeFileSync(path, zip)
    expect([zip.length, await readZip(path)]).toEqual([
      made.bytes,
      ['red_resize.png', 'red_resize_1.png', 'blue_resize.png'],
    ])
    expect(seen.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true)
    expect(await client.jobs.wait('batch-1')).toMatchObject({ downloadUrl: made.archive })
  })

  test('as one job: a pipeline; settings that are wrong; a batch of which all files fail', async () => {
    const steps = [{ tool: 'image/resize', settings: { width: 5 } }] as const
    const { names } = await client.runPipelineBatch(steps, [picture, picture])
    expect(names.map((name) => typeof name)).toEqual(['string', 'string'])
    const wrong = client.runBatch('image/resize' as string, [picture], { width: 0 })
    expect(await failureOf(wrong)).toMatchObject({ code: 'INVALID_SETTINGS', status: 400 })
    const failed = await failureOf(
      client.runBatch('image/resize', [broken, broken], { width: 5 }, { jobId: 'all-bad' }),
    )
    expect(failed).toMatchObject({ name: 'ApiError', code: 'PROCESSING_FAILED' })
    expect(await failureOf(client.jobs.wait('all-bad'))).toMatchObject({ code: 'PROCESSING_FAILED' })
  })
})

test('an address is notified at the end of each job', async () => {
  const receiver = await startReceiver()
  const callbackUrl = `${receiver.base}/ended`
  expect(await failureOf(client.run('image/resize', picture, { width: 5 }, { callbackUrl }))).toMatchObject({
    code: 'VALIDATION_ERROR',
  })
  await client.post('/api/v1/webhooks/callback-secret')
  await client.run('image/resize', picture, { width: 5 }, { callbackUrl, jobId: 'notified' })
  await client.runPipeline([{ tool: 'image/resize', settings: { width: 5 } }], picture, { callbackUrl })
  await client.runBatch('image/resize', [picture, picture], { width: 5 }, { callbackUrl })
  for await (const { error } of client.runEach('image/resize', [picture], { width: 5 }, { callbackUrl }))
    expect(error).toBeUndefined()
  await expect.poll(() => receiver.at('/ended').length, { timeout: 30_000 }).toBe(4)
  expect(receiver.at('/ended').map(({ json }) => json.data.jobId)).toContain('notified')
})

describe('resumable uploads', () => {
  /** More than one request. */
  const large = (): File => new File([picture, new Uint8Array(9 * 1024 * 1024)], 'large.png')

  test('a file is sent in parts, and is the input of several jobs', async () => {
    const seen: number[] = []
    const upload = await client.uploads.send(large(), { onProgress: (fraction) => seen.push(fraction) })
    expect([seen.length, seen.at(-1)]).toEqual([2, 1])
    for (const width of [5, 6])
      expect((await client.run('image/resize', upload, { width })).files[0]).toMatchObject({
        filename: 'large_resize.png',
      })
    await client.uploads.delete(upload.uploadId)
    expect(await failureOf(client.run('image/info', upload))).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('after lost connections, only bytes that have not arrived are sent again', async () => {
    const sent: string[] = []
    let losses = 0
    const flaky = through(async (request) => {
      if (request.method !== 'PATCH') return fetch(request)
      sent.push(request.headers.get('upload-offset') ?? '')
      // The first one is lost before it arrives, and the answer to the second one is lost.
      losses += 1
      if (losses === 1) throw new TypeError('fetch failed')
      const response = await fetch(request)
      if (losses === 2) throw new TypeError('fetch failed')
      return response
    })
    const { uploadId } = await flaky.uploads.send(large())
    expect(sent).toEqual(['0', '0', String(8 * 1024 * 1024)])
    expect((await client.run('image/info', { uploadId })).report).toMatchObject({ width: 40 })
  })

  test('an upload continues by its id, with the same file only; an abort stops it', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const ids: string[] = []
    const options = { signal: stop.signal, onProgress: () => stop.abort(reason) }
    const first = client.uploads.send(large(), { ...options, onCreated: (uploadId) => ids.push(uploadId) })
    expect(await failureOf(first)).toBe(reason)
    const [id = ''] = ids
    expect(await failureOf(client.uploads.send(picture, { uploadId: id }))).toBeInstanceOf(TypeError)
    const seen: number[] = []
    const rest = await client.uploads.send(large(), { uploadId: id, onProgress: (fraction) => seen.push(fraction) })
    expect([rest.uploadId, seen]).toEqual([id, [1]])
    expect(await failureOf(client.uploads.send(picture, { uploadId: 'gone' }))).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('a connection that stays lost is an error', { timeout: 30_000 }, async () => {
    const away = through(async (request) => {
      if (request.method === 'POST') return fetch(request)
      throw new TypeError('fetch failed')
    })
    expect(await failureOf(away.uploads.send(picture))).toMatchObject({ code: 'SERVER_UNREACHABLE' })
  })
})

describe('a server that is busy', () => {
  const busy = (status: number, more: Record<string, string> = {}, code = 'RATE_LIMITED'): Response =>
    Response.json({ error: 'Busy', code }, { status, headers: more })

  /** Refuses the first requests. */
  const refusing = (times: number, answer: () => Response) => {
    const seen: string[] = []
    const fetchLater = async (request: Request): Promise<Response> => {
      seen.push(request.method)
      return seen.length <= times ? answer() : fetch(request)
    }
    return { seen, fetchLater }
  }
  const SOON = { 'retry-after': '0' }

  test('is asked again as it says, if the request may be repeated', async () => {
    for (const status of [429, 503]) {
      const { seen, fetchLater } = refusing(2, () => busy(status, SOON))
      expect(await through(fetchLater).get('/api/v1/jobs')).toMatchObject({ total: expect.any(Number) })
      expect(seen).toEqual(['GET', 'GET', 'GET'])
    }
    const run = refusing(1, () => busy(503, SOON))
    expect((await through(run.fetchLater).run('image/resize', picture, { width: 4 })).files.length).toBe(1)
    expect(run.seen).toEqual(['POST', 'POST'])
  })

  test('has started a job whose answer a proxy replaced: it runs once, and its result is found', async () => {
    let posts = 0
    const proxied = through(async (request) => {
      const response = await fetch(request)
      if (request.method !== 'POST') return response
      posts += 1
      await response.arrayBuffer()
      return new Response('<html>', { status: 503, headers: SOON })
    })
    expect((await proxied.run('image/resize', picture, { width: 3 })).files.length).toBe(1)
    expect((await proxied.runBatch('image/resize', [picture], { width: 3 })).names.length).toBe(1)
    expect(posts).toBe(2)
  })

  test('got a batch twice from a browser: the id that it took is its own, unless the caller chose it', async () => {
    const twice = through(async (request) => {
      if (request.method === 'POST') await (await fetch(request.clone())).arrayBuffer()
      return fetch(request)
    })
    expect((await twice.runBatch('image/resize', [picture], { width: 3 })).names).toEqual(['red_resize.png'])
    const taken = client.runBatch('image/resize', [picture], { width: 3 }, { jobId: 'batch-1' })
    expect(await failureOf(taken)).toMatchObject({ code: 'CONFLICT', status: 409 })
  })

  test('gets a POST once, unless it has an Idempotency-Key', async () => {
    const body = { name: 'Repeated', steps: [{ toolId: 'resize', settings: { width: 5 } }] }
    const once = refusing(1, () => busy(429, SOON))
    expect(await failureOf(through(once.fetchLater).post('/api/v1/pipeline/save', { body }))).toMatchObject({
      ...{ code: 'RATE_LIMITED', status: 429 },
    })
    expect(once.seen).toEqual(['POST'])
    const keyed = refusing(2, () => busy(429, SOON))
    const headers = { 'Idempotency-Key': 'repeat-1' }
    const saved = await through(keyed.fetchLater).post('/api/v1/pipeline/save', { body, headers })
    expect([saved.name, keyed.seen]).toEqual(['Repeated', ['POST', 'POST', 'POST']])
  })

  test('is an error after the last repetition, for a long wait, or for a limit that does not pass', async () => {
    for (const [answer, retries, expected] of [
      [() => busy(429, SOON), 1, 2],
      [() => busy(429, SOON), 0, 1],
      [() => busy(429, { 'retry-after': '3600' }), 3, 1],
      [() => busy(429, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }), 3, 1],
      [() => busy(429, SOON, 'TOO_MANY_UPLOADS'), 3, 1],
    ] as const) {
      const { seen, fetchLater } = refusing(9, answer)
      expect(await failureOf(through(fetchLater, retries).get('/api/v1/jobs'))).toMatchObject({ status: 429 })
      expect(seen.length).toBe(expected)
    }
  })

  test.each([50, 60])(
    'an abort ends a wait of %i s with its reason, however long the part at random',
    async (seconds) => {
      const random = vi.spyOn(Math, 'random').mockReturnValue(0.999)
      onTestFinished(() => random.mockRestore())
      const stop = new AbortController()
      const reason = new Error('enough')
      const { seen, fetchLater } = refusing(9, () => busy(503, { 'retry-after': String(seconds) }))
      const waiting = failureOf(through(fetchLater).get('/api/v1/jobs', { signal: stop.signal }))
      await expect.poll(() => seen.length).toBe(1)
      stop.abort(reason)
      expect(await waiting).toBe(reason)
    },
  )
})
