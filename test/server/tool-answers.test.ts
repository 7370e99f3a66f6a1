import { readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeVideo, temporaryPath } from '../helpers/av.ts'
import { makePdf, pageTexts } from '../helpers/pdf.ts'
import { plain } from '../helpers/picture.ts'
import { readZip } from '../helpers/raw-zip.ts'
import { type Answer, call, type Part, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { statusOf, untilStatus } from '../helpers/server-jobs.ts'

let server: Served
let token: string
let red: Buffer

const picture = (name: string, bytes = red): Part => ({ name, bytes })
const run = (tool: string, parts: Parameters<typeof send>[2]) => send(server, `/api/v1/tools/${tool}`, parts, token)
const settings = (values: object) => ['settings', JSON.stringify(values)] as const
const fetched = async (url: string): Promise<Answer> => call(server, 'GET', url, { token })
const entriesOf = (bytes: Buffer) => {
  const path = temporaryPath('answer.zip')
  writeFileSync(path, bytes)
  return readZip(path)
}

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)

beforeAll(async () => {
  server = await serveHere()
  token = await signIn(server)
  red = await plain(40, 30, '#ff0000').png().toBuffer()
})

describe('a file', () => {
  test('has its sizes, and can be downloaded', async () => {
    const { status, json } = await run('image/resize', [['file', picture('red.png')], settings({ width: 20 })])
    const { bytes } = await fetched(json.downloadUrl)
    expect([status, json]).toEqual([
      200,
      {
        jobId: UUID,
        downloadUrl: `/api/v1/download/${json.jobId}/red_resize.png`,
        originalSize: red.length,
        processedSize: bytes.length,
      },
    ])
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 20, height: 15 })
  })

  test('of a preset, by the old path, and with any field name', async () => {
    const preset = await run('image/png-to-webp', [['files', picture('red.png')]])
    expect(preset.json.downloadUrl).toMatch(/\/red\.webp$/)
    expect((await sharp((await fetched(preset.json.downloadUrl)).bytes).metadata()).format).toBe('webp')
    const old = await run('resize', [['whatever', picture('red.png')], settings({ width: 8 })])
    expect((await sharp((await fetched(old.json.downloadUrl)).bytes).metadata()).width).toBe(8)
  })

  test('from JSON, without an input file', async () => {
    const path = '/api/v1/tools/image/qr-generate'
    const { status, json } = await call(server, 'POST', path, { token, body: { text: 'hello', size: 200 } })
    expect([status, json.originalSize]).toEqual([200, 0])
    expect((await sharp((await fetched(json.downloadUrl)).bytes).metadata()).width).toBe(200)
    const form = await run('image/qr-generate', [settings({ text: 'hello', size: 200 }), ['logo', picture('logo.png')]])
    const { data, info } = await sharp((await fetched(form.json.downloadUrl)).bytes)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const middle = (100 * info.width + 100) * info.channels
    expect([...data.subarray(middle, middle + 3)]).toEqual([255, 0, 0])
  })
})

describe('reports', () => {
  test('without a file, of a tool and of an action', async () => {
    const { json } = await run('image/color-palette', [['file', picture('red.png')]])
    expect(json).toEqual({ jobId: UUID, filename: 'red.png', colors: ['#ff0000'], hex: ['#ff0000'], count: 1 })
    const action = await run('image/strip-metadata/inspect', [['file', picture('red.png')]])
    expect(action.json).toEqual({ jobId: UUID, filename: 'red.png', fileSize: red.length })
  })

  test('with a file', async () => {
    const { json } = await run('image/histogram', [['file', picture('red.png')]])
    expect(json).toMatchObject({ originalSize: red.length, downloadUrl: expect.stringMatching(/red_histogram\.png$/) })
    expect(json.bins.r[255]).toBe(1200)
    expect((await fetched(json.downloadUrl)).bytes.length).toBe(json.processedSize)
  })

  test('with addresses of single files in their own fields', async () => {
    const bytes = await makePdf({ pages: 2 })
    const file = ['file', { name: 'two.pdf', bytes }] as const
    const { json } = await run('pdf/pdf-to-image', [file, settings({ dpi: 36, format: 'png' })])
    expect(json.pages.map(({ page }: { page: number }) => page)).toEqual([1, 2])
    for (const { downloadUrl } of json.pages) {
      expect(downloadUrl).toContain(`/api/v1/download/${json.jobId}/`)
      expect((await sharp((await fetched(downloadUrl)).bytes).metadata()).format).toBe('png')
    }
    const zip = await fetched(json.zipUrl)
    expect(zip.bytes.length).toBe(json.zipSize)
    expect((await entriesOf(zip.bytes)).map(({ name }) => name)).toHaveLength(2)
  })
})

