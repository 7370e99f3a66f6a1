import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { plain } from './picture.ts'
import type { SeededRandom } from './random.ts'
import { call, PASSWORD, send, signIn, type TestServer } from './server.ts'

/** Everything that a server acknowledged: it must survive any failure. */
export interface Acknowledged {
  users: string[]
  keys: string[]
  pipelines: Map<string, string>
  settings: Map<string, string>
  /** Bytes of library items by id. */
  files: Map<string, Buffer>
  /** Finished jobs: the address of the result and its SHA-256. */
  results: Map<string, string>
  /** Jobs that were observed unfinished. */
  seen: Set<string>
}

export const nothing = (): Acknowledged => ({
  users: [],
  keys: [],
  pipelines: new Map(),
  settings: new Map(),
  files: new Map(),
  results: new Map(),
  seen: new Set(),
})

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A picture for jobs, and the server's output for it. */
export interface Sample {
  picture: Buffer
  single: string
  batch: string
}

const RESIZE = '/api/v1/tools/image/resize'
const SETTINGS = JSON.stringify({ width: 100 })
let counter = 0
const fresh = (): string => `n${process.pid}-${counter++}`

const single = (server: TestServer, token: string, picture: Buffer) =>
  send(
    server,
    RESIZE,
    [
      ['file', { name: 'a.png', bytes: picture }],
      ['settings', SETTINGS],
    ],
    token,
  )

const batch = (server: TestServer, token: string, picture: Buffer) => {
  const files = ['a.png', 'b.png', 'c.png'].map((name) => ['files', { name, bytes: picture }] as const)
  return send(server, `${RESIZE}/batch`, [...files, ['settings', SETTINGS]], token)
}

/** Expected results of jobs without faults. */
export async function makeSample(server: TestServer, token: string): Promise<Sample> {
  const picture = await plain(600, 400, '#4080c0').png().toBuffer()
  const { json } = await single(server, token, picture)
  const { bytes } = await call(server, 'GET', json.downloadUrl, { token })
  return { picture, single: sha256(bytes), batch: sha256((await batch(server, token, picture)).bytes) }
}

type Work = (server: TestServer, token: string, sample: Sample, done: Acknowledged) => Promise<unknown>

const addUser: Work = async (server, token, _sample, { users }) => {
  const username = fresh()
  const body = { username, password: PASSWORD, role: 'user' }
  const { status } = await call(server, 'POST', '/api/auth/register', { token, body })
  if (status === 201) users.push(username)
}

const addKey: Work = async (server, token, _sample, { keys }) => {
  const { status, json } = await call(server, 'POST', '/api/v1/api-keys', { token, body: { name: fresh() } })
  if (status === 201) keys.push(json.key)
}

const savePipeline: Work = async (server, token, _sample, { pipelines }) => {
  const body = { name: fresh(), steps: [{ toolId: 'resize', settings: { width: 50 } }] }
  const { status, json } = await call(server, 'POST', '/api/v1/pipeline/save', { token, body })
  if (status === 201) pipelines.set(json.id, body.name)
}

const changeSetting: Work = async (server, token, _sample, { settings }) => {
  const [name, value] = [`test-${fresh()}`, fresh()]
  const { status } = await call(server, 'PUT', '/api/v1/settings', { token, body: { [name]: value } })
  if (status === 200) settings.set(name, value)
}

const keepFile: Work = async (server, token, _sample, { files }) => {
  const [first, second] = [randomBytes(50_000), randomBytes(3000)]
  const form = [['file', { name: 'kept.bin', bytes: first }]] as const
  const kept = await send(server, '/api/v1/files/upload', form, token)
  if (kept.status !== 201) return
  const { id } = kept.json.files[0]
  files.set(id, first)
  const next = [
    ['file', { name: 'next.bin', bytes: second }],
    ['parentId', id],
  ] as const
  const version = await send(server, '/api/v1/files/save-result', next, token)
  if (version.status === 201) files.set(version.json.file.id, second)
}

