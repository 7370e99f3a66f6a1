import { beforeAll, describe, expect, test } from 'vitest'
import { rawCall } from '../helpers/http.ts'
import { makeEncryptedPdf } from '../helpers/pdf.ts'
import { plain } from '../helpers/picture.ts'
import { call, makeUser, type Part, type Served, send, signIn, startServer } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

type Parts = (readonly [string, Part])[]

let server: Served
let token: string
let png: Buffer

const file = (name = 'a.png', bytes: Uint8Array = png, field = 'file') => [field, { name, bytes }] as const
const text = (name: string, value: string) => [name, value] as const
const run = async (tool: string, parts: Parts, at = server, by = token) => {
  const { status, json, headers } = await send(at, `/api/v1/tools/${tool}`, parts, by)
  return { status, json, code: `${status} ${json.code ?? ''}`.trim(), headers }
}
const resize = (...parts: Parts) => run('image/resize', parts)
const codeOf = async (...parts: Parts) => (await resize(...parts)).code

beforeAll(async () => {
  server = await serveHere({ environment: { MAX_UPLOAD_SIZE_MB: '1' } })
  token = await signIn(server)
  png = await plain(40, 30, '#ff0000').png().toBuffer()
})

describe('the form', () => {
  const post = (body: string, type: string) =>
    rawCall(server, {
      method: 'POST',
      path: '/api/v1/tools/image/resize',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body,
    })
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nxyz'

  test.each([
    ['is JSON', '{}', 'application/json'],
    ['is text', 'hello', 'text/plain'],
    ['is the form of a page without files', 'a=b', 'application/x-www-form-urlencoded'],
    ['has no boundary', 'hello', 'multipart/form-data'],
    ['ends too early', part, 'multipart/form-data; boundary=b'],
    ['ends within a header', '--b\r\nContent-Dispo', 'multipart/form-data; boundary=b'],
  ])('refuses %s', async (_what, body, type) => {
    const { status, text: answer } = await post(body, type)
    expect([status, JSON.parse(answer).code]).toEqual([400, 'INVALID_MULTIPART'])
  })

  test('has at most 100 text fields of 1 MiB each; ignores unknown ones', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => text(`field${index}`, 'x'))
    expect(await codeOf(file(), text('settings', '{"width":9}'), ...many(99))).toBe('200')
    expect(await codeOf(file(), text('settings', '{"width":9}'), ...many(100))).toBe('400 INVALID_MULTIPART')
    expect(await codeOf(file(), text('note', 'x'.repeat(2 ** 20 + 1)))).toBe('400 INVALID_MULTIPART')
  })

  test('names the limit for a file over MAX_UPLOAD_SIZE_MB', async () => {
    const { code, json } = await resize(file('large.png', Buffer.alloc(1_000_001)))
    expect(code).toBe('413 FILE_TOO_LARGE')
    expect(json.error).toBe('large.png is larger than the limit of 1 MB')
    expect(await codeOf(file('just.png', Buffer.alloc(1_000_000, 1)))).toBe('400 INVALID_FILE')
  })
})

describe('the number of files', () => {
  test('none, an empty one, too many, too few', async () => {
    expect(await codeOf(text('settings', '{}'))).toBe('400 NO_FILE')
    expect(await codeOf(file('a.png', Buffer.alloc(0)))).toBe('400 NO_FILE')
    const two = await resize(file(), file('b.png'))
    expect([two.code, two.json.error]).toEqual(['400 TOO_MANY_FILES', 'At most one file is taken in one request'])
    expect((await run('pdf/merge-pdf', [file('a.pdf')])).code).toBe('400 TOO_FEW_FILES')
    const missing = await run('image/watermark-image', [file()])
    expect([missing.code, missing.json.error]).toEqual(['400 NO_FILE', expect.stringContaining('watermark')])
  })
})

describe('the fields', () => {
  test.each(['1', '123', '-a', '.a', 'a b', 'a/b', 'a..b', 'ä', 'a'.repeat(129), 'a\u0000'])(
    'clientJobId %j',
    async (id) => {
      expect(await codeOf(file(), text('clientJobId', id))).toBe('400 INVALID_CLIENT_JOB_ID')
    },
  )

  test.each(['a', '1a', 'a.b-c_d', 'a'.repeat(128)])('accepts clientJobId %j', async (id) => {
    expect(await codeOf(file(), text('clientJobId', id), text('settings', '{"width":5}'))).toBe('200')
  })

  test('saveMode and fileId', async () => {
    expect(await codeOf(file(), text('saveMode', 'both'))).toBe('400 INVALID_SAVE_MODE')
    expect(await codeOf(file(), text('fileId', 'unknown'))).toBe('404 NOT_FOUND')
  })
})

