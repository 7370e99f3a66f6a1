/** Uploads by the tus protocol, and their use instead of files in forms. tus-js-client is the second opinion on the protocol. */
import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openMemoryStore } from '../helpers/memory-store/store.ts'
import {
  BYTES,
  base64,
  type Client,
  create,
  download,
  offset,
  ofUrl,
  patch,
  pngOf,
  sha256,
  sources,
  TUS,
  upload,
} from '../helpers/resumable.ts'
import { call, makeUser, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { uploadSuite } from '../helpers/upload-suite.ts'

uploadSuite({ name: 'files', environment: async () => ({}) })
uploadSuite({ name: 'a store whose blobs cannot change', environment: async () => ({}), open: openMemoryStore })

describe('one server', () => {
  let own: Client
  let admin: string
  beforeAll(async () => {
    const server = await serveHere({ environment: { MAX_UPLOAD_SIZE_MB: '90', MAX_BATCH_SIZE: '3' } })
    admin = await signIn(server)
    own = { server, token: await makeUser(server, admin, 'ulla') }
  })

  test.each([
    ['no version', { 'tus-resumable': '' }, 412],
    ['another version', { 'tus-resumable': '0.2.2' }, 412],
    ['no length', { 'upload-length': '' }, 400],
    ['a length below zero', { 'upload-length': '-1' }, 400],
    ['a fraction', { 'upload-length': '1.5' }, 400],
    ['an exponent', { 'upload-length': '1e3' }, 400],
    ['a huge length', { 'upload-length': '99999999999999999999999' }, 400],
    ['a length over the limit', { 'upload-length': '90000001' }, 413],
    ['a deferred length', { 'upload-defer-length': '1' }, 400],
    ['metadata that is no Base64', { 'upload-metadata': 'filename ***' }, 400],
    ['long metadata', { 'upload-metadata': `filename ${'A'.repeat(5000)}` }, 400],
  ])('creation refuses %s', async (_name, headers, status) => {
    const answer = await create(own, 5, headers)
    expect([answer.status, typeof answer.json.code]).toEqual([status, 'string'])
  })

  test.each([
    ['another offset', { 'upload-offset': '3' }, 409],
    ['no offset', { 'upload-offset': '' }, 400],
    ['a negative offset', { 'upload-offset': '-5' }, 400],
    ['another type', { 'content-type': 'application/octet-stream' }, 415],
    ['JSON', { 'content-type': 'application/json' }, 400],
    ['more bytes than announced', {}, 413],
  ])('sending refuses %s', async (name, headers, status) => {
    const id = (await create(own, 5)).json.uploadId
    const bytes = Buffer.from(name.startsWith('more') ? '0123456789' : '01234')
    const answer = await patch(own, id, 0, bytes, headers)
    expect([answer.status, typeof answer.json.code]).toEqual([status, 'string'])
    expect(await offset(own, id)).toBe(0)
    await call(own.server, 'DELETE', `/api/v1/uploads/${id}`, { token: own.token, headers: TUS })
  })

  test('other routes refuse the type of its bodies', async () => {
    for (const path of ['/api/auth/login', '/api/v1/tools/image/resize', '/api/v1/tools/image/qr-generate']) {
      const headers = { ...BYTES, authorization: `Bearer ${own.token}` }
      const { status } = await fetch(own.server.base + path, { method: 'POST', headers, body: 'x' })
      expect([path, [400, 415].includes(status)]).toEqual([path, true])
    }
  })

  test('names cannot leave their folder, and an upload cannot change once it is complete', async () => {
    const id = (await create(own, 3, { 'upload-metadata': `filename ${base64('../../etc/pass\u0000wd')},x` })).json
      .uploadId
    await patch(own, id, 0, Buffer.from('abc'))
    const answer = await send(own.server, '/api/v1/upload', [sources({ uploadId: id })], own.token)
    expect(answer.json.files).toMatchObject([{ name: 'passwd', size: 3 }])
    expect((await patch(own, id, 3, Buffer.from('def'))).status).toBe(413)
    expect((await patch(own, id, 0, Buffer.from('def'))).status).toBe(409)
    expect((await download(own, `/api/v1/download/${answer.json.jobId}/passwd`)).toString()).toBe('abc')
    expect(
      (await call(own.server, 'HEAD', '/api/v1/uploads/..%2f..%2fx', { token: own.token, headers: TUS })).status,
    ).toBe(404)
  })

  test('waiting bytes use up the share of their owner, and the number of uploads is limited', async () => {
    const limited = await serveHere({
      environment: { MAX_UPLOAD_SIZE_MB: '900', MAX_WORKSPACE_SIZE_GB: '1', MAX_UPLOADS_PER_USER: '3' },
    })
    const token = await makeUser(limited, await signIn(limited), 'ulla')
    const client = { server: limited, token }
    const [first] = [(await create(client, 700_000_000)).json.uploadId]
    expect((await create(client, 400_000_000)).json.code).toBe('RATE_LIMITED')
    expect((await create(client, 1)).status).toBe(201)
    const many = await Promise.all(Array.from({ length: 6 }, () => create(client, 1)))
    expect(many.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(many.find(({ status }) => status !== 201)?.json.code).toBe('TOO_MANY_UPLOADS')
    await call(limited, 'DELETE', `/api/v1/uploads/${first}`, { token, headers: TUS })
    expect((await create(client, 700_000_000)).status).toBe(201)
    const { store } = limited.context
    const [user] = (await call(limited, 'GET', '/api/auth/users', { token: await signIn(limited) })).json.users.filter(
      ({ username }: { username: string }) => username === 'ulla',
    )
    await call(limited, 'DELETE', `/api/auth/users/${user.id}`, { token: await signIn(limited) })
    expect(store.workspace.totalBytes).toBe(0)
  })

  test('a file of the library and its versions can be named', async () => {
    const white = await pngOf(20, 10, '#ffffff')
    const kept = await send(own.server, '/api/v1/files/upload', [['file', { name: 'a.png', bytes: white }]], own.token)
    const fileId = kept.json.files[0].id
    const black = await pngOf(8, 8, '#000000')
    const next = await send(
      own.server,
      '/api/v1/files/save-result',
      [
        ['file', { name: 'b.png', bytes: black }],
        ['parentId', fileId],
      ],
      own.token,
    )
    const width = async (source: object): Promise<number> =>
      (await send(own.server, '/api/v1/tools/image/info', [sources(source)], own.token)).json.width
    expect(await width({ fileId })).toBe(20)
    expect(await width({ fileId: next.json.file.id })).toBe(8)
    expect(await width({ fileId, version: 2 })).toBe(8)
    // The file in the library is the same after runs that linked to it.
    expect(sha256(await download(own, `/api/v1/files/${fileId}/download`))).toBe(sha256(white))
    const stranger = await makeUser(own.server, admin, 'olaf')
    const refused = await send(own.server, '/api/v1/tools/image/info', [sources({ fileId })], stranger)
    expect([refused.status, refused.json.code, refused.json.error]).toEqual([
      404,
      'NOT_FOUND',
      'sources.0: there is no such file',
    ])
    const key = (
      await call(own.server, 'POST', '/api/v1/api-keys', {
        token: own.token,
        body: { name: 'k', permissions: ['tools:use'] },
      })
    ).json.key
    expect((await send(own.server, '/api/v1/tools/image/info', [sources({ fileId })], key)).status).toBe(403)
  })

  test('batches, pipelines and second files take sources', async () => {
    const id = await upload(own, 'a.png', await pngOf(40, 40, '#ff0000'))
    const mark = await upload(own, 'mark.png', await pngOf(4, 4, '#0000ff'))
    const batch = await send(
      own.server,
      '/api/v1/tools/image/resize/batch',
      [sources({ uploadId: id }, { uploadId: id }), ['settings', '{"width":9}']],
      own.token,
    )
    expect([batch.status, batch.headers.get('content-type')]).toEqual([200, 'application/zip'])
    const steps = JSON.stringify({ steps: [{ toolId: 'resize', settings: { width: 7 } }] })
    const ran = await send(
      own.server,
      '/api/v1/pipeline/execute',
      [sources({ uploadId: id }), ['pipeline', steps]],
      own.token,
    )
    expect(ran.status, JSON.stringify(ran.json)).toBe(200)
    const all = await send(
      own.server,
      '/api/v1/pipeline/batch',
      [sources({ uploadId: id }, { uploadId: mark }), ['pipeline', steps]],
      own.token,
    )
    expect(all.status).toBe(200)
    const marked = await send(
      own.server,
      '/api/v1/tools/image/watermark-image',
      [sources({ uploadId: id }, { uploadId: mark, field: 'watermark' })],
      own.token,
    )
    expect(marked.status, JSON.stringify(marked.json)).toBe(200)
    const many = await send(
      own.server,
      '/api/v1/tools/image/resize/batch',
      [sources(...Array.from({ length: 4 }, () => ({ uploadId: id }))), ['settings', '{"width":9}']],
      own.token,
    )
    expect([many.status, many.json.code]).toEqual([400, 'TOO_MANY_FILES'])
  })

  test.each([
    'null',
    '{}',
    '[',
    '[1]',
    '[{}]',
    '[{"uploadId":""}]',
    '[{"uploadId":5}]',
    '[{"jobId":"a"}]',
    '[{"uploadId":"a","jobId":"b"}]',
    '[{"fileId":"a","version":0}]',
    '[{"fileId":"a","path":"/etc/passwd"}]',
    '[{"uploadId":"a","at":-1}]',
    '['.repeat(500),
    '[{"jobId":"../x","filename":"../../y"}]',
    '[{"uploadId":"__proto__"}]',
    '[{"uploadId":"x\\u0000y"}]',
  ])('refuses sources %s', async (text) => {
    const answer = await send(own.server, '/api/v1/tools/image/info', [['sources', text]], own.token)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  })

  test('results of other users are unknown, and the folder has no leftovers', async () => {
    const file = { name: 'a.png', bytes: await pngOf(10, 10, '#ffffff') }
    const made = await send(
      own.server,
      '/api/v1/tools/image/resize',
      [
        ['file', file],
        ['settings', '{"width":5}'],
      ],
      own.token,
    )
    const stranger = await makeUser(own.server, admin, 'otto')
    const answer = await send(own.server, '/api/v1/tools/image/info', [sources(ofUrl(made.json.downloadUrl))], stranger)
    expect([answer.status, answer.json.code]).toEqual([404, 'NOT_FOUND'])
    const uploads = (await call(own.server, 'GET', '/api/v1/uploads', { token: own.token })).json.uploads as {
      uploadId: string
    }[]
    for (const { uploadId } of uploads)
      await call(own.server, 'DELETE', `/api/v1/uploads/${uploadId}`, { token: own.token, headers: TUS })
    const { workspaceFolder } = own.server.context.config
    const known = new Set(uploads.map(({ uploadId }) => uploadId))
    expect(readdirSync(workspaceFolder).filter((name) => known.has(name))).toEqual([])
  })

  test('tus-js-client uploads in chunks and resumes after a stop', async () => {
    const { Upload } = await import('tus-js-client')
    const bytes = randomBytes(5_000_000)
    const options = {
      endpoint: `${own.server.base}/api/v1/uploads`,
      headers: { authorization: `Bearer ${own.token}` },
      chunkSize: 1_000_000,
      metadata: { filename: 'data.bin' },
    }
    const url = await new Promise<string>((resolve, reject) => {
      const first = new Upload(bytes, {
        ...options,
        onError: reject,
        onChunkComplete: (_size, accepted) => {
          if (accepted >= 2_000_000) void first.abort().then(() => resolve(first.url ?? ''))
        },
      })
      first.start()
    })
    const id = url.split('/').at(-1)!
    expect(await offset(own, id)).toBeGreaterThanOrEqual(2_000_000)
    let sent = 0
    await new Promise<void>((resolve, reject) => {
      const next = new Upload(bytes, {
        ...{ ...options, uploadUrl: url, onError: reject, onSuccess: () => resolve() },
        onChunkComplete: (size) => {
          sent += size
        },
      })
      next.start()
    })
    expect(sent).toBeLessThanOrEqual(3_000_000)
    const answer = await send(own.server, '/api/v1/upload', [sources({ uploadId: id })], own.token)
    expect(sha256(await download(own, `/api/v1/download/${answer.json.jobId}/data.bin`))).toBe(sha256(bytes))
    // On one disk, the input is another name of the same file.
    const { workspaceFolder } = own.server.context.config
    expect(statSync(join(workspaceFolder, id, 'upload')).nlink).toBe(2)
  })
})