const runSingle: Work = async (server, token, { picture, single: hash }, { results }) => {
  const { status, json } = await single(server, token, picture)
  if (status === 200) results.set(json.downloadUrl, hash)
}

const runBatch: Work = async (server, token, { picture, batch: hash }, { results }) => {
  const { status, headers } = await batch(server, token, picture)
  if (status !== 200) return
  const id = headers.get('x-job-id')!
  const name = /filename="([^"]+)"/.exec(headers.get('content-disposition')!)![1]
  // A job that was running in its response finishes a little later.
  if (headers.has('content-length')) results.set(`/api/v1/download/${id}/${name}`, hash)
}

const lookAtJobs: Work = async (server, token, _sample, { seen }) => {
  const { json } = await call(server, 'GET', '/api/v1/jobs?limit=100', { token })
  for (const { jobId, status } of json.jobs) if (status === 'queued' || status === 'processing') seen.add(jobId)
}

const uploadMuch: Work = (server, token) =>
  send(server, '/api/v1/upload', [['file', { name: 'much.bin', bytes: Buffer.alloc(8_000_000) }]], token)

const makePreview: Work = (server, token, { picture }) =>
  send(server, '/api/v1/preview', [['file', { name: 'a.png', bytes: picture }]], token)

const WORK = [
  addUser,
  addKey,
  savePipeline,
  changeSetting,
  keepFile,
  runSingle,
  runSingle,
  runBatch,
  lookAtJobs,
  uploadMuch,
  makePreview,
]

/** Keeps a server busy with all kinds of writes until it ends; records what it acknowledged. */
export async function loadUntilGone(
  server: TestServer,
  token: string,
  sample: Sample,
  done: Acknowledged,
): Promise<void> {
  let isGone = false
  const lane = async (work: Work): Promise<void> => {
    // An incomplete response acknowledges nothing.
    while (!isGone)
      await work(server, token, sample, done).catch(() => {
        isGone = server.process.exitCode !== null || server.process.signalCode !== null
      })
  }
  await Promise.all(WORK.map(lane))
}

/** The library's rate limit is 300 requests per minute. */
const FEWER_THAN_THE_LIMIT = 200

const shuffled = <T>(all: Iterable<T>, random: SeededRandom): T[] =>
  [...all]
    .map((one) => ({ one, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one)

/** Checks that all acknowledged data exist, and waits until unfinished jobs have ended. @param leftMs at most this long */
export async function expectAll(
  server: TestServer,
  done: Acknowledged,
  random: SeededRandom,
  leftMs = 30_000,
): Promise<void> {
  const token = await signIn(server)
  const get = async (path: string, credential = token) => call(server, 'GET', path, { token: credential })
  const { users } = (await get('/api/auth/users')).json
  expect(users.map(({ username }: { username: string }) => username)).toEqual(expect.arrayContaining(done.users))
  for (const key of done.keys) expect((await get('/api/v1/preferences', key)).status).toBe(200)
  const { pipelines } = (await get('/api/v1/pipeline/list')).json
  const names = new Map(pipelines.map(({ id, name }: { id: string; name: string }) => [id, name]))
  for (const [id, name] of done.pipelines) expect(names.get(id)).toBe(name)
  expect((await get('/api/v1/settings')).json.settings).toMatchObject(Object.fromEntries(done.settings))
  for (const [id, bytes] of shuffled(done.files, random).slice(0, FEWER_THAN_THE_LIMIT))
    expect((await get(`/api/v1/files/${id}/download`)).bytes).toEqual(bytes)
  for (const [address, hash] of done.results)
    expect([address, sha256((await get(address)).bytes)]).toEqual([address, hash])
  const left = async () => {
    const all = await Promise.all(['queued', 'processing'].map((status) => get(`/api/v1/jobs?status=${status}`)))
    return all.flatMap(({ json }) => json.jobs)
  }
  await expect.poll(left, { timeout: leftMs }).toEqual([])
  for (const id of done.seen) {
    const { json } = await get(`/api/v1/jobs/${id}`)
    expect(['completed', 'INTERRUPTED']).toContain(json.status === 'failed' ? json.error.code : json.status)
  }
}
