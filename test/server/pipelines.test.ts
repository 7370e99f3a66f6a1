import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryPath } from '../helpers/av.ts'
import { fromSamples, photo, readPixels } from '../helpers/picture.ts'
import { readZip } from '../helpers/raw-zip.ts'
import { call, makeUser, type Part, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { statusOf } from '../helpers/server-jobs.ts'

type Step = { toolId: string; settings?: object }
type Parts = (readonly [string, Part])[]

let server: Served
let admin: string
let user: string
let png: Buffer

const file = (name = 'a.png', bytes: Uint8Array = png) => ['file', { name, bytes }] as const
const text = (name: string, value: string) => [name, value] as const
const pipeline = (...steps: Step[]) => text('pipeline', JSON.stringify({ steps }))
const run = (parts: Parts, path = 'execute') => send(server, `/api/v1/pipeline/${path}`, parts, user)
const fetched = async (url: string) => (await call(server, 'GET', url, { token: user })).bytes
const RESIZE = { toolId: 'resize', settings: { width: 20 } }
const ROTATE = { toolId: 'rotate', settings: { angle: 90 } }

beforeAll(async () => {
  server = await serveHere()
  admin = await signIn(server)
  user = await makeUser(server, admin, 'gitta')
  png = await fromSamples(photo(40, 30)).png().toBuffer()
})

describe('executing', () => {
  test('gives the same as the single tools in sequence', async () => {
    const steps = [RESIZE, ROTATE, { toolId: 'sharpening', settings: {} }]
    const { status, json } = await run([file(), pipeline(...steps)])
    const together = await fetched(json.downloadUrl)
    expect([status, json]).toEqual([
      200,
      {
        jobId: expect.any(String),
        downloadUrl: expect.stringMatching(/^\/api\/v1\/download\/.+\.png$/),
        originalSize: png.length,
        processedSize: together.length,
        stepsCompleted: 3,
        steps: steps.map(({ toolId }, index) => ({ step: index + 1, toolId, size: expect.any(Number), fused: 3 })),
      },
    ])
    let bytes = png
    for (const { toolId, settings } of steps) {
      const parts = [file('a.png', bytes), text('settings', JSON.stringify(settings))]
      bytes = await fetched((await send(server, `/api/v1/tools/image/${toolId}`, parts, user)).json.downloadUrl)
    }
    const [one, other] = [await readPixels(together), await readPixels(bytes)]
    expect([one.width, one.height]).toEqual([15, 20])
    expect(one.data.equals(other.data)).toBe(true)
    expect(await statusOf(server, user, json.jobId)).toMatchObject({ type: 'pipeline', toolId: null, result: json })
  })

  test.each([
    ['params', { params: { width: 8 }, steps: [RESIZE] }],
    ['matrix', { matrix: { width: [8] }, steps: [RESIZE] }],
    ['variants', { steps: [RESIZE], variants: [{ name: 'a', steps: [ROTATE] }] }],
    ['rows', { rows: 'a.csv', steps: [RESIZE] }],
    ['manifest', { manifest: 'a.json', steps: [RESIZE] }],
    ['steps.1.when', { steps: [ROTATE, { ...RESIZE, when: { width: { over: 8 } } }] }],
    ['steps.0.include', { steps: [{ include: '/etc/passwd' }] }],
  ])('refuses %s of pipeline files', async (name, definition) => {
    const { status, json } = await run([file(), text('pipeline', JSON.stringify(definition))])
    expect([status, json.code]).toEqual([400, 'INVALID_PIPELINE'])
    expect(JSON.stringify(json)).toContain(`${name}: only a pipeline file for mediaproc run can have it`)
    const saved = await call(server, 'POST', '/api/v1/pipeline/save', {
      token: user,
      body: { name: 'x', ...definition },
    })
    expect(saved.status).toBe(400)
  })

  test('answers several files as a batch, and one file on the batch route, too', async () => {
    const several = await run([file('a.png'), file('b.png'), pipeline(RESIZE), text('clientJobId', 'pair')])
    expect([several.status, several.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(several.headers.get('content-disposition')).toBe('attachment; filename="pipeline-batch-pair.zip"')
    const one = await run([file('a.png'), pipeline(RESIZE)], 'batch')
    expect(one.headers.get('content-disposition')).toMatch(/filename="pipeline-batch-[0-9a-f]{8}\.zip"$/)
    const path = temporaryPath('pipeline.zip')
    writeFileSync(path, several.bytes)
    const entries = await readZip(path)
    expect(entries.map(({ name }) => name)).toHaveLength(2)
    for (const { data } of entries) expect((await readPixels(data)).width).toBe(20)
    const again = await run([file('a.png'), file('b.png'), pipeline(RESIZE), text('clientJobId', 'pair')])
    expect([again.status, again.json.code]).toEqual([409, 'CONFLICT'])
  })
})

describe('content-aware resize', () => {
  const settings = { width: 30, contentAware: true, fit: 'cover' }

  test('uses the tool for it: in a pipeline, alone and in a batch', async () => {
    const piped = await run([file(), pipeline({ toolId: 'resize', settings })])
    expect(piped.json.steps).toEqual([{ step: 1, toolId: 'content-aware-resize', size: expect.any(Number) }])
    const parts = [file(), text('settings', JSON.stringify(settings))]
    const { status, headers, json } = await send(server, '/api/v1/tools/image/resize', parts, user)
    expect([status, headers.get('x-ignored-settings')]).toEqual([200, 'fit'])
    expect(await statusOf(server, user, json.jobId)).toMatchObject({ toolId: 'content-aware-resize' })
    const [one, other] = [await fetched(piped.json.downloadUrl), await fetched(json.downloadUrl)]
    expect((await readPixels(one)).data.equals((await readPixels(other)).data)).toBe(true)
    const batch = await send(server, '/api/v1/tools/image/resize/batch', parts, user)
    expect(batch.headers.get('content-disposition')).toContain('batch-content-aware-resize')
  })

  test('is unavailable if that tool is disabled', async () => {
    const set = (ids: string[]) =>
      call(server, 'PUT', '/api/v1/settings', { token: admin, body: { disabledTools: ids } })
    await set(['content-aware-resize'])
    const alone = await send(
      server,
      '/api/v1/tools/image/resize',
      [file(), text('settings', JSON.stringify(settings))],
      user,
    )
    const piped = await run([file(), pipeline({ toolId: 'resize', settings })])
    await set([])
    expect([alone.status, piped.status, piped.json.code]).toEqual([404, 400, 'UNKNOWN_TOOL'])
    expect(piped.json.error).toMatch(/^Step 1 \(resize\)/)
  })
})

describe('a definition', () => {
  const refusal = async (...parts: Parts) => {
    const { status, json } = await run([file(), ...parts])
    return { ...json, code: `${status} ${json.code}` }
  }

  test('is JSON with at least one step, and at most MAX_PIPELINE_STEPS', async () => {
    for (const definition of ['nope', '[]', '{}', '{"steps":[]}', '{"steps":[{}]}', '{"steps":[{"toolId":5}]}', 'null'])
      expect([definition, await refusal(text('pipeline', definition))]).toMatchObject([
        definition,
        { code: '400 INVALID_PIPELINE', details: expect.any(String) },
      ])
    expect((await refusal()).code).toBe('400 INVALID_PIPELINE')
    expect((await refusal(pipeline(...Array(21).fill(ROTATE)))).code).toBe('400 INVALID_PIPELINE')
    expect((await run([file(), pipeline(...Array(20).fill(ROTATE))])).json.stepsCompleted).toBe(20)
  })

  test('has existing tools with one input file and one output file, and no passwords', async () => {
    const unknown = await refusal(pipeline(RESIZE, { toolId: 'no-such-tool' }))
    expect([unknown.code, unknown.error]).toEqual([
      '400 UNKNOWN_TOOL',
      expect.stringMatching(/^Step 2 \(no-such-tool\)/),
    ])
    for (const toolId of ['protect-pdf', 'collage', 'info', 'merge-pdf']) {
      const { code, error } = await refusal(pipeline(RESIZE, { toolId }))
      expect([code, error]).toEqual(['400 INVALID_PIPELINE', expect.stringMatching(`^Step 2 \\(${toolId}\\)`)])
    }
  })

  test('has valid settings: each error names its step', async () => {
    const { code, error, details } = await refusal(pipeline(RESIZE, { toolId: 'convert', settings: { format: 'xyz' } }))
    expect([code, error]).toEqual(['400 INVALID_SETTINGS', expect.stringMatching(/^Step 2 \(convert\)/)])
    expect(details).toEqual([{ path: 'format', message: expect.any(String) }])
    const fixed = await refusal(pipeline({ toolId: 'png-to-jpg', settings: { format: 'gif' } }))
    expect([fixed.code, fixed.details]).toEqual([
      '400 INVALID_SETTINGS',
      [{ path: 'format', message: 'fixed by this preset' }],
    ])
    expect((await refusal(pipeline({ toolId: 'resize' }))).error).toMatch(/^Step 1 \(resize\)/)
  })

  test('reports only its first invalid step', async () => {
    const bad = { toolId: 'resize', settings: { width: 'x' } }
    const unknown = { toolId: 'no-such-tool' }
    expect((await refusal(pipeline(bad, unknown))).error).toMatch(/^Step 1 \(resize\)/)
    expect((await refusal(pipeline(unknown, bad))).error).toMatch(/^Step 1 \(no-such-tool\)/)
    const misfit = await refusal(pipeline(RESIZE, { toolId: 'rotate-pdf' }))
    expect([misfit.code, misfit.details]).toEqual([
      '400 INVALID_PIPELINE',
      expect.stringContaining('pdf/rotate-pdf takes pdf'),
    ])
  })

  test('contains literal text, and ignores unknown settings', async () => {
    const caption = { toolId: 'text-overlay', settings: { text: `\${HOME}: [*a] # "x"`, sahpe: 1 } }
    expect(await run([file(), pipeline(caption)])).toMatchObject({ status: 200, json: { stepsCompleted: 1 } })
    const framed = { toolId: 'beautify', settings: { backgroundImage: '/etc/hostname' } }
    expect((await run([file(), pipeline(framed)])).status).toBe(200)
  })

  test('requires a file, which the first step uses', async () => {
    expect((await run([pipeline(RESIZE)])).json.code).toBe('NO_FILE')
    expect((await run([file('a.png', Buffer.alloc(0)), pipeline(RESIZE)])).json.code).toBe('NO_FILE')
    const wrong = await run([file('a.png', Buffer.from('hello')), pipeline(RESIZE)])
    expect([wrong.status, wrong.json.code]).toEqual([400, 'INVALID_FILE'])
  })
})

test('a failing step: 422, its message, and the steps before it', async () => {
  const crop = { toolId: 'crop', settings: { left: 100, top: 100, width: 10, height: 10 } }
  const { status, json } = await run([file(), pipeline(RESIZE, crop, ROTATE)])
  expect([status, json]).toEqual([
    422,
    {
      ...{ error: 'Processing failed', code: 'PROCESSING_FAILED', step: 2 },
      details: expect.stringContaining('step 2 (image/crop): The rectangle'),
      completedSteps: [{ step: 1, toolId: 'resize', size: expect.any(Number), fused: 3 }],
    },
  ])
  const broken = await run([file('a.png', png.subarray(0, 60)), pipeline(RESIZE)])
  expect([broken.status, broken.json]).toMatchObject([422, { code: 'PROCESSING_FAILED', completedSteps: [] }])
})

describe('saved pipelines', () => {
  const save = (body: object, token = user) => call(server, 'POST', '/api/v1/pipeline/save', { token, body })
  const list = async (token = user) => (await call(server, 'GET', '/api/v1/pipeline/list', { token })).json.pipelines
  const remove = (id: string, token = user) => call(server, 'DELETE', `/api/v1/pipeline/${id}`, { token })

  test('can be saved, listed by their owner and by pipelines:all, and deleted', async () => {
    const { status, json } = await save({ name: 'small', description: 'for mails', steps: [RESIZE] })
    const kept = { id: json.id, name: 'small', description: 'for mails', steps: [RESIZE], createdAt: json.createdAt }
    expect([status, json]).toEqual([201, kept])
    expect((await save({ name: 'plain', steps: [{ toolId: 'strip-metadata' }] })).json.description).toBe(null)
    expect(await list()).toHaveLength(2)
    const stranger = await makeUser(server, admin, 'hans')
    expect(await list(stranger)).toEqual([])
    expect((await remove(json.id, stranger)).json).toEqual({ error: 'Not found', code: 'NOT_FOUND' })
    expect((await remove('unknown')).status).toBe(404)
    expect(await list(admin)).toContainEqual({ ...kept, userId: expect.any(String) })
    expect((await remove(json.id, admin)).json).toEqual({ ok: true })
    expect(await list()).toHaveLength(1)
  })

  test('are checked when saved; returns errors as a list', async () => {
    const codes = []
    for (const body of [
      { name: '', steps: [RESIZE] },
      { name: 'x'.repeat(101), steps: [RESIZE] },
      { name: 'x', description: 'x'.repeat(501), steps: [RESIZE] },
      { name: 'x', steps: [] },
      { steps: [RESIZE] },
    ]) {
      const { status, json } = await save(body)
      expect(json.details[0]).toEqual({ path: expect.any(String), message: expect.any(String) })
      codes.push(`${status} ${json.code}`)
    }
    expect(new Set(codes)).toEqual(new Set(['400 VALIDATION_ERROR']))
    expect((await save({ name: 'x', steps: [{ toolId: 'nothing' }] })).json.code).toBe('UNKNOWN_TOOL')
    expect((await save({ name: 'x', steps: [{ toolId: 'resize', settings: { width: 'x' } }] })).json).toMatchObject({
      code: 'INVALID_SETTINGS',
      details: [{ path: 'width' }],
    })
  })

  test('lists the tools that may be steps', async () => {
    const { toolIds } = (await call(server, 'GET', '/api/v1/pipeline/tools', { token: user })).json
    expect(toolIds).toEqual(expect.arrayContaining(['resize', 'png-to-jpg', 'convert-audio', 'rotate-pdf']))
    for (const id of ['info', 'collage', 'protect-pdf', 'watermark-image']) expect(toolIds).not.toContain(id)
  })
})
