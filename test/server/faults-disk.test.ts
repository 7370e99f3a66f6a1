import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { makeAudio } from '../helpers/av.ts'
import { plain } from '../helpers/picture.ts'
import { type Answer, call, PASSWORD, send, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { recordOnDisk, resize, sendEndless, untilAttempts, untilStatus } from '../helpers/server-jobs.ts'
import { fillDisk, mountSmallDisk } from '../helpers/small-disk.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/mediaproc.js', import.meta.url))

/** The server may use a two seconds old value of the free space. */
const LOOKED = { timeout: 10_000, interval: 250 }

const workspaceDisk = mountSmallDisk()
const dataDisk = mountSmallDisk()

const whole = ({ status, json }: Answer) => [status, json?.code]
const upload = (server: TestServer, token: string, bytes: Buffer, path = '/api/v1/upload') =>
  send(server, path, [['file', { name: 'a.bin', bytes }]], token)
/** Uncompressed it is larger than the disk. */
const toBitmap = (server: TestServer, token: string, bytes: Buffer, path = '') => {
  const settings = ['settings', JSON.stringify({ format: 'bmp' })] as const
  const files = ['a.png', 'b.png'].slice(0, path ? 2 : 1).map((name) => ['file', { name, bytes }] as const)
  return send(server, `/api/v1/tools/image/convert${path}`, [...files, settings], token)
}

