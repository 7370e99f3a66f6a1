import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeAudio, temporaryPath } from '../helpers/av.ts'
import { heldFfmpeg, listen } from '../helpers/http.ts'
import { readZip } from '../helpers/raw-zip.ts'
import { call, type Part, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { statusOf, untilStatus } from '../helpers/server-jobs.ts'

interface GrowingAnswer {
  status: number
  headers: Record<string, unknown>
  /** Waits until a number of bytes have arrived. */
  atLeast(bytes: number): Promise<Buffer>
  /** The whole body, and the trailers. */
  whole: Promise<{ bytes: Buffer; trailers: Record<string, string | undefined> }>
}

let server: TestServer
let token: string
let wav: Buffer
let flac: Buffer
const held = heldFfmpeg()

beforeAll(async () => {
  server = await startServer({ environment: { SYNC_WAIT_MS: '0', ...held.environment } })
  token = await signIn(server)
  wav = readFileSync(await makeAudio({ seconds: 1, extension: 'wav' }))
  flac = readFileSync(await makeAudio({ seconds: 1, extension: 'flac' }))
})

/** Sends a batch and returns the response while it is still arriving. */
async function grow(tool: string, parts: (readonly [string, Part])[]): Promise<GrowingAnswer> {
  const form = new FormData()
  for (const [field, part] of parts)
    if (typeof part === 'string') form.append(field, part)
    else form.append(field, new Blob([Uint8Array.from(part.bytes)]), part.name)
  const encoded = new Response(form)
  const headers = { authorization: `Bearer ${token}`, 'content-type': encoded.headers.get('content-type')! }
  const body = Buffer.from(await encoded.arrayBuffer())
  return new Promise((resolve, reject) => {
    const path = `${server.base}/api/v1/tools/${tool}/batch`
    const sent = request(path, { method: 'POST', headers }, (answer) => {
      let bytes = Buffer.alloc(0)
      let received = (): void => undefined
      answer.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk])
        received()
      })
      const whole = new Promise<Awaited<GrowingAnswer['whole']>>((done, failed) => {
        answer.once('end', () => done({ bytes, trailers: answer.trailers }))
        answer.once('error', failed)
      })
      const atLeast = async (count: number): Promise<Buffer> => {
        while (bytes.length < count)
          await new Promise<void>((next) => {
            received = next
          })
        return bytes
      }
      resolve({ status: answer.statusCode!, headers: answer.headers, atLeast, whole })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

const entriesOf = (bytes: Buffer) => {
  const path = temporaryPath('grown.zip')
  writeFileSync(path, bytes)
  return readZip(path)
}

const decoded = (value: string | undefined) => JSON.parse(decodeURIComponent(value!))

describe('an archive that is sent while files are still processed', () => {
  test('starts with the first result; the rest and the list of files follow after the last', async () => {
    const { status, headers, atLeast, whole } = await grow('audio/convert-audio', [
      ['files', { name: 'quick.wav', bytes: wav }],
      ['files', { name: 'broken.wav', bytes: Buffer.from('no sound') }],
      ['files', { name: 'slow.flac', bytes: flac }],
      ['files', { name: 'quick.wav', bytes: wav }],
      ['settings', '{"format":"mp3"}'],
      ['clientJobId', 'growing'],
    ])
    expect([status, headers['content-type'], headers['x-job-id']]).toEqual([200, 'application/zip', 'growing'])
    expect(headers).not.toHaveProperty('content-length')
    expect(headers.trailer).toBe('x-file-results x-file-notes x-file-errors')
    const beginning = await atLeast(1000)
    expect(beginning.subarray(0, 4)).toEqual(Buffer.from('PK\x03\x04'))
    expect(beginning.includes('quick.mp3')).toBe(true)
    expect(beginning.includes('slow.mp3')).toBe(false)
    expect((await statusOf(server, token, 'growing')).status).toBe('processing')
    held.release()
    const { bytes, trailers } = await whole
    const entries = await entriesOf(bytes)
    expect(entries.map(({ name }) => name)).toEqual(['quick.mp3', 'slow.mp3', 'quick_1.mp3'])
    expect(decoded(trailers['x-file-results'])).toEqual({ 0: 'quick.mp3', 2: 'slow.mp3', 3: 'quick_1.mp3' })
    expect(decoded(trailers['x-file-errors'])).toEqual([
      expect.objectContaining({ index: 1, filename: 'broken.wav', code: 'INVALID_FILE' }),
    ])
    const { result } = await untilStatus(server, token, 'growing', 'completed')
    expect(result.fileResults).toEqual(decoded(trailers['x-file-results']))
    const finished = await entriesOf((await call(server, 'GET', result.downloadUrl, { token })).bytes)
    expect(finished).toEqual(entries)
  })

  test('ends with the available results when the batch is canceled: 200, and completed for event streams', async () => {
    const never = heldFfmpeg()
    await server.stop()
    // Of four slots one is for light work and one for heavy work of another account: two remain for audio.
    const environment = { SYNC_WAIT_MS: '0', CONCURRENT_JOBS: '4', ...never.environment }
    server = await startServer({ environment, data: server.data })
    const stream = await listen(server, token, 'stopped')
    const { status, atLeast, whole } = await grow('audio/convert-audio', [
      ['files', { name: 'first.wav', bytes: wav }],
      ['files', { name: 'endless.flac', bytes: flac }],
      ['files', { name: 'third.wav', bytes: wav }],
      ['settings', '{"format":"mp3"}'],
      ['clientJobId', 'stopped'],
    ])
    expect(status).toBe(200)
    await atLeast(100)
    await stream.first(({ completedFiles }) => completedFiles === 2)
    expect((await call(server, 'POST', '/api/v1/jobs/stopped/cancel', { token })).json).toEqual({ canceled: true })
    const { bytes, trailers } = await whole
    expect((await entriesOf(bytes)).map(({ name }) => name)).toEqual(['first.mp3', 'third.mp3'])
    expect(decoded(trailers['x-file-results'])).toEqual({ 0: 'first.mp3', 2: 'third.mp3' })
    await stream.ended
    expect(stream.frames.at(-1)).toMatchObject({ status: 'completed', totalFiles: 3, completedFiles: 2 })
    const { result } = await statusOf(server, token, 'stopped')
    const finished = await call(server, 'GET', result.downloadUrl, { token })
    expect((await entriesOf(finished.bytes)).map(({ name }) => name)).toEqual(['first.mp3', 'third.mp3'])
  })
})
