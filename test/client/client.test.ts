/** The built client against a server of this process. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { ApiError, MediaprocClient } from '../../dist/src/client/client.js'
import { plain } from '../helpers/picture.ts'
import { endlessPdf } from '../helpers/pool.ts'
import { type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

let server: Served
/** Its requests never wait for their jobs. */
let eager: Served
let token: string
let client: MediaprocClient
let later: MediaprocClient
let picture: File
let broken: File

beforeAll(async () => {
  server = await serveHere()
  eager = await serveHere({ environment: { SYNC_WAIT_MS: '0' } })
  token = await signIn(server)
  client = new MediaprocClient({ url: `${server.base}/`, key: token })
  later = new MediaprocClient({ url: eager.base, key: await signIn(eager) })
  const bytes = Uint8Array.from(await plain(40, 30, '#ff0000').png().toBuffer())
  picture = new File([bytes], 'red.png')
  broken = new File([bytes.subarray(0, 60)], 'broken.png')
})

const facts = async (response: Response) => sharp(Buffer.from(await response.arrayBuffer())).metadata()

/** The rejection of a promise. */
const failureOf = (promise: Promise<unknown>): Promise<ApiError> =>
  promise.then(
    () => Promise.reject(new Error('expected a rejection')),
    (error: ApiError) => error,
  )

describe('run', () => {
  test('a tool: its files can be downloaded, and are inputs of the next job without being sent', async () => {
    const made = await client.run('image/resize', picture, { width: 20 })
    expect(made).toMatchObject({
      files: [{ filename: 'red_resize.png', mime: 'image/png', bytes: expect.any(Number) }],
      warnings: [],
      response: { downloadUrl: expect.any(String) },
    })
    const response = await client.download(made.files[0]!)
    expect(Number(response.headers.get('content-length'))).toBe(made.files[0]!.bytes)
    expect(await facts(response)).toMatchObject({ format: 'png', width: 20, height: 15 })
    const next = await client.run('image/convert', made.files[0]!, { format: 'webp' })
    expect(await facts(await client.download(String(next.response.downloadUrl)))).toMatchObject({
      ...{ format: 'webp', width: 20 },
    })
  })

  test('an action and a tool that only report, and a tool without inputs', async () => {
    const info = await client.run('image/info', picture)
    expect([info.files, info.report]).toEqual([[], expect.objectContaining({ width: 40, height: 30 })])
    expect((await client.run('image/edit-metadata/inspect', picture)).report).toBeDefined()
    const { files } = await client.run('image/barcode-generate', [], { text: '4006381333931' })
    expect(await facts(await client.download(files[0]!))).toMatchObject({ format: 'png' })
  })

  test('several inputs in order, and an additional one', async () => {
    const blue = new File([Uint8Array.from(await plain(10, 10, '#0000ff').png().toBuffer())], 'blue.png')
    const kept = await client.run('image/resize', blue, { width: 8 })
    const pages = await client.run('image/image-to-pdf', [picture, kept.files[0]!, picture], {})
    const pdf = new File([await (await client.download(pages.files[0]!)).blob()], 'pages.pdf')
    expect((await client.run('pdf/pdf-to-image/info', pdf)).report).toMatchObject({ pageCount: 3 })
    const marked = await client.run('image/watermark-image', picture, {}, { secondary: { watermark: blue } })
    expect(await facts(await client.download(marked.files[0]!))).toMatchObject({ width: 40 })
  })

  test('a pipeline', async () => {
    const steps = [
      { tool: 'image/resize', settings: { width: 10 } },
      { tool: 'image/convert', settings: { format: 'jpg' } },
    ] as const
    const { files } = await client.runPipeline(steps, picture)
    expect(await facts(await client.download(files[0]!))).toMatchObject({ format: 'jpeg', width: 10 })
  })

  test('a job that outlasts its request: its progress, its result, its events and its state', async () => {
    const seen: number[] = []
    const options = { jobId: 'mine', onProgress: (fraction: number) => seen.push(fraction) }
    const made = await later.run('image/resize', picture, { width: 20 }, options)
    expect(await facts(await later.download(made.files[0]!))).toMatchObject({ width: 20 })
    expect(seen.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true)
    const events = []
    for await (const event of later.jobs.events('mine')) events.push(event)
    expect(events).toMatchObject([{ phase: 'complete', result: { downloadUrl: expect.any(String) } }])
    expect(await later.jobs.get('mine')).toMatchObject({
      status: 'completed',
      toolId: expect.stringContaining('resize'),
    })
    expect(await later.jobs.wait('mine')).toMatchObject({ downloadUrl: expect.any(String) })
    expect(await later.jobs.cancel('mine')).toBe(false)
  })

  test('a connection that is lost after the request arrived: the job runs once, and its result is found', async () => {
    let posts = 0
    const fetchOnce = async (request: Request): Promise<Response> => {
      const response = await fetch(request)
      if (request.method !== 'POST') return response
      posts += 1
      await response.arrayBuffer()
      throw new TypeError('fetch failed')
    }
    const flaky = new MediaprocClient({ url: server.base, key: token, fetch: fetchOnce })
    const { files } = await flaky.run('image/resize', picture, { width: 6 })
    expect(await facts(await client.download(files[0]!))).toMatchObject({ width: 6 })
    expect(posts).toBe(1)
  })
})

