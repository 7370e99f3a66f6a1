/** Tools whose settings decide whether models are needed refuse before a job is queued, as tools that always need them do. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { replaceModel } from '../../src/models/store/installed.ts'
import { makePdf } from '../helpers/pdf.ts'
import { plain } from '../helpers/picture.ts'
import { type Answer, call, type Part, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const PNG: { name: string; bytes: Uint8Array } = { name: 'a.png', bytes: new Uint8Array() }
const PDF: { name: string; bytes: Uint8Array } = { name: 'a.pdf', bytes: new Uint8Array() }

let server: Served & { stop(): Promise<void> }
let admin: string
beforeAll(async () => {
  PNG.bytes = await plain(32, 32, '#ffffff').png().toBuffer()
  PDF.bytes = await makePdf()
  server = await serveHere({ environment: { MEDIAPROC_MODELS: join(folder, 'empty') } })
  admin = await signIn(server)
})
afterEach(() => vi.unstubAllEnvs())

const post = (path: string, settings: object, file: Part = PNG, field = 'file'): Promise<Answer> =>
  send(
    server,
    `/api/v1/${path}`,
    [
      [field, file],
      ['settings', JSON.stringify(settings)],
    ],
    admin,
  )

const jobs = async (): Promise<unknown[]> => (await call(server, 'GET', '/api/v1/jobs', { token: admin })).json.jobs

/** A program with Tesseract's command line and these languages. */
function tesseractWith(languages: readonly string[]): string {
  const path = join(folder, `tesseract-${languages.join('-')}`)
  const lines = ['List of available languages in "/nowhere/" (1):', ...languages].join('\\n')
  writeFileSync(
    path,
    `#!/bin/sh\ncase "$*" in\n*--version*) echo "tesseract 5.9.0" ;;\n*--list-langs*) printf '${lines}\\n' ;;\nesac\n`,
  )
  chmodSync(path, 0o755)
  return path
}

const REFUSED = { code: 'FEATURE_NOT_INSTALLED', error: 'Feature not installed' }

test.each([
  ['tools/image/ocr', {}, 'ocr'],
  ['tools/image/ocr', { quality: 'best' }, 'ocr'],
  ['tools/image/ocr', { engine: 'paddleocr', language: 'ko' }, 'ocr'],
  ['tools/image/ocr/batch', {}, 'ocr'],
  ['tools/pdf/ocr-pdf', {}, 'ocr'],
  ['tools/pdf/ocr-pdf/batch', { quality: 'balanced' }, 'ocr'],
  ['tools/image/noise-removal', { tier: 'quality' }, 'upscale-enhance'],
])('%s with %j returns 501 and leaves no job', async (path, settings, feature) => {
  vi.stubEnv('MEDIAPROC_TESSERACT', tesseractWith(['eng']))
  const before = await jobs()
  const file = path.includes('pdf') ? PDF : PNG
  const { status, json } = await post(path, settings, file, path.endsWith('batch') ? 'files' : 'file')
  expect([status, json]).toMatchObject([501, { ...REFUSED, feature, missingBundles: [feature] }])
  expect(await jobs()).toEqual(before)
})

test('returns 501 for a pipeline with such a step', async () => {
  const steps = [{ toolId: 'noise-removal', settings: { tier: 'maximum' } }]
  const pipeline = (list: object[]): Promise<Answer> =>
    send(
      server,
      '/api/v1/pipeline/execute',
      [
        ['file', PNG],
        ['pipeline', JSON.stringify({ steps: list })],
      ],
      admin,
    )
  const { status, json } = await pipeline([{ toolId: 'resize', settings: { width: 16 } }, ...steps])
  expect([status, json]).toMatchObject([501, { ...REFUSED, feature: 'upscale-enhance' }])
  expect((await pipeline([{ toolId: 'noise-removal', settings: { tier: 'quick' } }])).status).toBe(200)
})

test("another tool's part of the bundle is not enough", async () => {
  const store = join(folder, 'enlargers')
  const other = await serveHere({ environment: { MEDIAPROC_MODELS: store } })
  const token = await signIn(other)
  // As after `models install image/upscale`.
  const bundle = { tier: 'standard', models: ['realesr-general-x4v3'], version: '0.1.0', installedAt: '2026-01-01' }
  mkdirSync(store)
  writeFileSync(
    join(store, 'installed.json'),
    JSON.stringify({ format: 1, bundles: { 'upscale-enhance': bundle }, single: [], folders: {} }),
  )
  replaceModel('realesr-general-x4v3', new Map())
  onTestFinished(() => replaceModel('realesr-general-x4v3', undefined))
  const { status, json } = await send(other, '/api/v1/tools/image/enhance-faces', [['file', PNG]], token)
  expect([status, json]).toMatchObject([501, { ...REFUSED, missingBundles: ['upscale-enhance'] }])
  const { tools } = (await call(other, 'GET', '/api/v1/tools', { token })).json
  expect(tools.find(({ id }: { id: string }) => id === 'enhance-faces').available).toBe(false)
})

test('accepts settings that need no model; quality fast if Tesseract has the language', async () => {
  vi.stubEnv('MEDIAPROC_TESSERACT', tesseractWith(['eng']))
  for (const settings of [{ quality: 'fast' }, { engine: 'tesseract' }, { quality: 'fast', language: 'en' }])
    expect([settings, (await post('tools/image/ocr', settings)).status]).toEqual([settings, 202])
  expect((await post('tools/pdf/ocr-pdf', { quality: 'fast' }, PDF)).status).toBe(202)
  expect((await post('tools/image/noise-removal', { tier: 'quick' })).status).toBe(202)
  const korean = await post('tools/image/ocr', { quality: 'fast', language: 'ko' })
  expect([korean.status, korean.json.details]).toEqual([501, expect.stringContaining('kor')])
  vi.stubEnv('MEDIAPROC_TESSERACT', '')
  vi.stubEnv('PATH', folder)
  const without = await post('tools/image/ocr', { quality: 'fast' })
  expect([without.status, without.json]).toMatchObject([501, REFUSED])
})
