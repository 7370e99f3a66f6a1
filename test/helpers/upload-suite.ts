/** What uploads do in every place where a server may keep their bytes. */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { sweep } from '../../src/server/jobs/sweep.ts'
import type { openMemoryStore } from './memory-store/store.ts'
import {
  base64,
  type Client,
  create,
  download,
  head,
  offset,
  ofUrl,
  patch,
  pngOf,
  sendPart,
  sha256,
  sources,
  TUS,
  upload,
} from './resumable.ts'
import { call, makeUser, send, signIn } from './server.ts'
import { serveHere } from './server-here.ts'

const LIMITS = { MAX_UPLOAD_SIZE_MB: '90', MAX_UPLOADS_PER_USER: '30' }

export interface UploadPlace {
  name: string
  environment(): Promise<Record<string, string>>
  open?: typeof openMemoryStore
  /** Two servers have it. */
  isShared?: boolean
}

export const uploadSuite = ({ name, environment, open, isShared = false }: UploadPlace) =>
  describe(`uploads with ${name}`, () => {
    let own: Client
    let other: Client
    let stranger: Client
    beforeAll(async () => {
      const variables = { ...LIMITS, ...(await environment()) }
      const one = await serveHere({ environment: variables, ...(open && { open }) })
      const two = isShared ? await serveHere({ environment: variables }) : one
      const admin = await signIn(one)
      const token = await makeUser(one, admin, 'ulla')
      own = { server: one, token }
      other = { server: two, token }
      stranger = { server: two, token: await makeUser(one, admin, 'olaf') }
    })

    test('an upload that breaks off continues at any server, and is the input of a tool', async () => {
      const picture = await pngOf(300, 200, '#336699')
      const bytes = Buffer.concat([picture, randomBytes(200_000)])
      const made = await create(own, bytes.length, {
        'upload-metadata': `filename ${base64('søn.png')},filetype ${base64('image/png')}`,
      })
      expect([made.status, made.headers.get('tus-resumable'), made.json.name]).toEqual([201, '1.0.0', 'søn.png'])
      const id = made.json.uploadId
      expect(new URL(made.headers.get('location')!, `${own.server.base}/api/v1/uploads`).pathname).toBe(
        `/api/v1/uploads/${id}`,
      )
      let reached = 0
      // A connection that breaks off takes the bytes with it that a busy server had not read yet: at worst, all of them.
      while (reached === 0) {
        await sendPart(own, id, 0, bytes.subarray(0, 70_000), bytes.length)
        reached = await offset(other, id)
      }
      expect(reached).toBeLessThanOrEqual(70_000)
      const info = await head(other, id)
      expect([info.headers.get('upload-length'), info.headers.get('cache-control'), info.status]).toEqual([
        String(bytes.length),
        'no-store',
        200,
      ])
      expect(Date.parse(info.headers.get('upload-expires')!)).toBeGreaterThan(Date.now())
      const early = await send(
        own.server,
        '/api/v1/tools/image/resize',
        [sources({ uploadId: id }), ['settings', '{"width":10}']],
        own.token,
      )
      expect([early.status, early.json.code]).toEqual([409, 'UPLOAD_INCOMPLETE'])
      const next = await patch(own, id, reached, bytes.subarray(reached, 100_000))
      expect(next.headers.get('upload-offset')).toBe('100000')
      expect((await patch(other, id, 100_000, bytes.subarray(100_000))).status).toBe(204)
      const kept = await send(other.server, '/api/v1/files/upload', [sources({ uploadId: id })], own.token)
      expect([kept.status, kept.json.files?.[0].originalName]).toEqual([201, 'søn.png'])
      expect(sha256(await download(own, `/api/v1/files/${kept.json.files[0].id}/download`))).toBe(sha256(bytes))
      // The upload is still there: another attempt needs no new one.
      const ran = await send(
        own.server,
        '/api/v1/tools/image/resize',
        [sources({ uploadId: id }), ['settings', '{"width":30}']],
        own.token,
      )
      expect(ran.status, JSON.stringify(ran.json)).toBe(200)
      const small = await send(
        own.server,
        '/api/v1/tools/image/info',
        [sources({ ...ofUrl(ran.json.downloadUrl) })],
        own.token,
      )
      expect(small.status, JSON.stringify(small.json)).toBe(200)
      expect([small.json.width, small.json.height]).toEqual([30, 20])
    })

    test('only the owner sees, continues, uses and deletes an upload', async () => {
      const id = (await create(own, 10)).json.uploadId
      await patch(own, id, 0, Buffer.from('01234'))
      expect((await head(stranger, id)).status).toBe(404)
      expect([(await patch(stranger, id, 5, Buffer.from('56789'))).status]).toEqual([404])
      expect(
        (await call(stranger.server, 'DELETE', `/api/v1/uploads/${id}`, { token: stranger.token, headers: TUS }))
          .status,
      ).toBe(404)
      expect((await call(stranger.server, 'GET', '/api/v1/uploads', { token: stranger.token })).json.uploads).toEqual(
        [],
      )
      await patch(own, id, 5, Buffer.from('56789'))
      const use = await send(stranger.server, '/api/v1/upload', [sources({ uploadId: id })], stranger.token)
      expect([use.status, use.json.code]).toEqual([404, 'NOT_FOUND'])
      // Not a result either, which holders of its id could download.
      expect((await call(own.server, 'GET', `/api/v1/download/${id}/upload`, { token: own.token })).status).toBe(404)
      expect(await offset(own, id)).toBe(10)
      expect(
        (await call(own.server, 'DELETE', `/api/v1/uploads/${id}`, { token: own.token, headers: TUS })).status,
      ).toBe(204)
      expect((await head(own, id)).status).toBe(404)
    })

    test('two requests at once store each byte once', async () => {
      const bytes = randomBytes(3_000_000)
      const id = (await create(own, bytes.length)).json.uploadId
      const answers = await Promise.all(
        [own, other, own, other].map((client) => patch(client, id, 0, bytes).catch(() => ({ status: 0 }))),
      )
      const reached = await offset(own, id)
      if (reached < bytes.length) await patch(own, id, reached, bytes.subarray(reached))
      expect(answers.every(({ status }) => [0, 204, 409, 423, 400].includes(status))).toBe(true)
      const sent = await send(own.server, '/api/v1/upload', [sources({ uploadId: id })], own.token)
      expect(sent.json.files).toMatchObject([{ size: bytes.length }])
      expect(sha256(await download(own, `/api/v1/download/${sent.json.jobId}/upload`))).toBe(sha256(bytes))
    })

    test('an expired upload is removed by the sweep with its bytes', async () => {
      const { context } = own.server
      const id = (await create(own, 100_000)).json.uploadId
      await patch(own, id, 0, randomBytes(50_000))
      const before = context.store.workspace.totalBytes
      await context.store.jobs.update(id, { expiresAt: new Date(Date.now() - 1000).toISOString() })
      expect([(await head(own, id)).status, (await patch(own, id, 50_000, Buffer.from('x'))).status]).toEqual([
        404, 404,
      ])
      await sweep(context)
      expect(await context.store.jobs.get(id)).toBeUndefined()
      const keys: string[] = []
      for await (const key of context.store.results.keys()) if (key.startsWith(id)) keys.push(key)
      expect(keys).toEqual([])
      if (!isShared) expect(before - context.store.workspace.totalBytes).toBe(100_000)
    })

    test('files keep their order, whether they are sent or named', async () => {
      const names = ['one', 'two', 'three', 'four']
      const [one, two, three, four] = await Promise.all(names.map((_, index) => pngOf(10 + index, 10, '#ffffff')))
      const first = await upload(own, 'one.png', one!)
      const third = await upload(own, 'three.png', three!)
      const parts = [
        ['file', { name: 'two.png', bytes: two! }],
        ['file', { name: 'four.png', bytes: four! }],
      ] as const
      const answer = await send(
        own.server,
        '/api/v1/upload',
        [...parts, sources({ uploadId: first, at: 0 }, { uploadId: third, at: 2 })],
        own.token,
      )
      expect(answer.json.files.map(({ name }: { name: string }) => name)).toEqual(names.map((name) => `${name}.png`))
    })
  })
