import { writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryPath } from '../helpers/av.ts'
import { plain } from '../helpers/picture.ts'
import { readZip } from '../helpers/raw-zip.ts'
import { type Answer, call, type Part, type Served, send, signIn, startServer } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { sendEndless, statusOf, untilStatus } from '../helpers/server-jobs.ts'

type Parts = (readonly [string, Part])[]

let server: Served
let token: string
const pictures: Buffer[] = []

const WIDTH = ['settings', '{"width":10}'] as const
const file = (name: string, bytes: Uint8Array = pictures[0]!) => ['files', { name, bytes }] as const
const text = (name: string, value: string) => [name, value] as const
const post = (parts: Parts, tool = 'image/resize', at = server, by = token) =>
  send(at, `/api/v1/tools/${tool}/batch`, parts, by)
const decoded = ({ headers }: Answer, name: string) => JSON.parse(decodeURIComponent(headers.get(name) ?? 'null'))
const entriesOf = ({ bytes }: Answer) => {
  const path = temporaryPath('batch.zip')
  writeFileSync(path, bytes)
  return readZip(path)
}

beforeAll(async () => {
  server = await serveHere()
  token = await signIn(server)
  for (const colour of ['#ff0000', '#00ff00', '#0000ff']) pictures.push(await plain(40, 30, colour).png().toBuffer())
})

describe('the archive', () => {
  test('has every file under its output name; headers map them to inputs', async () => {
    const answer = await post([
      file('red.png'),
      file('green.png', pictures[1]),
      WIDTH,
      text('clientJobId', 'two-files'),
    ])
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...{ 'content-type': 'application/zip', 'content-length': String(answer.bytes.length), 'x-job-id': 'two-files' },
      'content-disposition': 'attachment; filename="batch-resize-two-file.zip"',
    })
    expect(decoded(answer, 'x-file-results')).toEqual({ 0: 'red_resize.png', 1: 'green_resize.png' })
    expect(decoded(answer, 'x-file-errors')).toBe(null)
    const entries = await entriesOf(answer)
    expect(entries.map(({ name }) => name)).toEqual(['red_resize.png', 'green_resize.png'])
    for (const [index, { data }] of entries.entries()) {
      const { dominant } = await sharp(data).stats()
      expect([dominant.r > 200, dominant.g > 200, (await sharp(data).metadata()).width]).toEqual([
        index === 0,
        index === 1,
        10,
      ])
    }
  })

  test('equals the finished download', async () => {
    const answer = await post([file('a.png'), file('b.png'), WIDTH])
    const job = await statusOf(server, token, answer.headers.get('x-job-id')!)
    expect(job).toMatchObject({ type: 'batch', toolId: 'resize', status: 'completed' })
    expect(job.result.fileResults).toEqual(decoded(answer, 'x-file-results'))
    const download = await call(server, 'GET', job.result.downloadUrl, { token })
    expect(download.bytes.equals(answer.bytes)).toBe(true)
  })

  test('numbers equal names in upload order, before the extension, ignoring case', async () => {
    const answer = await post([file('a.png'), file('a.png', pictures[1]), file('A.PNG', pictures[2]), WIDTH])
    expect(decoded(answer, 'x-file-results')).toEqual({ 0: 'a_resize.png', 1: 'a_resize_1.png', 2: 'A_resize_2.png' })
    const colours = await Promise.all(
      (await entriesOf(answer)).map(async ({ data }) => (await sharp(data).stats()).dominant),
    )
    expect(colours.map(({ r, g, b }) => [r > 200, g > 200, b > 200])).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ])
  })

  test('reports the notes of each file; once if all are the same', async () => {
    const compress = text('settings', '{"mode":"targetSize","targetSizeKb":5}')
    const one = decoded(await post([file('a.png'), compress], 'image/compress'), 'x-file-notes')
    expect(Object.keys(one)).toEqual(['0'])
    const same = decoded(await post([file('a.png'), file('b.png'), compress], 'image/compress'), 'x-file-notes')
    expect(same).toEqual({ '*': one['0'] })
  })
})

