import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeAudio, makeVideo } from '../helpers/av.ts'
import { type Frame, heldFfmpeg, listen, rawCall } from '../helpers/http.ts'
import { call, makeUser, send, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize, sendEndless, untilStatus } from '../helpers/server-jobs.ts'

let server: TestServer
let admin: string
let user: string
const held = heldFfmpeg()

beforeAll(async () => {
  server = await startServer({ environment: held.environment })
  admin = await signIn(server)
  user = await makeUser(server, admin, 'dirk')
})

const percents = (frames: Frame[]): number[] => frames.map(({ percent }) => percent)

describe('a stream', () => {
  test('has one data line per frame, in order, and ends with the result', async () => {
    const video = { name: 'video.mp4', bytes: readFileSync(await makeVideo({ seconds: 4, width: 320, height: 240 })) }
    const stream = await listen(server, user, 'video')
    expect(stream.headers).toMatchObject({
      ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
      'x-content-type-options': 'nosniff',
    })
    const settings = ['settings', '{"format":"webm"}'] as const
    const parts = [['clientJobId', 'video'] as const, ['file', video] as const, settings]
    expect((await send(server, '/api/v1/tools/video/convert-video', parts, user)).status).toBe(202)
    const text = await stream.ended
    expect(text).toMatch(/^(data: \{.*\}\n\n)+$/)
    const { frames } = stream
    expect(frames.length).toBeGreaterThan(2)
    const texts = frames.map((frame) => JSON.stringify(frame))
    expect(texts.filter((text, at) => text === texts[at - 1])).toEqual([])
    expect(frames.slice(0, -1).every(({ phase }) => phase === 'processing')).toBe(true)
    expect(percents(frames)).toEqual([...percents(frames)].sort((a, b) => a - b))
    expect(percents(frames).some((percent) => percent > 0 && percent < 100)).toBe(true)
    const last = frames.at(-1)
    const { result } = await untilStatus(server, user, 'video', 'completed')
    expect(last).toEqual({ jobId: 'video', type: 'single', phase: 'complete', percent: 100, result })
    expect(result.downloadUrl).toMatch(/video\.webm$/)
  })

  test('may be requested late: sends the last frame immediately', async () => {
    const { json } = await resize(server, user, { clientJobId: 'late' })
    for (const id of ['late', json.jobId]) {
      const stream = await listen(server, user, id)
      await stream.ended
      expect(stream.frames).toEqual([{ jobId: 'late', type: 'single', phase: 'complete', percent: 100, result: json }])
    }
  })

  test('of a running job starts with its current state, for every client', async () => {
    const waiting = sendEndless(server, user, 'endless')
    await untilStatus(server, user, 'endless', 'processing')
    const streams = [await listen(server, user, 'endless'), await listen(server, admin, 'endless')]
    for (const { first } of streams)
      expect(await first(() => true)).toMatchObject({ jobId: 'endless', type: 'single', phase: 'processing' })
    await call(server, 'POST', '/api/v1/jobs/endless/cancel', { token: user })
    for (const { ended, frames } of streams) {
      await ended
      expect(frames.at(-1)).toMatchObject({ phase: 'failed', error: 'Canceled', code: 'CANCELED' })
    }
    await waiting
  })

  test('of a failed job ends with its error', async () => {
    const stream = await listen(server, user, 'broken')
    const parts = [['file', { name: 'a.pdf', bytes: Buffer.from('%PDF-1.7\n') }] as const]
    const own = ['clientJobId', 'broken'] as const
    const { json } = await send(server, '/api/v1/tools/pdf/pdf-to-text', [own, ...parts], user)
    await stream.ended
    const { phase, error, code } = stream.frames.at(-1)
    expect([phase, error, code]).toEqual(['failed', json.error, json.code])
  })
})

describe('a stream before the job', () => {
  test("stays open without a frame; does not reveal another user's job", async () => {
    const stranger = await makeUser(server, admin, 'emil')
    const [own, foreign] = [await listen(server, user, 'early'), await listen(server, stranger, 'early')]
    await resize(server, user, { clientJobId: 'early' })
    await own.ended
    expect(own.frames.at(-1)).toMatchObject({ jobId: 'early', phase: 'complete' })
    expect(foreign.frames).toEqual([])
    // The stranger may use the same id for their own job, and receives only that one.
    const { json } = await resize(server, stranger, { clientJobId: 'early' })
    await foreign.ended
    expect(foreign.frames.at(-1).result).toEqual(json)
  })

  test("is refused for another user's id, and without a credential", async () => {
    await resize(server, admin, { clientJobId: 'taken' })
    const refused = await call(server, 'GET', '/api/v1/jobs/taken/progress', { token: user })
    expect([refused.status, refused.json.code]).toEqual([404, 'NOT_FOUND'])
    expect((await call(server, 'GET', '/api/v1/jobs/anything/progress')).status).toBe(401)
  })

  test('at most ten of one user wait at the same time', async () => {
    const owner = await makeUser(server, admin, 'fred')
    const streams = []
    for (let count = 0; count < 10; count += 1) streams.push(await listen(server, owner, `waiting-${count}`))
    const path = '/api/v1/jobs/waiting-10/progress'
    const headers = { authorization: `Bearer ${owner}` }
    expect((await rawCall(server, { path, headers })).status).toBe(404)
    for (const { close } of streams) close()
    // The server detects the closed connections a moment later.
    for (let stream: Awaited<ReturnType<typeof listen>> | undefined; !stream; ) {
      stream = await listen(server, owner, 'waiting-10').catch(() => undefined)
      stream?.close()
    }
  })
})

test('a batch reports its files: counts, the current one, failures, and the archive at the end', async () => {
  const stream = await listen(server, user, 'many')
  const flac = readFileSync(await makeAudio({ seconds: 1, extension: 'flac' }))
  const wav = readFileSync(await makeAudio({ seconds: 1, extension: 'wav' }))
  const answer = send(
    server,
    '/api/v1/tools/audio/convert-audio/batch',
    [
      ['files', { name: 'good.wav', bytes: wav }],
      ['files', { name: 'bad.wav', bytes: Buffer.from('no sound') }],
      ['files', { name: 'slow.flac', bytes: flac }],
      ['settings', '{"format":"mp3"}'],
      ['clientJobId', 'many'],
    ],
    user,
  )
  const half = await stream.first(({ completedFiles }) => completedFiles === 2)
  const errors = [expect.objectContaining({ filename: 'bad.wav', code: 'INVALID_FILE', error: expect.any(String) })]
  expect(half).toEqual({
    ...{ jobId: 'many', type: 'batch', status: 'processing', totalFiles: 3, completedFiles: 2, failedFiles: 1 },
    ...{ errors, currentFile: 'slow.flac' },
  })
  held.release()
  expect((await answer).status).toBe(200)
  await stream.ended
  const counts = stream.frames.map(({ completedFiles }) => completedFiles)
  expect(counts).toEqual([...counts].sort((a, b) => a - b))
  expect(stream.frames.at(-1)).toEqual({
    ...{ jobId: 'many', type: 'batch', status: 'completed', totalFiles: 3, completedFiles: 3, failedFiles: 1, errors },
    result: expect.objectContaining({
      downloadUrl: expect.stringMatching(/\/batch-convert-audio-many\.zip$/),
      fileResults: { 0: 'good.mp3', 2: 'slow.mp3' },
    }),
  })
})
