/** The server with a store without folders: code that expects results or items as files would find none. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { sweep } from '../../src/server/jobs/sweep.ts'
import { openMemoryStore } from '../helpers/memory-store/store.ts'
import { plain } from '../helpers/picture.ts'
import { readZip } from '../helpers/raw-zip.ts'
import { call, type Part, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { resize, smallPicture, untilStatus } from '../helpers/server-jobs.ts'
import { temporaryFolder } from '../helpers/tool.ts'

let server: ServerHere
let token: string

beforeAll(async () => {
  server = await serveHere({ open: openMemoryStore })
  token = await signIn(server)
})

const fetched = (path: string) => call(server, 'GET', path, { token })
const widthOf = async (bytes: Buffer) => (await sharp(bytes).metadata()).width

test('stores, shows, edits and deletes a library item', async () => {
  const uploaded = await send(server, '/api/v1/files/upload', [['file', await smallPicture()]], token)
  const { id } = uploaded.json.files[0]
  const { json } = await resize(server, token, { fileId: id })
  const list = (await fetched('/api/v1/files')).json
  expect([list.total, list.files.map(({ version }: { version: number }) => version)]).toEqual([1, [2]])
  expect(await widthOf((await fetched(`/api/v1/files/${json.savedFileId}/download`)).bytes)).toBe(32)
  expect(await widthOf((await fetched(`/api/v1/files/${id}/download`)).bytes)).toBe(64)
  expect((await fetched(`/api/v1/files/${id}/thumbnail`)).status).toBe(200)
  const removal = await call(server, 'DELETE', '/api/v1/files', { token, body: { ids: [id] } })
  expect([removal.json, (await fetched(`/api/v1/files/${id}`)).status]).toEqual([{ deleted: 2 }, 404])
})

test('follows a job, fetches its result, and deletes both', async () => {
  const { json } = await resize(server, token, { clientJobId: 'mine' })
  const { artifactJobId, progress } = (await fetched('/api/v1/jobs/mine')).json
  expect(progress).toMatchObject({ percent: 100 })
  expect(await widthOf((await fetched(json.downloadUrl)).bytes)).toBe(32)
  // Data of another store are in no folder of this machine.
  const files = readdirSync(join(server.data, 'workspace', artifactJobId), { recursive: true })
  expect(files.filter((name) => String(name).includes('.png'))).toEqual([])
  expect((await call(server, 'DELETE', `/api/v1/jobs/${artifactJobId}`, { token })).status).toBe(200)
  expect((await fetched(json.downloadUrl)).status).toBe(404)
  expect(existsSync(join(server.data, 'workspace', artifactJobId))).toBe(false)
})

test('packs a batch during and after its run', async () => {
  const picture = await plain(40, 30, '#ff0000').png().toBuffer()
  const parts: [string, Part][] = ['a.png', 'b.png'].map((name) => ['file', { name, bytes: picture }])
  const answer = await send(
    server,
    '/api/v1/tools/image/resize/batch',
    [...parts, ['settings', '{"width":10}'], ['clientJobId', 'both']],
    token,
  )
  const { result } = await untilStatus(server, token, 'both', 'completed')
  for (const { bytes } of [answer, await fetched(result.downloadUrl)]) {
    const path = join(temporaryFolder(), 'batch.zip')
    writeFileSync(path, bytes)
    const entries = await readZip(path)
    expect(entries.map(({ name }) => name)).toEqual(['a_resize.png', 'b_resize.png'])
    for (const { data } of entries) expect(await widthOf(data)).toBe(10)
  }
})

test('downloads an upload until it expires', async () => {
  const { json } = await send(server, '/api/v1/upload', [['file', await smallPicture()]], token)
  expect(json.files).toEqual([expect.objectContaining({ name: 'small.png', format: 'png' })])
  const address = `/api/v1/download/${json.jobId}/small.png`
  expect(await widthOf((await fetched(address)).bytes)).toBe(64)
  const { jobs, results } = server.context.store
  const keysOf = async () => {
    const keys: string[] = []
    for await (const key of results.keys()) if (key.startsWith(json.jobId)) keys.push(key)
    return keys
  }
  expect(await keysOf()).toHaveLength(1)
  await jobs.update(json.jobId, { expiresAt: '2026-01-01T00:00:00.000Z' })
  await sweep(server.context)
  expect([await keysOf(), (await fetched(address)).status]).toEqual([[], 404])
})

test('accounts, keys, roles, settings and the log', async () => {
  const made = await call(server, 'POST', '/api/v1/api-keys', { token, body: { name: 'ci' } })
  expect((await call(server, 'GET', '/api/v1/files', { token: made.json.key })).status).toBe(200)
  await call(server, 'PUT', '/api/v1/settings', { token, body: { defaultLocale: 'de' } })
  expect((await fetched('/api/v1/config/locale')).json).toEqual({ defaultLocale: 'de' })
  const role = { name: 'maker', description: '', permissions: ['tools:use'] }
  expect((await call(server, 'POST', '/api/v1/roles', { token, body: role })).status).toBe(201)
  expect((await call(server, 'POST', '/api/v1/roles', { token, body: role })).status).toBe(409)
  const { entries } = (await fetched('/api/v1/audit-log?limit=50')).json
  const actions = entries.map(({ action }: { action: string }) => action)
  expect(actions).toEqual(expect.arrayContaining(['LOGIN_SUCCESS', 'API_KEY_CREATED', 'SETTINGS_UPDATED']))
})

test('a storage that has addresses of its own gets the downloads, with their names', async () => {
  const asked: unknown[] = []
  const own = await serveHere({
    async open(folder, options) {
      const store = await openMemoryStore(folder, options)
      const presigned = async (key: string, how: unknown): Promise<string> => {
        asked.push(how)
        return `https://storage.example.com/${key}?signed`
      }
      return { ...store, results: Object.assign(store.results, { presigned }) }
    },
  })
  const signedIn = await signIn(own)
  const { json } = await resize(own, signedIn)
  const ask = (method: string, path = json.downloadUrl, credential = signedIn): Promise<Response> =>
    fetch(own.base + path, { method, redirect: 'manual', headers: { authorization: `Bearer ${credential}` } })
  const answer = await ask('GET')
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'private, no-store'])
  expect(answer.headers.get('location')).toMatch(/^https:\/\/storage\.example\.com\/[\w-]+\/out\/.*\?signed$/)
  expect(asked).toEqual([
    { seconds: 60, mime: 'image/png', disposition: expect.stringMatching(/^attachment; filename=".+\.png"/) },
  ])
  // Facts and refusals come from the server.
  expect((await ask('HEAD')).headers.get('content-length')).toMatch(/^[1-9]/)
  expect((await ask('GET', json.downloadUrl, 'wrong')).status).toBe(401)
  await call(own, 'DELETE', `/api/v1/jobs/${json.jobId}`, { token: signedIn })
  expect((await ask('GET')).status).toBe(404)
  expect(asked).toHaveLength(1)
})

test('the console may show results of such a storage, and of no other place', async () => {
  const withStorage = await serveHere({
    async open(folder, options) {
      const store = await openMemoryStore(folder, options)
      const presigned = async (key: string): Promise<string> => `https://media.storage.example.com:9000/a/${key}?signed`
      return { ...store, results: Object.assign(store.results, { presigned }) }
    },
  })
  const policyOf = async ({ base }: { base: string }): Promise<Record<string, string>> => {
    const policy = (await fetch(`${base}/`)).headers.get('content-security-policy') ?? ''
    return Object.fromEntries(policy.split('; ').map((rule) => rule.split(/ (.*)/).slice(0, 2)))
  }
  const plain = await policyOf(server)
  expect(Object.values(plain).join(' ')).not.toMatch(/http|\*/)
  const storage = 'https://media.storage.example.com:9000'
  expect(await policyOf(withStorage)).toEqual({
    ...plain,
    'img-src': `${plain['img-src']} ${storage}`,
    'media-src': `${plain['media-src']} ${storage}`,
    'connect-src': `${plain['connect-src']} ${storage}`,
  })
})
