import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { exportArchive } from '../../src/models/store/export-archive.ts'
import { afterEveryFile } from '../helpers/clean-up.ts'
import { type ModelSource, sampleBytes, serveModels } from '../helpers/model-source.ts'
import { plain } from '../helpers/picture.ts'
import { type Answer, call, makeUser, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

const FACES = { name: 'faces.bin', bytes: sampleBytes('faces') }
const MODELS = {
  faces: { files: [FACES] },
  more: { files: [{ name: 'more.bin', bytes: sampleBytes('more', 90_000) }] },
  other: { files: [FACES, { name: 'other.bin', bytes: sampleBytes('other', 10) }] },
}
// Bundle names are those that tools declare.
const BUNDLES = {
  'face-detection': { light: ['faces'], standard: ['faces', 'more'] },
  'upscale-enhance': { light: ['other'] },
}

/** Most tests share one without models. */
let here: Instance
beforeAll(async () => {
  here = await instance(await serveModels(MODELS, BUNDLES, (clean) => afterEveryFile(clean)))
})
afterEach(async () => {
  here.source.answers(() => false)
  await here.post('admin/features/reset')
  here.source.asked.length = 0
})

interface Instance {
  source: ModelSource
  server: Served & { stop(): Promise<void> }
  admin: string
  get(path: string, token?: string): Promise<Answer>
  post(path: string, body?: unknown, token?: string): Promise<Answer>
}

async function instance(source: ModelSource): Promise<Instance> {
  const environment = { MEDIAPROC_MODELS: source.store, MODEL_OFFLINE: 'false' }
  const server = await serveHere({ environment })
  const admin = await signIn(server)
  return {
    ...{ source, server, admin },
    get: (path, token = admin) => call(server, 'GET', `/api/v1/${path}`, { token }),
    post: (path, body, token = admin) =>
      call(server, 'POST', `/api/v1/${path}`, { token, ...(body !== undefined && { body }) }),
  }
}

/** The state of a bundle as clients receive it. */
const stateOf = async ({ get }: Instance, id: string) =>
  (await get('features')).json.bundles.find((bundle: { id: string }) => bundle.id === id)

/** All frames of a progress stream, to its end. */
async function framesOf({ server, admin }: Instance, jobId: string, token = admin) {
  const { status, bytes } = await call(server, 'GET', `/api/v1/jobs/${jobId}/progress`, { token })
  if (status !== 200) return status
  return bytes
    .toString()
    .split('\n\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)))
    .filter(({ type }) => type !== 'heartbeat')
}

test('installs a bundle with progress, counts it, uninstalls and reinstalls it', async () => {
  const { get, post, source } = here
  expect(await stateOf(here, 'face-detection')).toEqual({
    ...{ id: 'face-detection', name: 'face-detection', description: 'samples', status: 'not_installed' },
    ...{ installedVersion: null, estimatedSize: '130.0 kB', downloadBytes: 130_000, installedBytes: null },
    ...{ enablesTools: expect.arrayContaining(['smart-crop']), progress: null, error: null },
    ...{ compatibility: 'compatible', compatibilityReason: null },
  })
  const asked = await post('admin/features/face-detection/install')
  expect([asked.status, asked.json]).toEqual([202, { jobId: expect.any(String), queued: false }])
  const { jobId } = asked.json
  const frames = await framesOf(here, jobId)
  expect((frames as object[]).at(-1)).toEqual({
    ...{ jobId, type: 'single', phase: 'complete', percent: 100, result: { bundleId: 'face-detection' } },
  })
  const percents = (frames as { percent: number }[]).map(({ percent }) => percent)
  expect(percents).toEqual([...percents].sort((a, b) => a - b))
  expect((await get(`jobs/${jobId}`)).json).toMatchObject({ type: 'install', status: 'completed', toolId: null })
  const { status, installedBytes, installedVersion, downloadBytes } = await stateOf(here, 'face-detection')
  expect([status, installedBytes, installedVersion, downloadBytes]).toEqual([
    'installed',
    130_000,
    expect.stringMatching(/^\d/),
    0,
  ])
  expect((await get('admin/features/disk-usage')).json).toEqual({
    totalBytes: 130_000,
    bundles: { 'face-detection': 130_000 },
  })
  const again = await post('admin/features/face-detection/install')
  expect([again.status, again.json.code]).toEqual([409, 'CONFLICT'])
  expect((await post('admin/features/face-detection/uninstall')).json).toEqual({ ok: true })
  expect((await stateOf(here, 'face-detection')).status).toBe('not_installed')
  const gone = await post('admin/features/face-detection/uninstall')
  expect([gone.status, gone.json.code]).toEqual([409, 'CONFLICT'])
  expect(readdirSync(join(source.store, 'blobs'))).toEqual([])
  const { entries } = (await get('audit-log')).json
  expect(
    entries.filter(({ action }: { action: string }) => action.startsWith('FEATURE')).map((entry: object) => entry),
  ).toMatchObject([
    { action: 'FEATURE_UNINSTALLED', targetId: 'face-detection', actorUsername: 'admin' },
    { action: 'FEATURE_INSTALLED', targetId: 'face-detection', actorUsername: 'admin', details: { tier: 'standard' } },
  ])
})

test('installs run one at a time in order, repeated requests join, and a waiting one can be stopped', async () => {
  const { post, get, source } = here
  // The first one waits until all are requested.
  let letGo = (): void => {}
  source.answers((_request, response) => {
    letGo = () => response.destroy()
    return true
  })
  const first = (await post('admin/tools/smart-crop/features/install')).json
  expect(first).toEqual({ bundles: [{ bundleId: 'face-detection', jobId: expect.any(String), queued: false }] })
  const { jobId } = first.bundles[0]
  await vi.waitUntil(() => source.asked.length === 1, { timeout: 10_000 })
  const second = (await post('admin/features/upscale-enhance/install')).json
  expect(second).toEqual({ jobId: expect.any(String), queued: true })
  const user = await makeUser(here.server, here.admin, 'uwe')
  const seen = async (token: string) =>
    (await get('features', token)).json.bundles.flatMap(({ progress }: { progress: { jobId?: string } | null }) =>
      progress ? [progress.jobId] : [],
    )
  expect(await seen(here.admin)).toEqual([jobId, second.jobId])
  expect(await seen(user)).toEqual([undefined, undefined])
  expect((await post('admin/tools/smart-crop/features/install')).json.bundles).toEqual([
    { bundleId: 'face-detection', jobId, queued: false },
  ])
  expect((await post('admin/features/upscale-enhance/install')).json).toEqual(second)
  expect([(await stateOf(here, 'face-detection')).status, (await stateOf(here, 'upscale-enhance')).status]).toEqual([
    'installing',
    'queued',
  ])
  for (const path of ['admin/features/reset', 'admin/features/face-detection/uninstall'])
    expect((await post(path)).json.code).toBe('CONFLICT')
  expect((await get(`jobs/${second.jobId}`)).json.status).toBe('queued')
  expect((await post(`jobs/${second.jobId}/cancel`)).json).toEqual({ canceled: true })
  expect(await framesOf(here, second.jobId)).toMatchObject([{ phase: 'failed', code: 'CANCELED' }])
  source.answers(() => false)
  letGo()
  expect(await framesOf(here, jobId)).toContainEqual(expect.objectContaining({ phase: 'complete' }))
  expect((await stateOf(here, 'upscale-enhance')).status).toBe('not_installed')
  const skipped = (await post('admin/tools/smart-crop/features/install')).json
  expect(skipped).toEqual({ bundles: [{ bundleId: 'face-detection', queued: false, skipped: true }] })
  expect((await post('admin/tools/resize/features/install')).status).toBe(404)
  expect((await post('admin/features/nothing/install')).status).toBe(404)
})

test('reports a failure as the state of the bundle, and another install repairs it', async () => {
  here.source.answers((_request, response) => {
    response.end('<html>Sign in</html>')
    return true
  })
  const { jobId } = (await here.post('admin/features/face-detection/install')).json
  const frames = (await framesOf(here, jobId)) as { phase: string; code: string; error: string }[]
  expect(frames.at(-1)).toMatchObject({ phase: 'failed', code: 'MODEL_DAMAGED' })
  const state = await stateOf(here, 'face-detection')
  expect([state.status, state.error]).toEqual(['error', frames.at(-1)!.error])
  here.source.answers(() => false)
  const again = (await here.post('admin/features/face-detection/install')).json
  expect(((await framesOf(here, again.jobId)) as object[]).at(-1)).toMatchObject({ phase: 'complete' })
  expect(await stateOf(here, 'face-detection')).toMatchObject({ status: 'installed', error: null })
})

test('imports an archive, refuses other files, and a reset removes everything', async () => {
  const { post, get, server, admin, source } = here
  const { jobId } = (await post('admin/features/face-detection/install', { tier: 'light' })).json
  await framesOf(here, jobId)
  const archive = join(source.store, '..', 'faces.tar.gz')
  const what = { bundle: 'face-detection', tier: 'light' as const, models: ['faces'] }
  await exportArchive(what, archive, source.store, new AbortController().signal)
  expect((await post('admin/features/reset')).json).toEqual({ ok: true })
  expect((await get('admin/features/disk-usage')).json).toEqual({ totalBytes: 0, bundles: {} })
  const sendArchive = (bytes: Buffer, headers = {}) =>
    send(server, '/api/v1/admin/features/import', [['file', { name: 'x.tar.gz', bytes }]], admin, headers)
  const bytes = readFileSync(archive)
  const cut = await sendArchive(bytes.subarray(0, 5000))
  expect([cut.status, cut.json.code]).toEqual([400, 'INVALID_FILE'])
  expect((await stateOf(here, 'face-detection')).status).toBe('not_installed')
  const imported = await sendArchive(bytes)
  expect([imported.status, imported.json]).toEqual([200, { bundleId: 'face-detection', version: expect.any(String) }])
  expect((await stateOf(here, 'face-detection')).status).toBe('installed')
  expect((await send(server, '/api/v1/admin/features/import', [], admin)).json.code).toBe('NO_FILE')
  // A repeat with the same Idempotency-Key does not install what was removed meanwhile.
  const key = { 'idempotency-key': 'import-1' }
  expect((await sendArchive(bytes, key)).json).toEqual(imported.json)
  await post('admin/features/reset')
  const again = await sendArchive(bytes, key)
  expect([again.json, again.headers.get('idempotency-replayed')]).toEqual([imported.json, 'true'])
  expect((await stateOf(here, 'face-detection')).status).toBe('not_installed')
})

test('a tool without its bundle reports it before it runs, and in the list of tools', async () => {
  const { get, post, server, admin } = here
  const isAvailable = async () =>
    (await get('tools')).json.tools.find(({ id }: { id: string }) => id === 'blur-faces').available
  expect(await isAvailable()).toBe(false)
  const picture = ['file', { name: 'a.png', bytes: await plain(8, 8, '#204060').png().toBuffer() }] as const
  const refused = await send(server, '/api/v1/tools/image/blur-faces', [picture], admin)
  expect([refused.status, refused.json]).toEqual([
    501,
    {
      ...{ error: 'Feature not installed', code: 'FEATURE_NOT_INSTALLED', details: expect.any(String) },
      ...{ feature: 'face-detection', featureName: 'face-detection', estimatedSize: '130.0 kB' },
      ...{ missingBundles: ['face-detection'], requestId: refused.headers.get('x-request-id') },
    },
  ])
  expect((await get('jobs')).json.jobs.filter(({ toolId }: { toolId: string }) => toolId === 'blur-faces')).toEqual([])
  const { jobId } = (await post('admin/features/face-detection/install', { tier: 'light' })).json
  await framesOf(here, jobId)
  expect(await isAvailable()).toBe(true)
})

test('only users who manage features install and see installs; offline, no user does', async () => {
  const user = await makeUser(here.server, here.admin, 'ulla')
  for (const path of ['face-detection/install', 'face-detection/uninstall', 'reset', 'import'])
    expect([path, (await here.post(`admin/features/${path}`, undefined, user)).status]).toEqual([path, 403])
  const { jobId } = (await here.post('admin/features/face-detection/install')).json
  expect(await framesOf(here, jobId, user)).toBe(404)
  await framesOf(here, jobId)
  expect((await here.get('features', user)).json.bundles.length).toBe(2)
  const offline = await serveHere({ environment: { MODEL_OFFLINE: 'true' } })
  const refused = await call(offline, 'POST', '/api/v1/admin/features/face-detection/install', {
    token: await signIn(offline),
  })
  expect([refused.status, refused.json.code]).toEqual([422, 'OFFLINE'])
})