describe('sets of files', () => {
  test('are one ZIP with a name', async () => {
    const file = ['file', { name: 'three.pdf', bytes: await makePdf({ pages: 3 }) }] as const
    const { json } = await run('pdf/split-pdf', [file, settings({ mode: 'every', everyN: 1 })])
    expect(json.downloadUrl).toMatch(/\/three[^/]*\.zip$/)
    expect(json).not.toHaveProperty('downloads')
    const entries = await entriesOf((await fetched(json.downloadUrl)).bytes)
    expect(entries).toHaveLength(3)
    for (const { name, data } of entries) {
      expect(name).toMatch(/^part-\d\.pdf$/)
      expect(await pageTexts(data)).toHaveLength(1)
    }
  })

  test('are the response itself if the tool says so, with metadata in headers', async () => {
    const { status, headers, bytes } = await run('image/favicon', [['file', picture('red.png')]])
    expect([status, headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(headers.get('x-job-id')).toEqual(UUID)
    expect(headers.get('x-original-size')).toBe(String(red.length))
    expect(headers.get('x-processed-size')).toBe(String(bytes.length))
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="favicons-[0-9a-f]{8}\.zip"/)
    expect((await entriesOf(bytes)).map(({ name }) => name)).toContain('favicon.ico')
    const again = await fetched(`/api/v1/download/${headers.get('x-job-id')}/${headers.get('x-output-filename')}`)
    expect(again.bytes.equals(bytes)).toBe(true)
  })
})

describe('named secondary files', () => {
  test('are matched by field name, or by order without one', async () => {
    const blue = await plain(10, 10, '#0000ff').png().toBuffer()
    const place = settings({ opacity: 100, position: 'center', scale: 25 })
    const orders = [
      [['file', picture('red.png')] as const, ['watermark', picture('blue.png', blue)] as const],
      [['watermark', picture('blue.png', blue)] as const, ['file', picture('red.png')] as const],
      [['file', picture('red.png')] as const, ['file', picture('blue.png', blue)] as const],
      [['files', picture('red.png')] as const, ['other', picture('blue.png', blue)] as const],
    ]
    for (const order of orders) {
      const { json } = await run('image/watermark-image', [place, ...order])
      expect(json.downloadUrl).toMatch(/\/red_[^/]*\.png$/)
      const { data, info } = await sharp((await fetched(json.downloadUrl)).bytes)
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      const middle = (15 * info.width + 20) * info.channels
      expect([...data.subarray(0, 3), ...data.subarray(middle, middle + 3)]).toEqual([255, 0, 0, 0, 0, 255])
    }
  })
})

describe('work that exceeds the request timeout', () => {
  test('long tools return 202 immediately; the status has the result', async () => {
    const file = ['file', { name: 'video.mp4', bytes: readFileSync(await makeVideo({ seconds: 1 })) }] as const
    const { status, json } = await run('video/convert-video', [file, settings({ format: 'webm' })])
    expect([status, json]).toEqual([202, { jobId: UUID, async: true }])
    const job = await untilStatus(server, token, json.jobId, 'completed', 'failed')
    expect(job.result.downloadUrl).toMatch(/\/video\.webm$/)
    expect((await fetched(job.result.downloadUrl)).headers.get('content-type')).toBe('video/webm')
  })

  test("the client's id is that of the job; addresses use the server's id", async () => {
    const file = ['file', { name: 'video.mp4', bytes: readFileSync(await makeVideo({ seconds: 1 })) }] as const
    const own = ['clientJobId', 'my-video.1'] as const
    const { status, json } = await run('video/convert-video', [own, file, settings({ format: 'webm' })])
    expect([status, json]).toEqual([
      202,
      { jobId: 'my-video.1', async: true, progressJobId: 'my-video.1', artifactJobId: UUID },
    ])
    const { result } = await untilStatus(server, token, 'my-video.1', 'completed', 'failed')
    expect(result.downloadUrl).toBe(`/api/v1/download/${json.artifactJobId}/video.webm`)
    expect(await statusOf(server, token, json.artifactJobId)).toMatchObject({
      jobId: 'my-video.1',
      status: 'completed',
    })
  })

  test('SYNC_WAIT_MS=0: every tool returns 202', async () => {
    const hasty = await serveHere({ environment: { SYNC_WAIT_MS: '0' } })
    const own = await signIn(hasty)
    const parts = [['file', picture('red.png')] as const, settings({ width: 20 })]
    const { status, json } = await send(hasty, '/api/v1/tools/image/resize', parts, own)
    expect([status, json]).toEqual([202, { jobId: UUID, async: true }])
    const job = await untilStatus(hasty, own, json.jobId, 'completed', 'failed')
    expect(job.result).toEqual({
      ...{ jobId: json.jobId, downloadUrl: expect.stringMatching(/red_resize\.png$/) },
      ...{ originalSize: red.length, processedSize: expect.any(Number) },
    })
  })
})
