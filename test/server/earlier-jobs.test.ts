/** Requests that continue from files of an earlier job of the same owner. */
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterEveryFile } from '../helpers/clean-up.ts'
import { type DrawnHead, portraitSvg, seesLandmarks, seesOneFace } from '../helpers/faces.ts'
import { redIsSubject } from '../helpers/matting.ts'
import { serveModels } from '../helpers/model-source.ts'
import { type Graph, onnxModel } from '../helpers/onnx.ts'
import { until } from '../helpers/pool.ts'
import { type Answer, call, makeUser, type Part, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { untilStatus } from '../helpers/server-jobs.ts'

const ROUTE = '/api/v1/tools/image/remove-background'
const PASSPORT = '/api/v1/tools/image/passport-photo'

const SIZE = { width: 260, height: 320 }
const HEAD: DrawnHead = {
  eyes: { left: { x: 150, y: 120 }, right: { x: 110, y: 120 } },
  ...{ chin: { x: 130, y: 190 }, nose: { x: 130, y: 145 }, crown: 50 },
}

let server: Served
let admin: string
let alice: string
/** The response of a picture's cut-out, of Alice. */
let cut: Record<string, string>
/** The same, kept for a third of a second. */
let expired: Record<string, string>
/** The responses of passport-photo with models: the whole, the analysis, and one with the same name. */
let refusedWhole: Answer
let analysed: Answer
let analysedAgain: Answer

/** A red square in the middle of green. */
const scene = () =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: '#00c800' } })
    .composite([
      { input: { create: { width: 20, height: 20, channels: 3, background: '#ff0000' } }, left: 20, top: 10 },
    ])
    .png()
    .toBuffer()

const picture = async (name = 'my photo.png') => ({ name, bytes: await scene() })
const portrait = async () => ({ name: 'me.png', bytes: await sharp(portraitSvg(HEAD, SIZE)).png().toBuffer() })
const fetched = (path: string, token = alice) => call(server, 'GET', path, { token })

/** The colours of the subject and its background. */
async function coloursOf(bytes: Buffer): Promise<number[][]> {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)]
  return [at(30, 20), at(5, 5)]
}

async function cutOut(
  token: string,
  settings: Record<string, unknown> = {},
): Promise<[Answer, Record<string, string>]> {
  const parts: [string, Part][] = [
    ['file', await picture()],
    ['settings', JSON.stringify(settings)],
  ]
  const accepted = await send(server, ROUTE, parts, token)
  return [accepted, (await untilStatus(server, token, accepted.json.jobId, 'completed')).result]
}

const effects = (settings: unknown, token = alice, files: [string, Part][] = []) =>
  send(
    server,
    `${ROUTE}/effects`,
    [['settings', typeof settings === 'string' ? settings : JSON.stringify(settings)], ...files],
    token,
  )

beforeAll(async () => {
  const file = (name: string, graph: Graph) => ({ files: [{ name, bytes: onnxModel(graph) }] })
  const models = {
    u2netp: file('u2netp.onnx', redIsSubject(320)),
    'yunet-2023mar': file('yunet.onnx', seesOneFace(HEAD)),
    'openseeface-lm66': file('landmarks.onnx', seesLandmarks(HEAD, SIZE)),
  }
  const bundles = {
    'background-removal': { light: ['u2netp'] },
    'face-detection': { light: ['yunet-2023mar', 'openseeface-lm66'] },
  }
  const source = await serveModels(models, bundles, (clean) => afterEveryFile(clean))
  const environment = { MEDIAPROC_MODELS: source.store, MODEL_OFFLINE: 'false', FILE_MAX_AGE_HOURS: '0.0001' }
  server = await serveHere({ environment })
  admin = await signIn(server)
  alice = await makeUser(server, admin, 'alice')
  for (const id of Object.keys(bundles)) {
    const asked = await call(server, 'POST', `/api/v1/admin/features/${id}/install`, { token: admin })
    await untilStatus(server, admin, asked.json.jobId, 'completed')
  }
  expired = (await cutOut(alice))[1]
  await call(server, 'PUT', '/api/v1/settings', { token: admin, body: { tempFileMaxAgeHours: 1 } })
  const [accepted, result] = await cutOut(alice, { backgroundType: 'color', backgroundColor: '#0000ff' })
  expect(accepted.headers.get('x-ignored-settings')).toBe('backgroundType, backgroundColor')
  cut = result
  refusedWhole = await send(server, PASSPORT, [['file', await portrait()]], alice)
  analysed = await send(
    server,
    `${PASSPORT}/analyze`,
    [
      ['file', await portrait()],
      ['clientJobId', 'my-analysis'],
    ],
    alice,
  )
  analysedAgain = await send(
    server,
    `${PASSPORT}/analyze`,
    [
      ['file', await portrait()],
      ['clientJobId', 'my-analysis'],
    ],
    alice,
  )
  // From here on no cut-out and face detection is possible.
  for (const id of Object.keys(bundles))
    await call(server, 'POST', `/api/v1/admin/features/${id}/uninstall`, { token: admin })
})

