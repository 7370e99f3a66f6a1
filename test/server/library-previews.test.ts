import { readFileSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { infoOf, makeAudio, makeVideo, temporaryPath } from '../helpers/av.ts'
import { makePdf } from '../helpers/pdf.ts'
import { plain } from '../helpers/picture.ts'
import { call, makeUser, type Served, send, signIn, startServer } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

let server: Served
let user: string
let png: Buffer

const file = (name = 'a.png', bytes: Uint8Array = png) => ['file', { name, bytes }] as const
const one = async (part: ReturnType<typeof file>) =>
  (await send(server, '/api/v1/files/upload', [part], user)).json.files[0]
const bytesOf = (id: string, what: string) => call(server, 'GET', `/api/v1/files/${id}/${what}`, { token: user })

beforeAll(async () => {
  server = await serveHere()
  user = await makeUser(server, await signIn(server), 'olaf')
  png = await plain(400, 300, '#ff0000').png().toBuffer()
})

describe('thumbnails and previews of items', () => {
  test('a picture, a video and a document have a thumbnail that is cached for a day', async () => {
    const clip = readFileSync(await makeVideo({ seconds: 1, width: 640, height: 480, fps: 4 }))
    for (const [name, bytes, type, format] of [
      ['a.png', png, 'image/jpeg', 'jpeg'],
      ['video.mp4', clip, 'image/webp', 'webp'],
      ['paper.pdf', await makePdf({ sizes: [[600, 800]] }), 'image/png', 'png'],
    ] as const) {
      const { id } = await one(file(name, bytes))
      const { status, headers, bytes: small } = await bytesOf(id, 'thumbnail')
      expect([name, status, headers.get('content-type')]).toEqual([name, 200, type])
      expect(headers.get('cache-control')).toBe('private, max-age=86400, immutable')
      expect(await sharp(small).metadata()).toMatchObject({ format, width: 300 })
    }
    const { id } = await one(file('a.txt', Buffer.from('hello')))
    const none = await bytesOf(id, 'thumbnail')
    expect([none.status, none.json.code]).toEqual([422, 'PROCESSING_FAILED'])
  })

  test('previews a video as MP4, a PDF unchanged, a picture not at all', async () => {
    const pdf = Buffer.from(await makePdf({}))
    const paper = await bytesOf((await one(file('paper.pdf', pdf))).id, 'preview')
    expect([paper.headers.get('content-type'), paper.bytes.equals(pdf)]).toEqual(['application/pdf', true])
    const webm = readFileSync(await makeVideo({ seconds: 1, extension: 'webm' }))
    const clip = await bytesOf((await one(file('video.webm', webm))).id, 'preview')
    expect([clip.status, clip.headers.get('content-type'), clip.bytes.subarray(4, 8).toString()]).toEqual([
      ...[200, 'video/mp4', 'ftyp'],
    ])
    const picture = await bytesOf((await one(file('a.png'))).id, 'preview')
    expect([picture.status, picture.json.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect((await bytesOf('a.b', 'preview')).status).toBe(400)
  })
})

describe('previews of files that are not stored', () => {
  const post = (path: string, ...parts: ReturnType<typeof file>[]) => send(server, `/api/v1/${path}`, parts, user)
  const probed = (bytes: Buffer, name: string) => {
    const path = temporaryPath(name)
    writeFileSync(path, bytes)
    return infoOf(path)
  }

  test('a picture is WebP of at most 1200 pixels, with its original size in headers', async () => {
    const tiff = await plain(3000, 1500, '#00ff00').tiff().toBuffer()
    const { status, headers, bytes } = await post('preview', file('large.tiff', tiff))
    expect([status, headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect([headers.get('x-original-width'), headers.get('x-original-height')]).toEqual(['3000', '1500'])
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 1200, height: 600 })
    const small = await post('preview', file())
    expect(await sharp(small.bytes).metadata()).toMatchObject({ width: 400, height: 300 })
  })

  test('files that are not pictures, or cannot be decoded', async () => {
    const codeOf = async (...parts: ReturnType<typeof file>[]) => {
      const { status, json } = await post('preview', ...parts)
      return `${status} ${json.code}`
    }
    expect(await codeOf(file('a.txt', Buffer.from('hello')))).toBe('400 INVALID_FILE')
    expect(await codeOf(file('a.png', png.subarray(0, 40)))).toBe('422 DECODE_FAILED')
    expect(await codeOf()).toBe('400 NO_FILE')
    expect(await codeOf(file(), file())).toBe('400 TOO_MANY_FILES')
  })

  test('a video is a small, short MP4; audio is MP3 of at most a minute', async () => {
    const clip = readFileSync(await makeVideo({ seconds: 2, width: 960, height: 540, fps: 4, extension: 'webm' }))
    const video = await post('preview/generate', file('video.webm', clip))
    expect([video.status, video.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    const size = ['x-original-width', 'x-original-height', 'x-original-duration'].map((name) => video.headers.get(name))
    expect(size).toEqual(['960', '540', '2'])
    const seen = await probed(video.bytes, 'preview.mp4')
    expect(seen.streams[0]).toMatchObject({ codec: 'h264', width: 720 })
    const track = readFileSync(await makeAudio({ seconds: 65, extension: 'wav' }))
    const audio = await post('preview/generate', file('sound.wav', track))
    expect([audio.status, audio.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    expect([audio.headers.get('x-original-width'), audio.headers.get('x-original-duration')]).toEqual([null, '65'])
    expect((await probed(audio.bytes, 'preview.mp3')).durationS).toBeCloseTo(60, 0)
    const picture = await post('preview/generate', file())
    expect([picture.status, picture.json.code]).toEqual([400, 'VALIDATION_ERROR'])
  })
})

test('work with any limit on pipeline steps', async () => {
  const strict = await startServer({ environment: { MAX_PIPELINE_STEPS: '1' } })
  const token = await makeUser(strict, await signIn(strict), 'petra')
  const clip = readFileSync(await makeVideo({ seconds: 1, width: 960, height: 540, fps: 4 }))
  const { id } = (await send(strict, '/api/v1/files/upload', [file('video.mp4', clip)], token)).json.files[0]
  const { status } = await call(strict, 'GET', `/api/v1/files/${id}/thumbnail`, { token })
  const picture = await send(strict, '/api/v1/preview', [file()], token)
  const video = await send(strict, '/api/v1/preview/generate', [file('video.mp4', clip)], token)
  expect([status, picture.status, video.status]).toEqual([200, 200, 200])
  const steps = [{ toolId: 'rotate' }, { toolId: 'rotate' }]
  const two = await call(strict, 'POST', '/api/v1/pipeline/save', { token, body: { name: 'two', steps } })
  expect([two.status, two.json.code]).toEqual([400, 'INVALID_PIPELINE'])
})
