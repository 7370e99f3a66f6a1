/** What the server sends for the web console, and the routes that its forms are made from. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { consoleTypes } from '../../src/generate/console/types.ts'
import { consolePage, readAsset } from '../../src/server/http/built-console.ts'
import { catalogue } from '../../src/tool/registry.ts'
import { rawCall } from '../helpers/http.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

let server: ServerHere
let admin: string

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
})

const get = async (path: string, headers: Record<string, string> = {}) => rawCall(server, { path, headers })

describe('the document', () => {
  test('names its files relative to its own address, for proxies that put the server below a path', async () => {
    const bases = { '/': './', '/login': './', '/jobs': './', '/account': './', '/tools/image/resize': '../../' }
    for (const [path, base] of Object.entries(bases)) {
      const { status, text } = await get(path)
      expect([path, status, /<base href="([^"]+)">/.exec(text)?.[1]]).toEqual([path, 200, base])
    }
    expect((await get('/elsewhere')).status).toBe(404)
  })

  test('is asked for each time, and sent again only when it has changed', async () => {
    const { headers } = await get('/')
    expect(headers['cache-control']).toBe('no-cache')
    for (const known of [`${headers.etag}`, `"other", W/${headers.etag}`, '*'])
      expect([known, (await get('/', { 'if-none-match': known })).status]).toEqual([known, 304])
    expect((await get('/', { 'if-none-match': `"x${headers.etag}` })).status).toBe(200)
    const failed = await get('/login?error=oidc_auth_failed', { 'if-none-match': String(headers.etag) })
    expect([failed.status, failed.headers.etag === headers.etag]).toEqual([200, false])
  })

  test('is read once, and a file that could not be read is tried again', async () => {
    expect(await consolePage('./')).toBe(await consolePage('./'))
    expect(await consolePage('./', 'Sign-in failed.')).not.toBe(await consolePage('./'))
    const first = readAsset('none.js')
    await expect(first).rejects.toThrow('ENOENT')
    const second = readAsset('none.js')
    await expect(second).rejects.toThrow('ENOENT')
    expect(second).not.toBe(first)
  })

  test('its files are compressed for those who accept it, and their names change with their contents', async () => {
    const [, script] = /src="\.\/(assets\/[^"]+)"/.exec((await get('/')).text)!
    const plain = await fetch(new URL(`/${script}`, server.base), { headers: { 'accept-encoding': 'gzip, br;q=0' } })
    const bytes = Buffer.from(await plain.arrayBuffer())
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding'])
    const packed = await rawCall(server, { path: `/${script}`, headers: { 'accept-encoding': 'gzip, deflate, br' } })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(Number(packed.headers['content-length'])).toBeLessThan(bytes.length / 2)
    const whole = readFileSync(new URL(`../../dist/web/${script}.br`, import.meta.url))
    expect(brotliDecompressSync(whole)).toEqual(bytes)
    expect((await get('/assets/none.js')).status).toBe(404)
  })

  test('CONSOLE=false leaves only the API', async () => {
    const bare = await serveHere({ environment: { CONSOLE: 'false' } })
    for (const path of ['/', '/login', '/tools/image/resize', '/jobs'])
      expect((await rawCall(bare, { path })).status).toBe(404)
    expect((await rawCall(bare, { path: '/api/v1/health' })).status).toBe(200)
    await bare.stop()
  })
})

describe('GET /api/v1/tools/{section}/{toolId}', () => {
  const form = async (name: string, token = admin) => call(server, 'GET', `/api/v1/tools/${name}`, { token })

  test('has every row of every tool and preset, in order, with a label', async () => {
    for (const { section, id, settings, input } of catalogue()) {
      const { status, json } = await form(`${section}/${id}`)
      expect([id, status]).toEqual([id, 200])
      expect([id, json.settings.map(({ name }: { name: string }) => name)]).toEqual([id, Object.keys(settings)])
      expect(json.settings.every(({ label }: { label: string }) => /^\S/.test(label))).toBe(true)
      expect(json.inputs).toMatchObject({ accept: input.accept, minFiles: input.min, maxFiles: input.max })
      expect(json.inputs.files.map(({ name }: { name: string }) => name)).toEqual(Object.keys(input.secondary ?? {}))
    }
  })

  test('says type, range, unit and condition, and nothing of the command line', async () => {
    const { json } = await form('image/resize')
    expect(json).toMatchObject({ id: 'resize', label: 'Resize', batch: true, available: true, direct: true })
    const rows = Object.fromEntries(json.settings.map((row: { name: string }) => [row.name, row]))
    expect(rows.width).toEqual({
      ...{ name: 'width', type: 'integer', label: 'Width', help: 'width of the result' },
      ...{ min: 1, max: 16383, unit: 'px', example: 800 },
    })
    expect(rows.focusX).toMatchObject({ group: 'Focal point', default: 50 })
    const { settings } = (await form('image/beautify')).json
    const stops = settings.find(({ name }: { name: string }) => name === 'gradientStops')
    expect(stops.when).toEqual({ backgroundType: ['linear-gradient', 'radial-gradient'] })
    expect(stops.items.fields.map(({ label }: { label: string }) => label)).toEqual(['Color', 'Position'])
  })

  test('is not there for unknown, disabled and forbidden tools, nor without a credential', async () => {
    for (const name of ['image/none', 'video/resize', 'none/resize']) expect((await form(name)).status).toBe(404)
    expect((await rawCall(server, { path: '/api/v1/tools/image/resize' })).status).toBe(401)
    const body = {
      ...{ name: 'listener', permissions: ['tools:use'] },
      toolPermissions: { mode: 'category', allowed: ['audio'] },
    }
    await call(server, 'POST', '/api/v1/roles', { token: admin, body })
    const user = await makeUser(server, admin, 'lena', 'listener')
    expect([(await form('image/resize', user)).status, (await form('audio/trim-audio', user)).status]).toEqual([
      404, 200,
    ])
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { disabledTools: '["resize"]' } })
    expect((await form('image/resize')).status).toBe(404)
    await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { disabledTools: '[]' } })
  })
})

test('the list of tools is searched by words and synonyms, best first', async () => {
  const search = async (words: string) =>
    (await call(server, 'GET', `/api/v1/tools?search=${encodeURIComponent(words)}`, { token: admin })).json.tools
  const [first] = await search('combine pdf')
  expect(first).toMatchObject({ id: 'merge-pdf', label: 'Merge PDF' })
  expect(await search('zzzz')).toEqual([])
  const { tools, groups } = (await call(server, 'GET', '/api/v1/tools', { token: admin })).json
  expect([tools.length, (await search('')).length]).toEqual([catalogue().length, catalogue().length])
  expect(groups).toMatchObject({
    image: expect.arrayContaining(['jpg', 'heic']),
    jpg: expect.arrayContaining(['jpeg']),
  })
  expect((await call(server, 'GET', `/api/v1/tools?search=${'x'.repeat(300)}`, { token: admin })).status).toBe(400)
})

test('the types of the console are those of the API', async () => {
  const document = parse((await rawCall(server, { path: '/api/v1/openapi.yaml' })).text)
  const own = (text: string): string => text.replace(/\s+|[|;]/g, '')
  const kept = readFileSync(new URL('../../web/src/api/types.ts', import.meta.url), 'utf8')
  // The formatter wraps lines; `npm run generate:console` writes the file.
  expect(own(kept)).toBe(own(consoleTypes(document)))
})