test('the plain route keeps the cut-out and its picture, and reports both', async () => {
  const own = `/api/v1/download/${cut.jobId}`
  expect(cut).toMatchObject({
    downloadUrl: `${own}/my%20photo_mask.png`,
    maskUrl: `${own}/my%20photo_mask.png`,
    originalUrl: `${own}/my%20photo_original.png`,
    ...{ filename: 'my photo.png', model: 'u2netp' },
  })
  const [mask, original] = [await fetched(cut.maskUrl!), await fetched(cut.originalUrl!)]
  // Removed parts are also removed from the file.
  expect(await coloursOf(mask.bytes)).toEqual([
    [255, 0, 0, 255],
    [0, 0, 0, 0],
  ])
  expect(await coloursOf(original.bytes)).toEqual([
    [255, 0, 0, 255],
    [0, 200, 0, 255],
  ])
  const status = await fetched(`/api/v1/jobs/${cut.jobId}`)
  expect(status.json).toMatchObject({ toolId: 'remove-background' })
})

test('the plain route also checks the settings of the whole tool', async () => {
  const parts: [string, Part][] = [
    ['file', await picture()],
    ['settings', JSON.stringify({ backgroundType: 'color' })],
  ]
  expect((await send(server, ROUTE, parts, alice)).json).toMatchObject({ code: 'INVALID_SETTINGS' })
})

