/** Order, names and quota of the library over HTTP. */
import { beforeAll, expect, test } from 'vitest'
import { call, makeUser, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let admin: string
let user: string

const text = (name: string, bytes: string) => ['file', { name, bytes: Buffer.from(bytes) }] as const

beforeAll(async () => {
  server = await serveHere({ environment: { MAX_STORAGE_PER_USER_MB: '1' } })
  admin = await signIn(server)
  user = await makeUser(server, admin, 'lena')
})

test('files are listed in the order asked for', async () => {
  await send(server, '/api/v1/files/upload', [text('b.txt', '12345'), text('C.txt', '1'), text('a.txt', '123')], user)
  const names = async (sort: string) => {
    const { json } = await call(server, 'GET', `/api/v1/files?sort=${sort}`, { token: user })
    return json.files?.map(({ originalName }: { originalName: string }) => originalName)
  }
  expect(await names('newest')).toEqual(['a.txt', 'C.txt', 'b.txt'])
  expect(await names('oldest')).toEqual(['b.txt', 'C.txt', 'a.txt'])
  expect(await names('name')).toEqual(['a.txt', 'b.txt', 'C.txt'])
  expect(await names('largest')).toEqual(['b.txt', 'a.txt', 'C.txt'])
  expect(await names('colour')).toBeUndefined()
  const { bytes } = await call(server, 'GET', '/api/v1/files/usage', { token: user })
  expect(JSON.parse(bytes.toString()).usedBytes).toBe(9)
  await send(server, '/api/v1/files/upload', [text('D.CSV', '1')], user)
  expect(await names('name&extensions=csv,png')).toEqual(['D.CSV'])
  expect(await names('name&extensions=%25')).toBeUndefined()
})

test('a file is renamed by its owner alone, and keeps its type, bytes and extension', async () => {
  const { json } = await send(server, '/api/v1/files/upload', [text('notes.txt', 'hello')], user)
  const [item] = json.files
  const path = `/api/v1/files/${item.id}`
  const rename = (name: string, token = user) => call(server, 'PATCH', path, { token, body: { name } })
  const other = await makeUser(server, admin, 'otto')
  expect((await rename('mine', other)).status).toBe(404)
  expect((await rename('../diary\u0000')).json).toEqual({ file: { ...item, originalName: 'diary.txt' } })
  expect((await rename('Diary.TXT')).json.file.originalName).toBe('Diary.TXT')
  expect((await rename('')).status).toBe(400)
  expect((await call(server, 'GET', path, { token: user })).json.file.originalName).toBe('Diary.TXT')
  expect((await call(server, 'GET', `${path}/download`, { token: user })).bytes.toString()).toBe('hello')
  expect((await call(server, 'GET', '/api/v1/files?search=DIARY', { token: user })).json.total).toBe(1)
})

test('the usage is that of all versions, beside the limits', async () => {
  const kim = await makeUser(server, admin, 'kim')
  const usage = async () => (await call(server, 'GET', '/api/v1/files/usage', { token: kim })).json
  const none = { usedBytes: 0, limitBytes: 1_048_576, teamUsedBytes: null, teamLimitBytes: null }
  expect((await usage()).limitBytes).toBeGreaterThanOrEqual(1_000_000)
  const { limitBytes } = await usage()
  expect(await usage()).toEqual({ ...none, limitBytes })
  const { json } = await send(server, '/api/v1/files/upload', [text('k.txt', '1234567')], kim)
  await send(server, '/api/v1/files/save-result', [text('k.txt', '89'), ['parentId', json.files[0].id]], kim)
  expect(await usage()).toEqual({ ...none, limitBytes, usedBytes: 9 })
})
