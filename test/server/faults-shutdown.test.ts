import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rawCall } from '../helpers/http.ts'
import { chunk, filePart, formHead, openRaw, parseAnswer } from '../helpers/machine.ts'
import { makePdf } from '../helpers/pdf.ts'
import { endlessPdf, until } from '../helpers/pool.ts'
import { call, send, signIn, startServer } from '../helpers/server.ts'
import { recordOnDisk, resize, sendEndless, statusOf, untilAttempts, untilStatus } from '../helpers/server-jobs.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const ONE_AT_A_TIME = { CONCURRENT_JOBS: '1' }

const hello = (token: string): string =>
  `GET /api/v1/preferences HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${token}\r\n\r\n`

test('answers running requests, refuses new ones, and exits with 0', async () => {
  const server = await startServer({ environment: { JOB_TIMEOUT_FAST_S: '2' } })
  const token = await signIn(server)
  // A form that is half sent when the shutdown begins, and a connection that was in use.
  const form = formHead('/api/v1/upload', token)
  const uploading = await openRaw(server, form + chunk(`${filePart('half.txt')}one half, `))
  const waiting = sendEndless(server, token, 'running')
  await untilStatus(server, token, 'running', 'processing')
  const exit = server.stop('SIGTERM')
  await until(() => server.log().includes('shutting down'))
  uploading.socket.write(chunk('the other half\r\n--edge--\r\n') + chunk(''))
  expect((await waiting).json).toMatchObject({ code: 'TIMEOUT' })
  expect(parseAnswer(await uploading.ended)).toMatchObject({ status: 200, json: { files: [{ size: 24 }] } })
  // Reported, or the connection was refused.
  const late = await call(server, 'GET', '/api/v1/tools').then(
    ({ status }) => status,
    () => 'closed',
  )
  expect([503, 'closed']).toContain(late)
  expect(await exit).toBe(0)
  await expect(call(server, 'GET', '/api/v1/health')).rejects.toThrow()
})

test('reports the shutdown to a request that was arriving', async () => {
  const server = await startServer({ environment: { JOB_TIMEOUT_FAST_S: '2' } })
  const token = await signIn(server)
  const waiting = sendEndless(server, token, 'running')
  await untilStatus(server, token, 'running', 'processing')
  const head = hello(token)
  const connection = await openRaw(server, head.slice(0, -2))
  // Data sent first on another connection have arrived when that one is answered.
  await call(server, 'GET', '/api/v1/health')
  const exit = server.stop('SIGTERM')
  await until(() => server.log().includes('shutting down'))
  connection.socket.write('\r\n')
  const text = await connection.ended
  expect(parseAnswer(text)).toMatchObject({ status: 503, json: { code: 'SHUTTING_DOWN' } })
  expect(text).toMatch(/^connection: close\r$/im)
  expect(text).toMatch(/^retry-after: \d+\r$/im)
  expect((await waiting).json.code).toBe('TIMEOUT')
  expect(await exit).toBe(0)
})

test('reports the shutdown to new connections while jobs end; warns about an old ffmpeg at the start', async () => {
  const folder = temporaryFolder()
  const old = join(folder, 'ffmpeg')
  writeFileSync(old, '#!/bin/sh\necho "ffmpeg version 4.0 Copyright (c) 2000-2018 the FFmpeg developers"\n', {
    mode: 0o755,
  })
  const server = await startServer({ environment: { JOB_TIMEOUT_FAST_S: '3', MEDIAPROC_FFMPEG: old } })
  const token = await signIn(server)
  await until(() => /warning: ffmpeg: this is a build of 2018/.test(server.log()))
  const waiting = sendEndless(server, token, 'running')
  await untilStatus(server, token, 'running', 'processing')
  const exit = server.stop('SIGTERM')
  await until(() => server.log().includes('shutting down'))
  const [ready, refused] = [
    await rawCall(server, { path: '/api/v1/readyz' }),
    await rawCall(server, { path: '/api/v1/tools' }),
  ]
  expect([ready.status, JSON.parse(ready.text)]).toMatchObject([503, { ok: false }])
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([503, { code: 'SHUTTING_DOWN' }])
  expect((await waiting).json).toMatchObject({ code: 'TIMEOUT' })
  expect(await exit).toBe(0)
})

