import { beforeAll, expect, test } from 'vitest'
import { call, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { smallPicture } from '../helpers/server-jobs.ts'

let server: Served
let token: string

beforeAll(async () => {
  server = await serveHere()
  token = await signIn(server)
})

const settings = (values: object) => ['settings', JSON.stringify(values)] as const
const file = async (name = 'small.png') => ['file', { ...(await smallPicture()), name }] as const

test('a batch can omit the section of its tool, as a single request can', async () => {
  const parts = [await file(), settings({ width: 8 })]
  const { status, headers } = await send(server, '/api/v1/tools/resize/batch', parts, token)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/zip'])
})

test('a tool with a JSON body also accepts its settings in a form', async () => {
  const path = '/api/v1/tools/image/barcode-generate'
  const body = { text: 'mediaproc' }
  const { status, json } = await send(server, path, [settings(body)], token)
  expect([status, json]).toMatchObject([200, { downloadUrl: expect.stringMatching(/\.png$/) }])
  const asJson = await call(server, 'POST', path, { token, body })
  const fetched = async (url: string) => (await call(server, 'GET', url, { token })).bytes
  expect((await fetched(json.downloadUrl)).equals(await fetched(asJson.json.downloadUrl))).toBe(true)
  expect((await send(server, path, [settings({ text: '' })], token)).json.code).toBe('INVALID_SETTINGS')
})

test.each([
  ['split', { columns: 2, rows: 1 }],
  ['favicon', {}],
  ['bulk-rename', {}],
])('answers %s with an address if a client accepts only JSON', async (tool, values) => {
  const [, part] = await file()
  const ask = async (accept: string) => {
    const form = new FormData()
    form.append('file', new Blob([part.bytes]), part.name)
    form.append('settings', JSON.stringify(values))
    const headers = { authorization: `Bearer ${token}`, accept }
    return fetch(`${server.base}/api/v1/tools/image/${tool}`, { method: 'POST', headers, body: form })
  }
  const answer = await ask('application/json')
  const { downloadUrl } = (await answer.json()) as { downloadUrl: string }
  const made = await call(server, 'GET', downloadUrl, { token })
  expect([answer.status, made.headers.get('content-type')]).toEqual([200, 'application/zip'])
  for (const accept of ['*/*', 'application/json, text/plain, */*', 'application/zip'])
    expect([accept, (await ask(accept)).headers.get('content-type')]).toEqual([accept, 'application/zip'])
})

test('clamps pages of the audit log', async () => {
  const ask = async (query: string) => (await call(server, 'GET', `/api/v1/audit-log?${query}`, { token })).json
  expect(await ask('page=0&limit=0')).toMatchObject({ page: 1, limit: 1 })
  expect(await ask('page=-5&limit=-1')).toMatchObject({ page: 1, limit: 1 })
  expect(await ask('page=2&limit=5000')).toMatchObject({ page: 2, limit: 100 })
  expect((await ask('page=x')).code).toBe('VALIDATION_ERROR')
})

test('reports fused steps next to their common size', async () => {
  const steps = [
    { toolId: 'resize', settings: { width: 20 } },
    { toolId: 'rotate', settings: { angle: 90 } },
  ]
  const parts = [await file(), ['pipeline', JSON.stringify({ steps })] as const]
  const { json } = await send(server, '/api/v1/pipeline/execute', parts, token)
  const size = json.processedSize
  expect(json.steps).toEqual([
    { step: 1, toolId: 'resize', size, fused: 2 },
    { step: 2, toolId: 'rotate', size, fused: 2 },
  ])
})
