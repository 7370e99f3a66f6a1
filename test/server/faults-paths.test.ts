import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesBelow, openRaw, parseAnswer } from '../helpers/machine.ts'
import { rawZip } from '../helpers/raw-zip.ts'
import { call, send, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize, smallPicture } from '../helpers/server-jobs.ts'

const NAMES = [
  '../../evil.txt',
  '..\\..\\evil.txt',
  '/etc/passwd',
  'C:\\Windows\\evil.txt',
  'a\0b.txt',
  'a\r\nb.txt',
  '..',
  '.',
  '...',
  '',
  'CON',
  'nul.txt',
  'job.json',
  'in-0',
  '__proto__',
  '%2e%2e%2fevil.txt',
  '\u202egnp.txt',
  `${'x'.repeat(5000)}.txt`,
  `${'ü'.repeat(300)}.txt`,
]

/** Percent-encoded as sent: fetch would normalise them. */
const IDS = [
  '..',
  '.',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fcanary.txt',
  '..%2f..%2fcanary.txt',
  '..%5c..%5ccanary.txt',
  '%2fetc%2fpasswd',
  '%00',
  'a%00b',
  '%E0%A4%A',
  '__proto__',
  'constructor',
  'CON',
  'job.json',
  'x'.repeat(900),
  'x'.repeat(5000),
]

const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/api/v1/download/ID/a.png'],
  ['GET', '/api/v1/download/JOB/ID'],
  ['GET', '/api/v1/jobs/ID'],
  ['POST', '/api/v1/jobs/ID/cancel'],
  ['GET', '/api/v1/files/ID'],
  ['GET', '/api/v1/files/ID/download'],
  ['GET', '/api/v1/files/ID/thumbnail'],
  ['GET', '/api/v1/files/ID/preview'],
  ['DELETE', '/api/v1/pipeline/ID'],
  ['DELETE', '/api/v1/api-keys/ID'],
  ['GET', '/api/v1/settings/ID'],
  ['POST', '/api/v1/tools/image/ID'],
]