describe('effects', () => {
  const named = () => ({ jobId: cut.jobId, filename: cut.filename })

  test('apply to an existing cut-out, without any model', async () => {
    const { status, json } = await effects({
      ...{ ...named(), backgroundType: 'color', backgroundColor: '#0000ff' },
      outputFormat: 'webp',
    })
    expect([status, json]).toEqual([200, expect.objectContaining({ processedSize: expect.any(Number) })])
    expect(json.jobId).not.toBe(cut.jobId)
    expect(json.downloadUrl).toBe(`/api/v1/download/${json.jobId}/my%20photo_nobg.webp`)
    expect(await coloursOf((await fetched(json.downloadUrl)).bytes)).toEqual([
      [255, 0, 0, 255],
      [0, 0, 255, 255],
    ])
  })

  test('use another picture, such as the one to blur', async () => {
    const behind = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#ffff00' } })
      .png()
      .toBuffer()
    const settings = { ...named(), backgroundType: 'image', blurEnabled: true }
    const missing = await effects(settings)
    expect([missing.status, missing.json.code]).toEqual([400, 'INVALID_SETTINGS'])
    const { json } = await effects(settings, alice, [['backgroundImage', { name: 'y.png', bytes: behind }]])
    expect(await coloursOf((await fetched(json.downloadUrl)).bytes)).toEqual([
      [255, 0, 0, 255],
      [255, 255, 0, 255],
    ])
  })

  test('are saved as a version of a library item', async () => {
    const kept = await send(server, '/api/v1/files/upload', [['file', await picture()]], alice)
    const { json } = await effects(named(), alice, [['fileId', kept.json.files[0].id]])
    expect(json.savedFileId).toEqual(expect.any(String))
  })

  test.each([
    ['no settings', '', 400, 'INVALID_SETTINGS'],
    ['settings that are no JSON', '{"jobId":', 400, 'INVALID_SETTINGS'],
    ['no file name', { jobId: 'x' }, 400, 'INVALID_SETTINGS'],
    ['a job that never was', { jobId: 'f3b0c1d2', filename: 'my photo.png' }, 410, 'BACKGROUND_REMOVAL_EXPIRED'],
  ] as const)('%s: refused', async (_, settings, status, code) => {
    const answer = await effects(settings)
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })

  test.each([
    'other.png',
    '../my photo.png',
    '../../../../etc/passwd',
    'my photo_mask.png',
    'my photo\0.png',
    'folder/my photo.png',
  ])('%j is not a file of the job', async (filename) => {
    const answer = await effects({ ...named(), filename })
    expect([answer.status, answer.json.code]).toEqual([410, 'BACKGROUND_REMOVAL_EXPIRED'])
  })

  test('refuses a path as the id of the job', async () => {
    for (const jobId of [`../${cut.jobId}`, `${cut.jobId}/out`, '..'])
      expect((await effects({ ...named(), jobId })).status).toBe(410)
  })

  test("another user's job looks like a missing one", async () => {
    const bob = await makeUser(server, admin, 'bob')
    const [stranger, nobody] = [await effects(named(), bob), await effects({ ...named(), jobId: 'never' }, bob)]
    expect(stranger.json).toEqual(nobody.json)
    expect(stranger.status).toBe(410)
  })

  test('returns 404 for an expired job, also before it is removed', async () => {
    const { expiresAt } = (await fetched(`/api/v1/jobs/${expired.jobId}`)).json
    await until(() => Date.parse(expiresAt) < Date.now())
    const { status, json } = await effects({ jobId: expired.jobId, filename: expired.filename })
    expect([status, json.code]).toEqual([410, 'BACKGROUND_REMOVAL_EXPIRED'])
  })

  test('does not use files with only the names of a cut-out', async () => {
    const bytes = await scene()
    const files = ['x_mask.png', 'x_original.png'].map((name): [string, Part] => ['file', { name, bytes }])
    const { json } = await send(server, '/api/v1/upload', files, alice)
    expect((await effects({ jobId: json.jobId, filename: 'x.png' })).status).toBe(410)
  })

  test('refuses an uploaded file', async () => {
    const answer = await effects(named(), alice, [['file', await picture()]])
    expect([answer.status, answer.json.code]).toEqual([400, 'TOO_MANY_FILES'])
  })

  test('returns 404 after the job was deleted', async () => {
    const { json } = await effects(named())
    await call(server, 'DELETE', `/api/v1/jobs/${cut.jobId}`, { token: alice })
    expect((await effects(named())).json.code).toBe('BACKGROUND_REMOVAL_EXPIRED')
    // Its results are independent.
    expect((await fetched(json.downloadUrl)).status).toBe(200)
  })
})

test('refuses a background from a secondary file in batches and pipelines', async () => {
  const steps = { steps: [{ toolId: 'remove-background', settings: { backgroundType: 'image' } }] }
  const parts: [string, Part][] = [['file', await picture()]]
  const batch = await send(
    server,
    `${ROUTE}/batch`,
    [...parts, ['settings', JSON.stringify(steps.steps[0]!.settings)]],
    alice,
  )
  const pipeline = await send(
    server,
    '/api/v1/pipeline/execute',
    [...parts, ['pipeline', JSON.stringify(steps)]],
    alice,
  )
  expect([batch.status, batch.json.code, pipeline.status, pipeline.json.code]).toEqual([
    ...[400, 'INVALID_SETTINGS', 400, 'INVALID_SETTINGS'],
  ])
})

test('refuses a step without its models before the pipeline runs', async () => {
  const steps = [{ toolId: 'rotate', settings: { angle: 90 } }, { toolId: 'remove-background' }]
  const parts: [string, Part][] = [
    ['file', await picture()],
    ['pipeline', JSON.stringify({ steps })],
  ]
  const { status, json } = await send(server, '/api/v1/pipeline/execute', parts, alice)
  expect([status, json]).toEqual([501, expect.objectContaining({ feature: 'background-removal' })])
  expect(json.completedSteps).toBeUndefined()
})