describe('errors', () => {
  test('of settings, of the key and of unknown tools have code, sentence, hint and status', async () => {
    const settings = await failureOf(client.run('image/resize' as string, picture, { width: 'wide' }))
    expect(settings).toBeInstanceOf(ApiError)
    expect(settings).toMatchObject({ code: 'INVALID_SETTINGS', status: 400, message: expect.stringContaining('width') })
    const stranger = new MediaprocClient({ url: server.base })
    expect(await failureOf(stranger.get('/api/v1/jobs'))).toMatchObject({ code: 'AUTH_REQUIRED', status: 401 })
    expect(await failureOf(client.run('image/none' as string, picture))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await failureOf(client.jobs.wait('nobody'))).toMatchObject({ code: 'NOT_FOUND', status: 404 })
  })

  test('of a damaged file are the same at once and after a wait', async () => {
    const [first, second] = [
      await failureOf(client.run('image/resize', broken, { width: 5 })),
      await failureOf(later.run('image/resize', broken, { width: 5 })),
    ]
    expect(first).toMatchObject({ name: 'ApiError', message: expect.stringMatching(/\w{4}/) })
    expect([second.code, second.message, second.hint]).toEqual([first.code, first.message, first.hint])
  })

  test('of a server that is away, or is none', async () => {
    const away = new MediaprocClient({ url: 'http://127.0.0.1:9' })
    expect(await failureOf(away.get('/api/v1/health'))).toMatchObject({
      ...{ code: 'SERVER_UNREACHABLE', status: undefined, hint: expect.stringMatching(/\w/) },
    })
    const other = new MediaprocClient({ url: server.base, fetch: async () => new Response('<html>', { status: 502 }) })
    expect(await failureOf(other.run('image/info', picture))).toMatchObject({ code: 'SERVER_UNREACHABLE', status: 502 })
    expect(() => new MediaprocClient({ url: 'ftp://media.example' })).toThrow(TypeError)
  })

  test('an abort ends the wait with its reason, and cancels the job on the server', { timeout: 60_000 }, async () => {
    const stop = new AbortController()
    const endless = new File([Uint8Array.from(endlessPdf())], 'endless.pdf')
    const reason = new Error('enough')
    const options = { jobId: 'endless', signal: stop.signal }
    const ended = failureOf(later.run('pdf/pdf-to-image', endless, {}, options))
    const status = async () => (await later.jobs.get('endless').catch(() => ({ status: 'unknown' }))).status
    await expect.poll(status, { timeout: 30_000 }).toMatch(/queued|processing/)
    stop.abort(reason)
    expect(await ended).toBe(reason)
    await expect.poll(status, { timeout: 30_000 }).toBe('canceled')
    const waiting = await failureOf(later.jobs.wait('endless'))
    expect(waiting).toMatchObject({ code: 'CANCELED' })
    expect(await failureOf(later.run('image/info', picture, {}, { signal: stop.signal }))).toBe(reason)
  })
})