test('restarts unfinished jobs at the next start, together with waiting ones', async () => {
  const server = await startServer({ environment: { ...ONE_AT_A_TIME, SHUTDOWN_TIMEOUT_S: '1' } })
  const token = await signIn(server)
  const endless = sendEndless(server, token, 'endless')
  const { artifactJobId } = await untilStatus(server, token, 'endless', 'processing')
  await untilAttempts(server, artifactJobId, 1)
  const queued = resize(server, token, { clientJobId: 'queued' })
  await untilStatus(server, token, 'queued', 'queued')
  const streams = ['endless', 'not-yet-sent'].map((id) =>
    openRaw(server, hello(token).replace('preferences', `jobs/${id}/progress`)),
  )
  const [progress, early] = await Promise.all(streams)
  await until(() => progress!.text().includes('"phase":"processing"') && early!.text().includes('event-stream'))
  const exit = server.stop('SIGTERM')
  for (const answer of [await endless, await queued])
    expect(answer).toMatchObject({ status: 202, json: { async: true } })
  for (const stream of [progress!, early!]) expect(await stream.ended).toMatch(/\r\n0\r\n\r\n$/)
  expect(await exit).toBe(0)
  // Stopping it is not an error of the job.
  expect(recordOnDisk(server, artifactJobId)).toMatchObject({ status: 'queued', attempts: 0 })

  const next = await startServer({ data: server.data, environment: { CONCURRENT_JOBS: '2' } })
  const again = await signIn(next)
  const { result } = await untilStatus(next, again, 'queued', 'completed')
  const made = await call(next, 'GET', result.downloadUrl, { token: again })
  expect([made.status, made.bytes.length]).toEqual([200, result.processedSize])
  await untilStatus(next, again, 'endless', 'processing')
  expect((await call(next, 'POST', '/api/v1/jobs/endless/cancel', { token: again })).json).toEqual({ canceled: true })
})

test('an unfinished batch continues at the same file', async () => {
  const server = await startServer({ environment: { ...ONE_AT_A_TIME, SHUTDOWN_TIMEOUT_S: '0' } })
  const token = await signIn(server)
  const files = [
    ['short.pdf', await makePdf()],
    ['endless.pdf', endlessPdf()],
  ] as const
  const parts = files.map(([name, bytes]) => ['file', { name, bytes }] as const)
  const path = '/api/v1/tools/pdf/pdf-to-image/batch'
  const answer = send(server, path, [...parts, ['clientJobId', 'batch']], token).catch(() => undefined)
  const percent = async () => (await statusOf(server, token, 'batch')).progress?.percent
  await expect.poll(percent, { timeout: 20_000 }).toBe(50)
  expect(await server.stop('SIGTERM')).toBe(0)
  await answer

  const next = await startServer({ data: server.data, environment: ONE_AT_A_TIME })
  const again = await signIn(next)
  const { artifactJobId } = await untilStatus(next, again, 'batch', 'processing', 'canceled')
  expect(recordOnDisk(next, artifactJobId)).toMatchObject({ members: [{ state: 'done' }, { state: 'waiting' }] })
  expect((await call(next, 'POST', '/api/v1/jobs/batch/cancel', { token: again })).json).toEqual({ canceled: true })
})

test('a job that crashes the server is not started a third time', async () => {
  const first = await startServer()
  const { data } = first
  const token = await signIn(first)
  sendEndless(first, token, 'deadly').catch(() => undefined)
  const { artifactJobId } = await untilStatus(first, token, 'deadly', 'processing')
  await untilAttempts(first, artifactJobId, 1)
  await first.stop('SIGKILL')
  const second = await startServer({ data })
  await untilAttempts(second, artifactJobId, 2)
  await second.stop('SIGKILL')
  const third = await startServer({ data })
  const again = await signIn(third)
  const job = await untilStatus(third, again, 'deadly', 'failed', 'processing')
  expect(job).toMatchObject({ status: 'failed', result: null, error: { code: 'INTERRUPTED' } })
  expect((await resize(third, again)).status).toBe(200)
})

test('a signal during an engine check ends the server cleanly', async () => {
  const [slow, asked] = ['ffmpeg', 'asked'].map((name) => join(temporaryFolder(), name)) as [string, string]
  writeFileSync(slow, `#!/bin/sh\necho yes > ${asked}\nexec sleep 2\n`, { mode: 0o755 })
  const server = await startServer({ environment: { MEDIAPROC_FFMPEG: slow } })
  await until(() => existsSync(asked))
  expect(await server.stop('SIGTERM')).toBe(0)
})

test('a second SIGINT exits immediately', async () => {
  const server = await startServer()
  const token = await signIn(server)
  sendEndless(server, token, 'long').catch(() => undefined)
  await untilStatus(server, token, 'long', 'processing')
  server.process.kill('SIGINT')
  await until(() => server.log().includes('shutting down …'))
  server.process.kill('SIGINT')
  const [code] = await once(server.process, 'exit')
  expect(code).toBe(130)
})