// Needs permission to mount a disk: root on Linux.
describe.skipIf(!workspaceDisk)('a full disk for uploads and results', () => {
  test('refuses new work below the limit, and accepts it again above', async () => {
    const environment = { WORKSPACE_PATH: join(workspaceDisk!, 'low'), LEAST_FREE_MB: '4' }
    const server = await startServer({ environment })
    const token = await signIn(server)
    const kept = await resize(server, token)
    // Results for a library file are copied from this disk to that of the data folder.
    const picture = { name: 'a.png', bytes: await plain(50, 50, '#204060').png().toBuffer() }
    const { id } = (await send(server, '/api/v1/files/upload', [['file', picture]], token)).json.files[0]
    expect((await call(server, 'GET', `/api/v1/files/${id}/thumbnail`, { token })).status).toBe(200)
    const empty = fillDisk(workspaceDisk!, 3_000_000)
    await expect.poll(async () => whole(await resize(server, token)), LOOKED).toEqual([503, 'DISK_LOW'])
    expect(whole(await upload(server, token, Buffer.alloc(10)))).toEqual([503, 'DISK_LOW'])
    expect((await resize(server, token)).headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await call(server, 'GET', '/api/v1/readyz')).json).toMatchObject({ ok: false, disk: false })
    expect((await call(server, 'GET', kept.json.downloadUrl, { token })).status).toBe(200)
    empty()
    await expect.poll(async () => (await resize(server, token)).status, LOOKED).toBe(200)
    expect((await call(server, 'GET', '/api/v1/readyz')).json.ok).toBe(true)
    expect(await server.stop()).toBe(0)
  })

  test('is full at the end of a job: its outcome is recorded and reported nevertheless', async () => {
    const environment = {
      LEAST_FREE_MB: '0',
      JOB_TIMEOUT_FAST_S: '2',
      WORKSPACE_PATH: join(workspaceDisk!, 'workspace'),
    }
    const server = await startServer({ data: workspaceDisk!, environment })
    const token = await signIn(server)
    const waiting = sendEndless(server, token, 'endless')
    const { artifactJobId } = await untilStatus(server, token, 'endless', 'processing')
    await untilAttempts(server, artifactJobId, 1)
    const empty = fillDisk(workspaceDisk!)
    expect(whole(await waiting)).toEqual([422, 'TIMEOUT'])
    expect(recordOnDisk(server, artifactJobId)).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT' } })
    empty()
    await server.stop()
  })

  test('is full: refuses uploads, outputs and archives, and leaves nothing of them', async () => {
    const workspace = join(workspaceDisk!, 'full')
    const server = await startServer({ environment: { WORKSPACE_PATH: workspace, LEAST_FREE_MB: '0' } })
    const token = await signIn(server)
    expect(whole(await upload(server, token, Buffer.alloc(20_000_000)))).toEqual([507, 'DISK_FULL'])
    expect(whole(await upload(server, token, Buffer.alloc(20_000_000), '/api/v1/files/upload'))).toEqual([
      507,
      'DISK_FULL',
    ])
    await expect.poll(() => readdirSync(workspace)).toEqual([])
    const picture = await plain(3000, 2200, '#204060').png().toBuffer()
    const single = await toBitmap(server, token, picture)
    expect(whole(single)).toEqual([507, 'DISK_FULL'])
    expect(JSON.stringify(single.json)).not.toContain(workspaceDisk)
    const batch = await toBitmap(server, token, picture, '/batch')
    expect([batch.status, batch.json.errors.map(({ code }: { code: string }) => code)]).toEqual([
      422,
      ['DISK_FULL', 'DISK_FULL'],
    ])
    const audio = { name: 'long.mp3', bytes: readFileSync(await makeAudio({ seconds: 200, extension: 'mp3' })) }
    const settings = JSON.stringify({ format: 'wav' })
    const converted = await send(
      server,
      '/api/v1/tools/audio/convert-audio',
      [
        ['file', audio],
        ['settings', settings],
      ],
      token,
    )
    expect(whole(converted)).toEqual([507, 'DISK_FULL'])
    expect((await resize(server, token)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })
})

describe.skipIf(!dataDisk)('a data folder on a full disk', () => {
  test('refuses data that it cannot store, loses nothing, and continues when there is space', async () => {
    const environment = { LEAST_FREE_MB: '0' }
    const data = join(dataDisk!, 'data')
    let server = await startServer({ data, environment })
    let token = await signIn(server)
    const store = async (): Promise<string> =>
      (await upload(server, token, Buffer.from('kept'), '/api/v1/files/upload')).json.files[0].id
    const [id, ...ids] = [await store(), await store(), await store()]
    const done = (await resize(server, token)).json.downloadUrl
    const change = (value: string) => call(server, 'PUT', '/api/v1/settings', { token, body: { test: value } })
    expect((await change('before')).status).toBe(200)
    const empty = fillDisk(dataDisk!)
    const full = [507, 'DISK_FULL']
    expect(whole(await change('x'.repeat(8000)))).toEqual(full)
    const user = { username: 'late', password: PASSWORD, role: 'user' }
    expect(whole(await call(server, 'POST', '/api/auth/register', { token, body: user }))).toEqual(full)
    expect(whole(await call(server, 'POST', '/api/v1/api-keys', { token, body: { name: 'late' } }))).toEqual(full)
    expect(whole(await upload(server, token, Buffer.alloc(9000), '/api/v1/files/upload'))).toEqual(full)
    expect(whole(await resize(server, token))).toEqual(full)
    expect((await call(server, 'GET', '/api/v1/health')).json).toMatchObject({ status: 'unhealthy', code: 'DISK_LOW' })
    // The log is on that disk as well: many of its lines cannot be written.
    for (let line = 0; line < 200; line++) await call(server, 'GET', `/api/v1/files/${'x'.repeat(100)}`, { token })
    expect((await call(server, 'GET', '/api/v1/settings/test', { token })).json.value).toBe('before')
    const { status, stderr } = spawnSync(
      process.execPath,
      [PROGRAM, 'serve', '--port', '0', '--data', join(dataDisk!, 'other')],
      {
        encoding: 'utf8',
      },
    )
    expect([status, stderr]).toEqual([1, expect.stringContaining('disk is full')])
    expect(stderr).not.toContain('    at ')
    // A user who frees space must be able to sign in and delete.
    expect(await signIn(server)).toEqual(expect.any(String))
    const [doomed, ...spare] = ids
    const remove = (tokenOf: string, some: readonly string[], at = server) =>
      call(at, 'DELETE', '/api/v1/files', { token: tokenOf, body: { ids: some } })
    expect((await remove(token, [doomed!])).json).toEqual({ deleted: 1 })
    expect(whole(await change('again'))).toEqual(full)
    await server.stop('SIGKILL')
    server = await startServer({ data, environment })
    token = await signIn(server)
    expect((await remove(token, spare)).json).toEqual({ deleted: 1 })
    empty()
    await expect.poll(async () => (await change('after')).status, LOOKED).toBe(200)
    expect((await resize(server, token)).status).toBe(200)
    expect(await server.stop('SIGKILL')).toBe(null)

    const next = await startServer({ data, environment })
    const again = await signIn(next)
    expect((await call(next, 'GET', '/api/v1/settings/test', { token: again })).json.value).toBe('after')
    expect((await call(next, 'GET', `/api/v1/files/${id}/download`, { token: again })).bytes.toString()).toBe('kept')
    expect((await call(next, 'GET', done, { token: again })).status).toBe(200)
    const { users } = (await call(next, 'GET', '/api/auth/users', { token: again })).json
    expect(users.map(({ username }: { username: string }) => username)).toEqual(['admin'])
    await next.stop()
  })
})