describe('names that try to escape the data folder', () => {
  const outside = mkdtempSync(join(tmpdir(), 'mediaproc-outside-'))
  let server: TestServer
  let token: string

  beforeAll(async () => {
    writeFileSync(join(outside, 'canary.txt'), 'canary')
    server = await startServer({ data: join(outside, 'data') })
    token = await signIn(server)
  })

  afterAll(async () => {
    await server.stop()
    rmSync(outside, { recursive: true, force: true })
  })

  /** Nothing was written or changed except below the data folder, in paths that the server chose. */
  function expectNothingOutside(): void {
    const own =
      /^data\/(accounts\.json|reserve|jobs\.ndjson(\.tmp)?|journal\.ndjson|format\.json|idempotency-keys\.json|webhooks\.json|pipelines\.json|settings\.json|lock|audit\/|logs\/|(workspace|files)\/[0-9a-f-]{36}\/|workspace\/|files\/)/
    expect(filesBelow(outside).filter((path) => !own.test(path))).toEqual(['canary.txt'])
    expect(readFileSync(join(outside, 'canary.txt'), 'utf8')).toBe('canary')
  }

  test.each(NAMES.map((name) => [JSON.stringify(name).slice(0, 30), name]))(
    'of an upload: %s',
    async (_title, name) => {
      const bytes = Buffer.from(JSON.stringify(`content of ${name.length}`))
      // Raw bytes: FormData escapes line breaks and truncates nothing.
      const boundary = 'edge'
      const quoted = name.replaceAll('"', '%22')
      const part = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quoted}"\r\n\r\n`
      const body = Buffer.concat([Buffer.from(part), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
      const headers = { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${boundary}` }
      const response = await fetch(`${server.base}/api/v1/upload`, { method: 'POST', headers, body })
      const { jobId, files, code } = (await response.json()) as {
        jobId: string
        files: { name: string }[]
        code?: string
      }
      if (response.status !== 200) {
        // Such a header is not part of a form: the server received no name, or no file.
        expect([response.status, code]).toEqual([400, expect.stringMatching(/^(INVALID_MULTIPART|NO_FILE)$/)])
      } else {
        const kept = files[0]!.name
        expect(kept).not.toMatch(/[/\\\0-\x1f\u202a-\u202e]|\.\.|^\.?$/)
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(200)
        const got = await call(server, 'GET', `/api/v1/download/${jobId}/${encodeURIComponent(kept)}`, { token })
        expect([got.status, got.bytes]).toEqual([200, bytes])
      }
      expectNothingOutside()
    },
  )

  test('of the file of a job, in the library, of a batch and of an archive', async () => {
    const { bytes } = await smallPicture()
    const file = ['file', { name: '../../../evil.png', bytes }] as const
    const single = await send(server, '/api/v1/tools/image/resize', [file, ['settings', '{"width":9}']], token)
    expect(single.json.downloadUrl).toMatch(/\/evil_resize\.png$/)
    const kept = await send(server, '/api/v1/files/upload', [file], token)
    expect(kept.json.files[0].originalName).toBe('evil.png')
    const batch = await send(
      server,
      '/api/v1/tools/image/resize/batch',
      [file, file, ['settings', '{"width":9}']],
      token,
    )
    expect(JSON.parse(decodeURIComponent(batch.headers.get('x-file-results')!))).toEqual({
      0: 'evil_resize.png',
      1: 'evil_resize_1.png',
    })
    for (const name of ['../../evil', '/etc/evil', '..\\..\\evil', 'C:\\evil']) {
      const archive = ['file', { name: 'a.zip', bytes: rawZip([{ name, data: 'x' }]) }] as const
      const { status, json } = await send(server, '/api/v1/tools/files/extract-zip', [archive], token)
      expect([name, status, json.code]).toEqual([name, 400, 'INVALID_FILE'])
    }
    expectNothingOutside()
  })

  test.each(ROUTES)('as an id: %s %s', async (method, path) => {
    const { jobId } = (await resize(server, token)).json
    for (const id of IDS) {
      const address = path.replace('JOB', jobId).replace('ID', id)
      const head = `${method} ${address} HTTP/1.1\r\nhost: test\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n`
      const { ended } = await openRaw(server, `${head}content-length: 0\r\n\r\n`)
      const text = await ended
      const { status, json } = parseAnswer(text)
      expect([address, status, json.code]).toEqual([
        address,
        expect.toSatisfy((code) => code === 400 || code === 404),
        expect.stringMatching(/^(VALIDATION_ERROR|NOT_FOUND)$/),
      ])
      expect(text).toMatch(/^x-request-id: /im)
      expect(text).not.toMatch(/canary|root:|workspace\/|FST_/)
    }
    expectNothingOutside()
  })

  test('in the fields and bodies of requests', async () => {
    const { bytes } = await smallPicture()
    const file = ['file', { name: 'a.png', bytes }] as const
    const ids = ['..', '../../canary.txt', '..\\canary.txt', 'a\0b', '__proto__', 'constructor']
    for (const id of ids) {
      const version = await send(server, '/api/v1/files/save-result', [file, ['parentId', id]], token)
      expect([id, version.status, version.json.code]).toEqual([id, 404, 'NOT_FOUND'])
      const saved = await send(server, '/api/v1/tools/image/resize', [file, ['fileId', id]], token)
      expect([id, saved.status, saved.json.code]).toEqual([id, 404, 'NOT_FOUND'])
    }
    for (const id of ids.slice(0, 4)) {
      const chosen = await resize(server, token, { clientJobId: id })
      expect([id, chosen.status, chosen.json.code]).toEqual([id, 400, 'INVALID_CLIENT_JOB_ID'])
    }
    const removed = await call(server, 'DELETE', '/api/v1/files', { token, body: { ids } })
    expect([removed.status, removed.json]).toEqual([200, { deleted: 0 }])
    expectNothingOutside()
  })
})