describe('settings', () => {
  const details = async (value: string, tool = 'image/resize') => {
    const { code, json } = await run(tool, [file(), text('settings', value)])
    expect([code, json.error]).toEqual(['400 INVALID_SETTINGS', 'Invalid settings'])
    return json.details
  }

  test('that are not a JSON object, or too long', async () => {
    expect(await details('{')).toBe('settings: not JSON')
    for (const value of ['[]', '5', 'null', '"x"']) expect(await details(value)).toBe('settings: not a JSON object')
    const long = JSON.stringify({ width: 5, note: 'x'.repeat(65_536) })
    expect(await details(long)).toBe('settings: longer than 65536 characters')
  })

  test('invalid ones are all named in one text', async () => {
    expect(await details('{"width":"wide","height":-1}')).toMatch(/^width: .+; height: .+/)
    expect(await details('{}')).toContain('width')
  })

  test('fixed by a preset are refused, its others accepted', async () => {
    expect(await details('{"format":"gif"}', 'image/png-to-jpg')).toBe('format: fixed by this preset')
    expect((await run('image/png-to-jpg', [file(), text('settings', '{"quality":50}')])).code).toBe('200')
  })

  test('unknown ones are ignored, and the response names them, in any spelling', async () => {
    const { code, headers } = await resize(file(), text('settings', '{"width":5,"größe":1,"a,b":2}'))
    expect([code, headers.get('x-ignored-settings')]).toEqual(['200', 'gr%C3%B6%C3%9Fe, a%2Cb'])
    const none = await resize(file(), text('settings', '{"width":5}'))
    expect(none.headers.get('x-ignored-settings')).toBe(null)
    expect(await codeOf(file(), text('settings', '{"width":5,"\\ud800":1}'))).toBe('200')
    const names = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${'ü'.repeat(90)}${index}`, 1]))
    const many = await resize(file(), text('settings', JSON.stringify({ width: 5, ...names })))
    expect(many.code).toBe('200')
    expect(many.headers.get('x-ignored-settings')!.split(', ')).toHaveLength(20)
  })
})

describe('the content', () => {
  const PDF = new TextEncoder().encode('%PDF-1.4 and nothing more')

  test('of pictures decides, not the name', async () => {
    const renamed = await run('image/resize', [file('a.txt'), text('settings', '{"width":5}')])
    expect(renamed.code).toBe('200')
    expect((await resize(file('a.png', new TextEncoder().encode('hello')))).code).toBe('400 INVALID_FILE')
    expect((await resize(file('a.png', png.subarray(0, 60)), text('settings', '{"width":5}'))).code).toBe(
      '400 INVALID_FILE',
    )
  })

  test('of documents requires the correct name first', async () => {
    expect((await run('pdf/split-pdf', [file('a.exe', PDF)])).code).toBe('415 UNSUPPORTED_FILE_TYPE')
    expect((await run('files/csv-json', [file('a.png')])).code).toBe('415 UNSUPPORTED_FILE_TYPE')
    expect((await run('pdf/split-pdf', [file('a.pdf')])).code).toBe('400 INVALID_FILE')
    const range = text('settings', '{"range":"1"}')
    expect((await run('pdf/split-pdf', [file('a.pdf', PDF), range])).code).toBe('400 INVALID_FILE')
  })

  test('with a password', async () => {
    const secret = await makeEncryptedPdf('secret', 'owner')
    const { code } = await run('pdf/split-pdf', [file('a.pdf', secret), text('settings', '{"range":"1"}')])
    expect(code).toBe('400 PASSWORD_PROTECTED')
  })
})

test('reports the first of several errors in the order of the contract', async () => {
  const wrong: Parts = [
    text('saveMode', 'both'),
    text('clientJobId', '1'),
    file('a.png', Buffer.from('x')),
    text('settings', '{'),
  ]
  const codes = [(await resize(...wrong, file('b.png'))).code]
  for (let left = [...wrong]; left.length > 0; left = left.slice(1)) codes.push((await resize(...left)).code)
  expect(codes).toEqual([
    '400 TOO_MANY_FILES',
    '400 INVALID_SAVE_MODE',
    '400 INVALID_CLIENT_JOB_ID',
    '400 INVALID_FILE',
    '400 NO_FILE',
  ])
})

test('without permission, with too many requests, and for disabled or missing tools', async () => {
  const other = await startServer({ environment: { PATH: '/nowhere' } })
  const admin = await signIn(other)
  const user = await makeUser(other, admin, 'walt')
  const put = (body: object) => call(other, 'PUT', '/api/v1/settings', { token: admin, body })
  const title: Parts = [file('a.png'), text('settings', '{"title":"x"}')]
  const { code, json } = await run('image/edit-metadata', title, other, user)
  expect([code, json.engine]).toEqual(['501 ENGINE_UNAVAILABLE', 'exiftool'])
  await put({ disabledTools: ['resize'] })
  for (const path of ['image/resize', 'resize', 'image/resize/batch'])
    expect((await run(path, [file()], other, user)).code).toBe('404 NOT_FOUND')
  await put({ disabledTools: [] })
  expect((await run('image/resize', [file(), text('settings', '{"width":5}')], other, user)).code).toBe('200')
})
