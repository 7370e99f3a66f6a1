import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entities, flatePdf, gifOf, pdfOf, pngOf, svgOf, uses } from '../helpers/bombs.ts'
import { HAS_PROC, memoryOf } from '../helpers/machine.ts'
import { rawZip } from '../helpers/raw-zip.ts'
import { call, send, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize } from '../helpers/server-jobs.ts'

/** Maximum growth of the server while it reads bombs, in bytes; each of them is larger. */
const LARGEST_GROWTH = 100_000_000

type Row = readonly [what: string, tool: string, name: string, make: () => Buffer, settings: object, codes: string[]]

const [tooMuch, damaged] = [['LIMIT_EXCEEDED'], ['INVALID_FILE']]
const ROWS: Row[] = [
  [
    'a ZIP of 1.5 GB of zeros',
    'files/extract-zip',
    'a.zip',
    () => rawZip(Array(30).fill({ name: 'zeros', data: Buffer.alloc(50_000_000) })),
    {},
    tooMuch,
  ],
  [
    'a ZIP that lies about its sizes',
    'files/extract-zip',
    'a.zip',
    () => rawZip([{ name: 'a', data: Buffer.alloc(50_000_000), size: 10 }]),
    {},
    damaged,
  ],
  ['a PNG of 60000 x 60000', 'image/resize', 'a.png', () => pngOf(60_000, 60_000), { width: 100 }, tooMuch],
  [
    'an SVG whose parts use one another',
    'image/svg-to-raster',
    'a.svg',
    () => svgOf(`<defs>${uses}</defs><use xlink:href="#a11"/>`),
    {},
    [...damaged, 'TIMEOUT'],
  ],
  [
    'an SVG of nested entities',
    'image/svg-to-raster',
    'a.svg',
    () => svgOf('<text>&e9;</text>', `<!DOCTYPE svg [<!ENTITY e0 "aaaaaaaaaa">${entities}]>`),
    {},
    damaged,
  ],
  [
    'an SVG with a foreign entity',
    'image/svg-to-raster',
    'a.svg',
    () => svgOf('<text>&x;</text>', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    {},
    damaged,
  ],
  [
    'an SVG of 100000 x 100000',
    'image/svg-to-raster',
    'a.svg',
    () => svgOf('<rect/>', '', 'width="100000" height="100000"'),
    {},
    tooMuch,
  ],
  [
    'an SVG of 200,000 levels',
    'image/svg-to-raster',
    'a.svg',
    () => svgOf('<g>'.repeat(200_000) + '</g>'.repeat(200_000)),
    {},
    damaged,
  ],
  [
    'a PDF with a million pages',
    'pdf/rotate-pdf',
    'a.pdf',
    () => pdfOf(`/Kids [${'3 0 R '.repeat(1_000_000)}] /Count 1000000`),
    { angle: 90 },
    [...damaged, ...tooMuch],
  ],
  [
    'a PDF that says it has two billion pages',
    'pdf/pdf-to-image',
    'a.pdf',
    () => pdfOf('/Kids [3 0 R] /Count 2000000000'),
    {},
    damaged,
  ],
  [
    'a PDF whose pages are their own parents',
    'pdf/compress-pdf',
    'a.pdf',
    () => pdfOf('/Kids [2 0 R 2 0 R] /Count 2'),
    {},
    damaged,
  ],
  [
    'a PDF page of 1 GB of zeros',
    'pdf/pdf-to-image',
    'a.pdf',
    flatePdf,
    {},
    ['TIMEOUT', 'PROCESSING_FAILED', ...damaged],
  ],
  ['a GIF of 50,000 frames', 'image/resize', 'a.gif', () => gifOf(50_000), { width: 10 }, tooMuch],
]

describe('small files that unpack to large ones', () => {
  let server: TestServer
  let token: string
  let before: number

  beforeAll(async () => {
    server = await startServer({
      environment: { JOB_TIMEOUT_FAST_S: '6', JOB_TIMEOUT_LONG_S: '6', MAX_JOB_MEMORY_MB: '1000' },
    })
    token = await signIn(server)
    await resize(server, token)
    if (HAS_PROC) before = memoryOf(server.process.pid!).now
  })

  afterAll(async () => {
    if (HAS_PROC) expect(memoryOf(server.process.pid!).now - before).toBeLessThan(LARGEST_GROWTH)
    expect(server.log()).not.toContain('an unexpected error')
    expect(await server.stop()).toBe(0)
  })

  test.each(ROWS)('%s', async (_what, tool, name, make, settings, codes) => {
    const form = [
      ['file', { name, bytes: make() }],
      ['settings', JSON.stringify(settings)],
    ] as const
    const { status, json } = await send(server, `/api/v1/tools/${tool}`, form, token)
    expect([status, json.code]).toEqual([
      expect.toSatisfy((one) => one === 400 || one === 422),
      expect.toSatisfy((one) => codes.includes(one)),
    ])
    expect((await resize(server, token)).status).toBe(200)
  })

  test('an SVG with references to files and addresses shows none of them', async () => {
    let asked = 0
    const other = createServer((_request, response) => {
      asked += 1
      response.end()
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const references = [
      'file:///etc/passwd',
      `file://${process.cwd()}/package.json`,
      `${address}/a.png`,
      `${address}/b.svg`,
    ]
    const images = references.flatMap((one) =>
      ['href', 'xlink:href'].map((key) => `<image width="50" height="50" ${key}="${one}"/>`),
    )
    const style = `<style>@import url("${address}/c.css"); rect { fill: url("${address}/d.svg#x") }</style>`
    const svg = svgOf(`${style}${images.join('')}<use xlink:href="${address}/e.svg#x"/>`)
    const file = ['file', { name: 'a.svg', bytes: svg }] as const
    const { json } = await send(server, '/api/v1/tools/image/svg-to-raster', [file], token)
    const { bytes } = await call(server, 'GET', json.downloadUrl, { token })
    const { channels } = await sharp(bytes).ensureAlpha().stats()
    expect(channels[3]!.max).toBe(0)
    const { id } = (await send(server, '/api/v1/files/upload', [file], token)).json.files[0]
    await call(server, 'GET', `/api/v1/files/${id}/thumbnail`, { token })
    expect(asked).toBe(0)
    other.close()
  })

  test('an SVG that is slow to search delays no other request', async () => {
    // The search for scripts must not restart at each of these.
    for (const text of ['<use '.repeat(1_500_000), `<use ${' href = '.repeat(1_000_000)}`]) {
      const kept = await send(server, '/api/v1/files/upload', [['file', { name: 'a.svg', bytes: svgOf(text) }]], token)
      expect([kept.status, kept.json.files[0].width]).toEqual([201, null])
    }
    const types = async (body: string) =>
      (await send(server, '/api/v1/files/upload', [['file', { name: 'a.svg', bytes: svgOf(body) }]], token)).json
        .files[0].mimeType
    expect(await types('<use href="#own"/><rect/>')).toBe('image/svg+xml')
    expect(await types('<use x="1" href = "data:image/svg+xml,..."/>')).toBe('application/octet-stream')
    expect(await types('<script>1</script>')).toBe('application/octet-stream')
  })

  test.each([
    ['a.png', () => pngOf(60_000, 60_000)],
    ['a.gif', () => gifOf(50_000)],
    ['a.pdf', () => pdfOf(`/Kids [${'3 0 R '.repeat(1_000_000)}] /Count 1000000`)],
    ['a.zip', () => rawZip([{ name: 'zeros', data: Buffer.alloc(50_000_000) }])],
  ])('in the library and as a preview: %s', async (name, make) => {
    const file = ['file', { name, bytes: make() }] as const
    const { status, json } = await send(server, '/api/v1/files/upload', [file], token)
    expect(status).toBe(201)
    const thumbnail = await call(server, 'GET', `/api/v1/files/${json.files[0].id}/thumbnail`, { token })
    const preview = await send(server, '/api/v1/preview', [file], token)
    for (const answer of [thumbnail, preview])
      expect(answer.status).toSatisfy((one) => one === 200 || one === 400 || one === 422)
  })
})