describe('passport photos', () => {
  const asked = () => {
    const { jobId, filename, landmarks, imageWidth, imageHeight } = analysed.json
    return { jobId, filename, landmarks, imageWidth, imageHeight, countryCode: 'US' }
  }
  const generate = (body: object, token = alice) =>
    call(server, 'POST', `${PASSPORT}/generate`, { token, body: body as Record<string, unknown> })

  test('refuses the whole tool and names its steps; reports missing models first', async () => {
    expect([refusedWhole.status, refusedWhole.json.error]).toEqual([
      400,
      'passport-photo works in steps: passport-photo/analyze, then passport-photo/generate',
    ])
    const now = await send(server, PASSPORT, [['file', await portrait()]], alice)
    expect([now.status, now.json.code]).toEqual([501, 'FEATURE_NOT_INSTALLED'])
    const analysis = await send(server, `${PASSPORT}/analyze`, [['file', await portrait()]], alice)
    expect([analysis.status, analysis.json.feature]).toEqual([501, 'background-removal'])
  })

  test('analyze returns immediately with the head, the sizes and a preview', async () => {
    expect([analysed.status, analysed.json]).toEqual([
      200,
      expect.objectContaining({
        filename: 'me.png',
        imageWidth: 260,
        imageHeight: 320,
        previewWidth: 260,
        previewHeight: 320,
      }),
    ])
    const { landmarks, preview } = analysed.json
    expect(Object.keys(landmarks).sort()).toEqual([
      ...['chin', 'crown', 'eyeCenter', 'faceCenterX', 'forehead', 'leftEye', 'nose', 'rightEye'],
    ])
    expect(landmarks.chin.y).toBeCloseTo(190 / 320, 2)
    expect(await sharp(Buffer.from(preview, 'base64')).metadata()).toMatchObject({ format: 'png', hasAlpha: true })
    expect([analysedAgain.status, analysedAgain.json.code]).toEqual([409, 'CONFLICT'])
  })

  test('generate creates the photo and the sheet of the analysis, without a model', async () => {
    const { status, json } = await generate({ ...asked(), printLayout: '4x6', bgColor: '#0000ff' })
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({
        dimensions: { widthMm: 51, heightMm: 51, widthPx: 602, heightPx: 602, dpi: 300 },
        spec: {
          ...{ country: 'United States', countryCode: 'US', documentType: 'passport', documentLabel: 'Passport' },
          source: expect.stringMatching(/^https:/),
        },
        downloadUrl: `/api/v1/download/${json.jobId}/me_passport.jpg`,
        printDownloadUrl: `/api/v1/download/${json.jobId}/me_passport_print_4x6.jpg`,
      }),
    ])
    const photo = await fetched(json.downloadUrl)
    expect(await sharp(photo.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 602, density: 300 })
    const corner = [...(await sharp(photo.bytes).raw().toBuffer()).subarray(0, 3)]
    expect(corner.map((value) => Math.round(value / 10) * 10)).toEqual([0, 0, 250])
    expect(await sharp((await fetched(json.printDownloadUrl)).bytes).metadata()).toMatchObject({ width: 1205 })
  })

  test('the id that the client chose names the analysis, too', async () => {
    expect((await generate({ ...asked(), jobId: 'my-analysis' })).status).toBe(200)
  })

  test.each([
    ['an analysis that is gone', { jobId: 'never' }, 422, 'PROCESSING_FAILED'],
    ['another name', { filename: 'you.png' }, 422, 'PROCESSING_FAILED'],
    ['a path', { filename: '../me.png' }, 422, 'PROCESSING_FAILED'],
    ['a country without rules', { countryCode: 'ZZ' }, 400, 'INVALID_SETTINGS'],
    ['no landmarks', { landmarks: undefined }, 400, 'INVALID_SETTINGS'],
    ['a landmark that is none', { landmarks: { chin: 1 } }, 400, 'INVALID_SETTINGS'],
    ['a limit that no photo meets', { maxFileSizeKb: 1 }, 422, 'TARGET_UNREACHABLE'],
  ] as const)('%s is refused', async (_, more, status, code) => {
    const answer = await generate({ ...asked(), ...more })
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })

  test("returns 404 for another user's analysis", async () => {
    const carol = await makeUser(server, admin, 'carol')
    expect((await generate(asked(), carol)).status).toBe(422)
  })
})
