import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { plain } from '../helpers/picture.ts'
import { call, makeUser, type Part, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string
let user: string
let png: Buffer

const file = (name = 'a.png', bytes: Uint8Array = png) => ['file', { name, bytes }] as const
const text = (name: string, value: string) => [name, value] as const
const upload = (parts: (readonly [string, Part])[], token = user, at = server) =>
  send(at, '/api/v1/files/upload', parts, token)
const one = async (...parts: (readonly [string, Part])[]) => (await upload(parts)).json.files[0]
const item = async (id: string, token = user) => (await call(server, 'GET', `/api/v1/files/${id}`, { token })).json
const bytesOf = (id: string, what = 'download', token = user) =>
  call(server, 'GET', `/api/v1/files/${id}/${what}`, { token })
const list = async (query = '', token = user) => (await call(server, 'GET', `/api/v1/files${query}`, { token })).json

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  user = await makeUser(server, admin, 'lara')
  png = await plain(400, 300, '#ff0000').png().toBuffer()
})

describe('uploads', () => {
  test('become items, in order, with their properties', async () => {
    const { status, json } = await upload([
      text('toolId', 'resize'),
      file('a.png'),
      file('b.txt', Buffer.from('hello')),
    ])
    const common = { version: 1, parentId: null, toolChain: ['resize'], createdAt: expect.stringMatching(/Z$/) }
    expect([status, json.files]).toEqual([
      201,
      [
        {
          ...{ ...common, id: expect.any(String), originalName: 'a.png', mimeType: 'image/png' },
          ...{ size: png.length, width: 400, height: 300 },
        },
        {
          ...{ ...common, id: expect.any(String), originalName: 'b.txt', mimeType: 'text/plain' },
          ...{ size: 5, width: null, height: null },
        },
      ],
    ])
    const { bytes, headers } = await bytesOf(json.files[0].id)
    expect(bytes.equals(png)).toBe(true)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="a.png"; filename*=UTF-8''a.png`)
  })

  test('without a file, or over a limit, are refused completely', async () => {
    expect((await upload([text('toolId', 'x')])).json.code).toBe('NO_FILE')
    expect((await upload([file('a.png', Buffer.alloc(0))])).json.code).toBe('NO_FILE')
    const small = await serveHere({ environment: { MAX_STORAGE_PER_USER_MB: '0.002', MAX_UPLOAD_SIZE_MB: '0.1' } })
    const owner = await signIn(small)
    const put = async (...sizes: number[]) =>
      (
        await upload(
          sizes.map((size, index) => file(`${index}.bin`, Buffer.alloc(size, 1))),
          owner,
          small,
        )
      ).json
    expect((await put(1000, 1001)).code).toBe('QUOTA_EXCEEDED')
    expect((await put(100_001)).code).toBe('FILE_TOO_LARGE')
    expect((await put(1000, 1000)).files).toHaveLength(2)
    expect((await put(1)).code).toBe('QUOTA_EXCEEDED')
    const { total } = (await call(small, 'GET', '/api/v1/files', { token: owner })).json
    expect(total).toBe(2)
  })

  test('with active content are served as plain bytes', async () => {
    const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const handler = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    const harmless = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="4" height="4"/></svg>'
    for (const [name, content, type] of [
      ['page.html', '<html><script>alert(1)</script></html>', 'application/octet-stream'],
      ['page.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'application/octet-stream'],
      ['data.xml', '<?xml version="1.0"?><a/>', 'application/octet-stream'],
      ['script.svg', script, 'application/octet-stream'],
      ['handler.svg', handler, 'application/octet-stream'],
      ['harmless.svg', harmless, 'image/svg+xml'],
    ] as const) {
      const { id, mimeType } = await one(file(name, Buffer.from(content)))
      const { headers, bytes } = await bytesOf(id)
      expect([name, mimeType, headers.get('content-type')]).toEqual([name, type, type])
      expect(headers.get('content-disposition')).toMatch(/^attachment/)
      expect(bytes.toString()).toBe(content)
    }
  })
})

describe('the list', () => {
  test('has own items, newest first, by name and in pages; with files:all those of all users', async () => {
    const own = await makeUser(server, admin, 'mark')
    for (const name of ['Sea.png', 'forest.png', 'sea-2.png']) await upload([file(name)], own)
    const names = async (query: string) =>
      (await list(query, own)).files.map((one: { originalName: string }) => one.originalName)
    expect(await names('')).toEqual(['sea-2.png', 'forest.png', 'Sea.png'])
    expect(await names('?search=SEA')).toEqual(['sea-2.png', 'Sea.png'])
    expect(await list('?limit=1&offset=1', own)).toMatchObject({ total: 3, limit: 1, offset: 1 })
    expect(await names('?limit=1&offset=1')).toEqual(['forest.png'])
    expect((await list('?search=forest', admin)).total).toBe(1)
    for (const query of ['?limit=0', '?limit=201', '?offset=-1'])
      expect([query, (await list(query, own)).code]).toEqual([query, 'VALIDATION_ERROR'])
  })
})

describe('versions', () => {
  const resize = (fields: Record<string, string>) =>
    send(
      server,
      '/api/v1/tools/image/resize',
      [file(), text('settings', '{"width":40}'), ...Object.entries(fields)],
      user,
    )

  test('a result becomes the next one, by fileId or by save-result; the list has the last', async () => {
    const first = await one(file('photo.png'))
    const { savedFileId } = (await resize({ fileId: first.id })).json
    const jpeg = await sharp(png).jpeg().toBuffer()
    const parts = [file('made.jpg', jpeg), text('parentId', savedFileId), text('toolId', 'convert')]
    const saved = await send(server, '/api/v1/files/save-result', parts, user)
    expect([saved.status, saved.json.file]).toMatchObject([
      201,
      { originalName: 'photo.jpg', version: 3, parentId: savedFileId, toolChain: ['resize', 'convert'] },
    ])
    const { file: last, versions } = await item(saved.json.file.id)
    expect(last).toEqual(saved.json.file)
    expect(
      versions.map(({ version, originalName, width }: Record<string, unknown>) => [version, originalName, width]),
    ).toEqual([
      [1, 'photo.png', 400],
      [2, 'photo.png', 40],
      [3, 'photo.jpg', 400],
    ])
    expect((await item(first.id)).versions).toEqual(versions)
    expect((await list('?search=photo')).files).toEqual([saved.json.file])
    expect((await bytesOf(first.id)).bytes.equals(png)).toBe(true)
  })

  test('saveMode=overwrite: the item keeps its id and version, its bytes are replaced', async () => {
    const before = await one(file('over.png'))
    const { savedFileId } = (await resize({ fileId: before.id, saveMode: 'overwrite' })).json
    expect(savedFileId).toBe(before.id)
    const { file: after, versions } = await item(before.id)
    expect(after).toMatchObject({ version: 1, parentId: null, width: 40, height: 30, toolChain: ['resize'] })
    expect(versions).toHaveLength(1)
    expect((await sharp((await bytesOf(before.id)).bytes).metadata()).width).toBe(40)
  })

  test('items of other users have none', async () => {
    const mine = await one(file('mine.png'))
    const stranger = await makeUser(server, admin, 'nora')
    const settings = text('settings', '{"width":4}')
    const run = await send(server, '/api/v1/tools/image/resize', [file(), text('fileId', mine.id), settings], stranger)
    const save = await send(server, '/api/v1/files/save-result', [file(), text('parentId', mine.id)], stranger)
    expect([run.status, save.status]).toEqual([404, 404])
    for (const what of ['download', 'thumbnail', 'preview'])
      expect((await bytesOf(mine.id, what, stranger)).status).toBe(404)
    expect((await item(mine.id, stranger)).code).toBe('NOT_FOUND')
    const body = { ids: [mine.id] }
    expect((await call(server, 'DELETE', '/api/v1/files', { token: stranger, body })).json).toEqual({ deleted: 0 })
    expect((await item(mine.id, admin)).file.id).toBe(mine.id)
    expect((await send(server, '/api/v1/files/save-result', [file()], user)).json.code).toBe('VALIDATION_ERROR')
  })

  test('are all removed when one of them is deleted', async () => {
    const first = await one(file('chain.png'))
    const { savedFileId } = (await resize({ fileId: first.id })).json
    const other = await one(file('other.png'))
    const remove = (ids: string[]) => call(server, 'DELETE', '/api/v1/files', { token: user, body: { ids } })
    expect((await remove([first.id, 'unknown'])).json).toEqual({ deleted: 2 })
    for (const id of [first.id, savedFileId]) expect((await bytesOf(id)).status).toBe(404)
    expect((await bytesOf(other.id)).status).toBe(200)
    expect((await remove([])).json.code).toBe('VALIDATION_ERROR')
  })
})
