import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filePart, formHead, openRaw, parseAnswer } from '../helpers/machine.ts'
import { type Answer, call, type Part, send, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize, smallPicture } from '../helpers/server-jobs.ts'

const RESIZE = '/api/v1/tools/image/resize'
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('oversized and malformed requests', () => {
  let server: TestServer
  let token: string
  let file: readonly [string, Part]

  beforeAll(async () => {
    server = await startServer({ environment: { MAX_BATCH_SIZE: '5' } })
    token = await signIn(server)
    file = ['file', await smallPicture()]
  })

  afterAll(async () => {
    // None of these was an internal error of the server, and it still works.
    expect(server.log()).not.toContain('an unexpected error')
    expect((await resize(server, token)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  const refused = ({ status, json }: Answer) => [status, json.code]

  test.each<[string, string, () => (readonly [string, Part])[], string]>([
    [
      '10,000 fields',
      RESIZE,
      () => [file, ...many(10_000, (index) => [`f${index}`, 'v'] as const)],
      'INVALID_MULTIPART',
    ],
    [
      '10,001 files',
      '/api/v1/upload',
      () => many(10_001, () => ['file', { name: 'a', bytes: Buffer.from('a') }] as const),
      'TOO_MANY_FILES',
    ],
    ['3000 files for a tool that takes one', RESIZE, () => many(3000, () => file), 'TOO_MANY_FILES'],
    ['6 files in a batch of at most 5', `${RESIZE}/batch`, () => many(6, () => file), 'TOO_MANY_FILES'],
    ['a field of 2 MB', RESIZE, () => [file, ['settings', 'x'.repeat(2_000_000)]], 'INVALID_MULTIPART'],
    ['settings of 64 KiB and one byte', RESIZE, () => [file, ['settings', '{}'.padEnd(65_537)]], 'INVALID_SETTINGS'],
    ['settings nested deeply', RESIZE, () => [file, ['settings', `{"width":${nested(30_000)}}`]], 'INVALID_SETTINGS'],
    [
      'a pipeline nested deeply',
      '/api/v1/pipeline/execute',
      () => [file, ['pipeline', `{"steps":${nested(100_000)}}`]],
      'INVALID_PIPELINE',
    ],
    [
      'a pipeline of 40,000 steps',
      '/api/v1/pipeline/execute',
      () => [file, ['pipeline', JSON.stringify({ steps: many(40_000, () => ({ toolId: 'resize' })) })]],
      'INVALID_PIPELINE',
    ],
    ['a field named __proto__', RESIZE, () => [file, ['__proto__', '{"width":1}']], 'INVALID_MULTIPART'],
    ['a field named constructor', RESIZE, () => [file, ['constructor', 'x']], 'INVALID_MULTIPART'],
    ['a file in a field named __proto__', RESIZE, () => [['__proto__', file[1]]], 'INVALID_MULTIPART'],
  ])('%s', async (_what, path, parts, code) => {
    expect(refused(await send(server, path, parts(), token))).toEqual([400, code])
  })

  test('accepts settings of exactly 64 KiB and of few levels', async () => {
    const settings = JSON.stringify({ width: 20, x: JSON.parse(nested(50)) }).padEnd(65_536)
    expect((await send(server, RESIZE, [file, ['settings', settings]], token)).status).toBe(200)
  })

  test('accepts more than a thousand files if the operator set no limit', async () => {
    const files = many(1200, () => ['file', { name: 'a.txt', bytes: Buffer.from('a') }] as const)
    const { status, json } = await send(server, '/api/v1/upload', files, token)
    expect([status, json.files.length, json.files[1199].name]).toEqual([200, 1200, 'a_1199.txt'])
  })

  test('settings with __proto__ change nothing', async () => {
    const settings = '{"width":20,"__proto__":{"height":3},"constructor":{"prototype":{"height":3}}}'
    const made = await send(server, RESIZE, [file, ['settings', settings]], token)
    const { bytes } = await call(server, 'GET', made.json.downloadUrl, { token })
    // Width and height of a PNG.
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([20, 15])
    expect(made.headers.get('x-ignored-settings')).toBe('__proto__, constructor')
  })

  test('the last value of a repeated field counts', async () => {
    const twice = [file, ['settings', '{"width":10}'], ['settings', '{"width":20}']] as const
    const made = await send(server, RESIZE, twice, token)
    const { bytes } = await call(server, 'GET', made.json.downloadUrl, { token })
    expect(bytes.readUInt32BE(16)).toBe(20)
  })

  /** Sends raw bytes and returns the response, while the client keeps its side open. */
  async function raw(text: string) {
    const { socket, ended } = await openRaw(server, text)
    const answer = parseAnswer(await ended)
    socket.destroy()
    return [answer.status, answer.json.code]
  }

  const close = 'connection: close'
  const form = (body: string, length = Buffer.byteLength(body)): string =>
    formHead(RESIZE, token, [`content-length: ${length}`, close]) + body
  const part = `${filePart('a.png')}abc`

  test.each([
    ['no end of the form', () => form(part), [400, 'INVALID_MULTIPART']],
    ['an end within the boundary', () => form(`${part}\r\n--ed`), [400, 'INVALID_MULTIPART']],
    ['an end within the head of a part', () => form('--edge\r\ncontent-dispo'), [400, 'INVALID_MULTIPART']],
    ['another boundary', () => form(part.replaceAll('--edge', '--other')), [400, 'INVALID_MULTIPART']],
    ['an empty form', () => form(''), [400, 'INVALID_MULTIPART']],
    ['no part', () => form('--edge--\r\n'), [400, 'NO_FILE']],
    ['no boundary', () => form(part).replace('; boundary=edge', ''), [400, 'INVALID_MULTIPART']],
    [
      'a boundary of 5000 characters',
      () => form(part).replace('=edge', `=${'b'.repeat(5000)}`),
      [400, 'INVALID_MULTIPART'],
    ],
    ['headers of 100 KB', () => form(part).replace(close, `x-a: ${'a'.repeat(100_000)}`), [431, 'VALIDATION_ERROR']],
    [
      'an address of 100 KB',
      () => `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: test\r\n\r\n`,
      [431, 'VALIDATION_ERROR'],
    ],
    [
      '2000 headers',
      () => form(part).replace(close, many(2000, (index) => `x${index}: yyyyyyyy`).join('\r\n')),
      [431, 'VALIDATION_ERROR'],
    ],
    ['a length and chunks', () => form(part).replace(close, 'transfer-encoding: chunked'), [400, 'VALIDATION_ERROR']],
    ['no HTTP', () => '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', [400, 'VALIDATION_ERROR']],
    ['a header that is none', () => 'GET /api/v1/health HTTP/1.1\r\nhost test\r\n\r\n', [400, 'VALIDATION_ERROR']],
  ])('%s', async (_what, text, expected) => {
    expect(await raw(text())).toEqual(expected)
  })

  const deep = nested(200_000)
  test.each([
    ['PUT', '/api/v1/settings', `{"a":${deep}}`],
    ['PUT', '/api/v1/preferences', `{"a":${deep}}`],
    ['POST', '/api/v1/pipeline/save', `{"name":"x","steps":[{"toolId":"resize","settings":{"width":${deep}}}]}`],
    ['POST', '/api/v1/tools/image/qr-generate', `{"text":${deep}}`],
    ['PUT', '/api/v1/preferences', '{"__proto__":{"admin":true}}'],
    ['PUT', '/api/v1/preferences', '{"a":{"constructor":{"prototype":{"admin":true}}}}'],
    ['PUT', '/api/v1/preferences', '{"a":'],
  ])('%s %s with an invalid body', async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(server.base + path, { method, headers, body })
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: 'MALFORMED_JSON' })])
    expect((await call(server, 'GET', '/api/v1/preferences', { token })).json).toEqual({ preferences: {} })
  })
})