describe('failing files', () => {
  test('do not stop the others: a header names them, and empty ones keep their position', async () => {
    const bad = Buffer.from('no picture at all')
    const parts = [file('empty.png', Buffer.alloc(0)), file('good.png'), file('bad ü.png', bad), WIDTH]
    const answer = await post(parts)
    expect([answer.status, decoded(answer, 'x-file-results')]).toEqual([200, { 1: 'good_resize.png' }])
    expect(decoded(answer, 'x-file-errors')).toEqual([
      expect.objectContaining({ index: 0, filename: 'empty.png', code: 'EMPTY_FILE', error: expect.any(String) }),
      expect.objectContaining({ index: 2, filename: 'bad ü.png', code: 'INVALID_FILE', error: expect.any(String) }),
    ])
    expect(await entriesOf(answer)).toHaveLength(1)
  })

  test('all of them: 422 with the list', async () => {
    const bad = Buffer.from('no picture at all')
    const { status, json } = await post([file('a.png', bad), file('b.png', bad), WIDTH])
    expect([status, json]).toEqual([
      422,
      {
        error: 'All files failed processing',
        code: 'PROCESSING_FAILED',
        errors: ['a.png', 'b.png'].map((filename) => ({
          ...{ filename, code: 'INVALID_FILE' },
          error: expect.stringContaining(`${filename} is plain text`),
        })),
      },
    ])
  })

  test('all of them for the same missing engine: returns that error', async () => {
    const other = await startServer({ environment: { PATH: '/nowhere' } })
    const own = await signIn(other)
    const parts = [file('a.png'), file('b.png'), text('settings', '{"title":"x"}')]
    const { status, json } = await post(parts, 'image/edit-metadata', other, own)
    expect([status, json]).toMatchObject([501, { code: 'ENGINE_UNAVAILABLE', engine: 'exiftool' }])
    expect(json.error).toBe(json.errors[0].error)
    expect(json.errors).toHaveLength(2)
  })

  test('too many for the headers: the response stays readable', async () => {
    const good = Array.from({ length: 150 }, (_, index) => file(`${'ü'.repeat(40)}${index}.png`))
    const bad = Array.from({ length: 150 }, (_, index) => file(`${'ä'.repeat(40)}${index}.png`, Buffer.from('x')))
    const answer = await post([...bad, ...good, WIDTH])
    expect(answer.status).toBe(200)
    const errors = decoded(answer, 'x-file-errors')
    expect(errors.length).toBeGreaterThan(5)
    expect(errors.length).toBeLessThan(150)
    expect(answer.headers.get('x-file-errors')!.length).toBeLessThanOrEqual(8192)
    expect(answer.headers.get('x-file-results')).toBe(null)
    const { result } = await statusOf(server, token, answer.headers.get('x-job-id')!)
    expect(Object.keys(result.fileResults)).toHaveLength(150)
  })
})

describe('a refused batch', () => {
  test('without files, with invalid settings, for tools that take one file only in another way', async () => {
    const codes = [
      await post([WIDTH]),
      await post([file('a.png'), text('settings', '{"width":"x"}')]),
      await post([file('a.png'), text('settings', '{')]),
      await post([file('a.png'), text('clientJobId', '1')]),
      await post([file('a.pdf')], 'pdf/merge-pdf'),
      await post([file('a.png')], 'image/no-such-tool'),
    ].map(({ status, json }) => `${status} ${json.code}`)
    expect(codes).toEqual([
      ...['400 NO_FILE', '400 INVALID_SETTINGS', '400 INVALID_SETTINGS', '400 INVALID_CLIENT_JOB_ID'],
      ...['404 NOT_FOUND', '404 NOT_FOUND'],
    ])
  })

  test('with more files than MAX_BATCH_SIZE, and for a used id', async () => {
    const small = await serveHere({ environment: { MAX_BATCH_SIZE: '2' } })
    const own = await signIn(small)
    const used = text('clientJobId', 'used')
    const three = await post([file('a.png'), file('b.png'), file('c.png'), WIDTH], 'image/resize', small, own)
    expect([three.status, three.json.code]).toEqual([400, 'TOO_MANY_FILES'])
    expect(three.json.error).toBe('At most 2 files are taken in one request')
    expect((await post([file('a.png'), file('b.png'), WIDTH, used], 'image/resize', small, own)).status).toBe(200)
    const again = await post([file('a.png'), WIDTH, used], 'image/resize', small, own)
    expect([again.status, again.json.code]).toEqual([409, 'CONFLICT'])
  })
})

test('canceled before any result: 422 with an empty list', async () => {
  const narrow = await serveHere({ environment: { CONCURRENT_JOBS: '1' } })
  const own = await signIn(narrow)
  const stop = (id: string) => call(narrow, 'POST', `/api/v1/jobs/${id}/cancel`, { token: own })
  const before = sendEndless(narrow, own, 'in-the-way')
  await untilStatus(narrow, own, 'in-the-way', 'processing')
  const parts = [file('a.png'), file('b.png'), WIDTH, text('clientJobId', 'never')]
  const waiting = post(parts, 'image/resize', narrow, own)
  await untilStatus(narrow, own, 'never', 'queued')
  expect((await stop('never')).json).toEqual({ canceled: true })
  const { status, json } = await waiting
  expect([status, json]).toEqual([422, { error: 'Batch canceled', code: 'CANCELED', canceled: true, errors: [] }])
  expect((await statusOf(narrow, own, 'never')).status).toBe('canceled')
  await stop('in-the-way')
  await before
})

test('a part for another kind of file is refused and not processed as a picture', async () => {
  for (const [tool, part] of [
    ['image/upscale', 'modelFile'],
    ['image/adjust-colors', 'lut'],
  ] as const) {
    const answer = await post([file('red.png'), [part, { name: 'other.png', bytes: pictures[1]! }]], tool)
    expect(answer.status).toBe(400)
    expect(answer.json.code).toBe('INVALID_SETTINGS')
    expect(JSON.stringify(answer.json.details)).toContain(`A batch of ${tool} takes no part ${part}: `)
  }
})
