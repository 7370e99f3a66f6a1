/** The typed settings and events of the OpenAPI document compared with those of the server. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { expiredFrame, frameOf } from '../../src/server/jobs/frames.ts'
import { checkRequestSettings } from '../../src/server/jobs/settings-field.ts'
import { sentSettings } from '../../src/tool/from-job.ts'
import { catalogue } from '../../src/tool/registry.ts'
import type { Setting } from '../../src/tool/settings.ts'
import { listen, rawCall } from '../helpers/http.ts'
import { type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { resize, smallPicture } from '../helpers/server-jobs.ts'

let server: Served
let token: string
// biome-ignore lint/suspicious/noExplicitAny: the whole of OpenAPI is more than this looks at
let document: any
const ajv = new Ajv2020({ strict: false, validateFormats: false })

beforeAll(async () => {
  server = await serveHere()
  token = await signIn(server)
  document = parse((await rawCall(server, { path: '/api/v1/openapi.yaml' })).text)
  ajv.addSchema(document, 'api')
})

/** Validation errors of a value by a component of the document. */
function faultsOf(component: string, value: unknown): unknown {
  const validate = ajv.getSchema(`api#/components/schemas/${component}`)
  if (!validate) throw new Error(`${component} is not in the document`)
  return validate(value) ? [] : validate.errors
}

/** The component that a route's form names. */
function componentOf(path: string): string {
  const { schema, encoding } = document.paths[path].post.requestBody.content['multipart/form-data']
  expect(encoding).toEqual({ settings: { contentType: 'application/json' } })
  return schema.properties.settings.$ref.replace('#/components/schemas/', '')
}

const isRefused = (settings: Record<string, Setting>, name: string, value: unknown): boolean => {
  try {
    checkRequestSettings({ settings: { [name]: { ...settings[name]!, required: false } } }, { [name]: value })
    return false
  } catch {
    return true
  }
}

/** A value that is out of a row's range, if it has one. */
function outside({ type, max, min, enum: words, otherwise }: Setting): unknown {
  if (type === 'boolean') return 'neither'
  if (type === 'enum' && otherwise === undefined) return `not-${words?.[0]}`
  if (type !== 'integer' && type !== 'number') return undefined
  return max !== undefined ? max + 1 : min !== undefined ? min - 1 : 'x'
}

describe('settings', () => {
  test('every tool and action has a component that its form names, with valid examples', () => {
    expect(componentOf('/api/v1/tools/image/resize')).toBe('ImageResizeSettings')
    const names = new Set<string>()
    for (const entry of catalogue()) {
      const path = `/api/v1/tools/${entry.section}/${entry.id}`
      const own = componentOf(path)
      names.add(own)
      if (entry.batch) expect(componentOf(`${path}/batch`)).toBe(own)
      for (const { id } of entry.actions) names.add(componentOf(`${path}/${id}`))
      for (const { settings = {} } of entry.examples) {
        const required = Object.keys(entry.settings).filter((name) => entry.settings[name]!.required)
        if (required.every((name) => name in settings)) expect([path, faultsOf(own, settings)]).toEqual([path, []])
      }
    }
    const tables = catalogue().flatMap(({ actions }) => [1, ...actions])
    expect(names.size).toBe(tables.length)
  })

  test('the components refuse what the server refuses, setting by setting, and accept its defaults', () => {
    let refused = 0
    for (const entry of catalogue())
      for (const [path, settings] of [
        [`/api/v1/tools/${entry.section}/${entry.id}`, entry.settings] as const,
        ...entry.actions.map(
          (action) => [`/api/v1/tools/${entry.section}/${entry.id}/${action.id}`, sentSettings(action)] as const,
        ),
      ]) {
        const { properties = {} } = document.components.schemas[componentOf(path)]
        expect([path, Object.keys(properties)]).toEqual([path, Object.keys(settings)])
        for (const [name, row] of Object.entries(settings)) {
          const component = `${componentOf(path)}/properties/${name}`
          if (row.default !== undefined)
            expect([path, name, faultsOf(component, row.default)]).toEqual([path, name, []])
          const value = outside(row)
          if (value === undefined) continue
          refused += 1
          expect([path, name, isRefused(settings, name, value)]).toEqual([path, name, true])
          expect([path, name, faultsOf(component, value)]).not.toEqual([path, name, []])
        }
      }
    expect(refused).toBeGreaterThan(500)
  })

  test.each([
    ['text', { 'content-disposition': 'form-data; name="settings"' }],
    ['JSON', { 'content-disposition': 'form-data; name="settings"', 'content-type': 'application/json' }],
    [
      'a JSON Blob',
      { 'content-disposition': 'form-data; name="settings"; filename="blob"', 'content-type': 'application/json' },
    ],
  ])('may be sent as %s', async (_what, headers) => {
    const { bytes } = await smallPicture()
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `--x\r\n${lines.join('')}\r\n{"width":8}\r\n`
    const file =
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n'
    const answer = await fetch(`${server.base}/api/v1/tools/image/resize`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=x' },
      body: Buffer.concat([Buffer.from(head + file), bytes, Buffer.from('\r\n--x--\r\n')]),
    })
    const json = (await answer.json()) as { downloadUrl: string }
    expect([answer.status, json]).toMatchObject([200, { downloadUrl: expect.any(String) }])
    const made = await fetch(server.base + json.downloadUrl, { headers: { authorization: `Bearer ${token}` } })
    expect(Buffer.from(await made.arrayBuffer()).readUInt32BE(16)).toBe(8)
  })
})