test('requests of the API: the library by form, query, path and JSON', async () => {
  const { files } = await client.post('/api/v1/files/upload', { body: { file: [picture, picture] } })
  expect(files.map(({ originalName }) => originalName)).toEqual(['red.png', 'red.png'])
  const id = files[0]!.id
  const listed = await client.get('/api/v1/files', { params: { query: { limit: 1 } } })
  expect([listed.total, listed.files.length]).toEqual([2, 1])
  const bytes = await client.get('/api/v1/files/{id}/download', { params: { path: { id } }, parseAs: 'arrayBuffer' })
  expect(bytes.byteLength).toBe(picture.size)
  const made = await client.run('image/resize', { fileId: id }, { width: 9 }, { saveTo: { fileId: id } })
  const { versions } = await client.get('/api/v1/files/{id}', { params: { path: { id } } })
  expect([made.response.savedFileId, versions.length]).toEqual([expect.any(String), 2])
  expect(await client.delete('/api/v1/files', { body: { ids: files.map((file) => file.id) } })).toMatchObject({
    deleted: expect.any(Number),
  })
})

test('the key is not sent to other servers', async () => {
  const seen: [string, string | null][] = []
  const spying = new MediaprocClient({
    ...{ url: server.base, key: token },
    fetch: async (request) => {
      seen.push([new URL(request.url).origin, request.headers.get('authorization')])
      return fetch(request)
    },
  })
  for (const path of [
    '@attacker.example/x',
    '.attacker.example/x',
    'https://attacker.example/x',
    '//attacker.example/x',
  ])
    await failureOf(spying.download(path))
  expect(seen).toEqual([[server.base, `Bearer ${token}`]])
})

test('the examples of docs/client.md run as they are', { timeout: 60_000 }, async () => {
  const page = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8')
  const [start, ...examples] = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!)
  const folder = temporaryFolder()
  await plain(400, 300, '#ff0000').jpeg().toFile(join(folder, 'photo.jpg'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(fileURLToPath(new URL('../../', import.meta.url)), join(folder, 'node_modules', 'mediaproc'))
  const address = start!.replace('https://media.example.com', server.base)
  const env = { ...process.env, MEDIAPROC_API_KEY: token }
  const printed: string[] = []
  for (const [index, code] of examples.entries()) {
    const path = join(folder, `${index}.mjs`)
    writeFileSync(
      path,
      address + code.replaceAll(/^import \{ ApiError \}.*$/gm, "const { ApiError } = await import('mediaproc/client')"),
    )
    const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: folder, env })
    printed.push(stdout)
  }
  expect(printed).toEqual([
    '',
    'image/webp\n',
    expect.stringMatching(/^(?:\d+ %.*\n)*\d+\n$/),
    expect.stringMatching(/^INVALID_FILE 400 \w/),
    expect.stringMatching(/^[\w-]+ \d+\n$/),
    expect.stringMatching(/^(?:processing\n)*complete\ncompleted\n$/),
    '0 image/jpeg\n1 INVALID_FILE\n2 image/jpeg\n',
    "[ 'a_resize.jpg', undefined, 'c_resize.jpg' ] b.jpg\n",
    '100 % sent\n400\n',
    'true\n',
  ])
  expect(await sharp(join(folder, 'photo_resize.jpg')).metadata()).toMatchObject({ width: 300, height: 225 })
})

test('no module of the client imports anything of Node', () => {
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const [, from, lazily] of readFileSync(path, 'utf8').matchAll(
      /(?:\bfrom|^import)\s*['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)/gm,
    )) {
      const target = (from ?? lazily)!
      expect([path, target]).toEqual([path, expect.stringMatching(/^\./)])
      visit(resolve(dirname(path), target))
    }
  }
  visit(fileURLToPath(new URL('../../dist/src/client/client.js', import.meta.url)))
  expect(seen.size).toBeGreaterThan(5)
  const text = [...seen].map((path) => readFileSync(path, 'utf8')).join('\n')
  expect(text).not.toMatch(/\bBuffer\b|\brequire\(/)
  expect(text.length).toBeLessThan(60_000)
})

test('the type declarations are whole, and small', () => {
  const folder = fileURLToPath(new URL('../../dist/src/client/', import.meta.url))
  const ignored = readFileSync(join(folder, '../../.npmignore'), 'utf8')
  for (const name of ['client', 'schema', 'openapi-fetch', 'openapi-typescript-helpers']) {
    expect([name, existsSync(join(folder, `${name}.d.ts`))]).toEqual([name, true])
    expect(ignored).not.toContain(`src/client/${name}.d.ts`)
  }
  expect(readFileSync(join(folder, 'schema.d.ts'), 'utf8').length).toBeLessThan(150_000)
})