describe('events', () => {
  test('of successful and failed jobs and of batches match their description', async () => {
    const early = await listen(server, token, 'early')
    await resize(server, token, { clientJobId: 'early' })
    const broken = { name: 'broken.png', bytes: (await smallPicture()).bytes.subarray(0, 60) }
    await send(
      server,
      '/api/v1/tools/image/resize',
      [
        ['file', broken],
        ['settings', '{"width":8}'],
        ['clientJobId', 'bad'],
      ],
      token,
    )
    const files = [['file', await smallPicture()] as const, ['file', broken] as const]
    await send(
      server,
      '/api/v1/tools/image/resize/batch',
      [...files, ['settings', '{"width":8}'], ['clientJobId', 'many']],
      token,
    )
    const streams = [early, await listen(server, token, 'bad'), await listen(server, token, 'many')]
    await Promise.all(streams.map(({ ended }) => ended))
    const frames = streams.flatMap((stream) => stream.frames)
    for (const frame of frames) expect([frame, faultsOf('JobEvent', frame)]).toEqual([frame, []])
    const ends = streams.map((stream) => stream.frames.at(-1)).map(({ type, phase, status }) => [type, phase ?? status])
    expect(ends).toEqual([
      ['single', 'complete'],
      ['single', 'failed'],
      ['batch', 'completed'],
    ])
    expect(faultsOf('JobEvent', { type: 'heartbeat' })).toEqual([])
    for (const wrong of [{ type: 'other' }, { ...frames.at(-1), totalFiles: 'x' }, { ...frames[0], phase: 'waiting' }])
      expect(faultsOf('JobEvent', wrong)).not.toEqual([])
  })

  test.each(['single', 'batch', 'pipeline', 'install'])(
    'of a %s job in every state match their description',
    (type) => {
      const error = { message: 'It failed', code: 'PROCESSING_FAILED', status: 422, details: 'why', fields: {} }
      const members = [{ index: 0, filename: 'a.png', state: 'failed', error }]
      const record = (parts: object) =>
        ({ id: 'a', type, members, percent: 5, stage: 'a.png', error: null, result: null, ...parts }) as never
      const frames = [
        frameOf(record({ status: 'queued' })),
        frameOf(record({ status: 'processing' })),
        frameOf(record({ status: 'completed', result: { jobId: 'a' } })),
        frameOf(record({ status: 'completed' })),
        frameOf(record({ status: 'failed', error })),
        frameOf(record({ status: 'canceled', error: { ...error, code: 'CANCELED' } })),
        expiredFrame(record({ status: 'completed', result: { jobId: 'a' } })),
      ]
      for (const frame of frames) expect([frame, faultsOf('JobEvent', frame)]).toEqual([frame, []])
    },
  )
})
