/** The plan of a pipeline over HTTP, and changes of kept pipelines. */
import { beforeAll, describe, expect, test } from 'vitest'
import { call, makeUser, type Served, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

type Step = { toolId: string; settings?: object }

let server: Served
let admin: string
let user: string

const RESIZE = { toolId: 'resize', settings: { width: 20 } }
const ROTATE = { toolId: 'rotate', settings: { angle: 90 } }

beforeAll(async () => {
  server = await serveHere({ environment: { MAX_PIPELINE_STEPS: '5', RATE_LIMIT_PER_MIN: '0' } })
  admin = await signIn(server)
  user = await makeUser(server, admin, 'petra')
})

describe('explain', () => {
  const explain = (steps: Step[], token = user) =>
    call(server, 'POST', '/api/v1/pipeline/explain', { token, body: { steps } })

  test('shows which steps run as one, what each gives, and the tools that fit after them', async () => {
    const { status, json } = await explain([{ toolId: 'compress-pdf' }, { toolId: 'pdf-to-image' }, RESIZE, ROTATE])
    expect([status, json.faults, json.accept]).toEqual([200, [], ['pdf']])
    expect(json.groups.map(({ steps }: { steps: number[] }) => steps)).toEqual([[1], [2], [3, 4]])
    expect(json.groups[2]).toEqual({ medium: 'image', steps: [3, 4], reads: 'file', writes: 'output' })
    expect(json.steps[0]).toEqual({ step: 1, toolId: 'compress-pdf', gives: ['pdf'], several: false })
    expect(json.steps[1].several).toBe(true)
    expect(json.next).toContain('sharpening')
    expect(json.next).not.toContain('compress-pdf')
    // Tools with passwords, and those that join files, are no steps.
    for (const id of ['protect-pdf', 'merge-pdf']) expect(json.next).not.toContain(id)
  })

  test('needs no file: steps that are planned for a media file have no commands, and name no path', async () => {
    const { json, bytes } = await explain([{ toolId: 'trim-video', settings: { endS: 2 } }, { toolId: 'video-to-gif' }])
    expect(json.faults).toEqual([])
    expect(json.groups[0]).toMatchObject({ medium: 'av', reads: 'input' })
    expect(bytes.toString()).not.toMatch(/commands|INPUT|"\//)
  })

  test('reports the faults of all steps, each at its step', async () => {
    const { status, json } = await explain([
      { toolId: 'resize', settings: { width: -1 } },
      { toolId: 'no-such-tool' },
      { toolId: 'protect-pdf' },
      { toolId: 'rotate', settings: { angle: 'left' } },
    ])
    expect([status, json.groups, json.steps, json.next]).toEqual([200, [], [], []])
    expect(json.faults.map(({ step, setting }: { step: number; setting?: string }) => [step, setting])).toEqual(
      expect.arrayContaining([
        [1, 'width'],
        [2, undefined],
        [3, undefined],
        [4, 'angle'],
      ]),
    )
    const { json: misplaced } = await explain([RESIZE, { toolId: 'compress-pdf' }])
    expect(misplaced.faults).toEqual([
      expect.objectContaining({ step: 2, message: expect.stringContaining('takes pdf, and image/resize gives') }),
    ])
  })

  test('names the settings that have no effect', async () => {
    const settings = { text: 'x', colour: 'red' }
    const { json } = await explain([RESIZE, { toolId: 'watermark-text', settings }, { toolId: 'nothing', settings }])
    expect(json.ignored).toEqual([{ step: 2, setting: 'colour' }])
  })

  test('is limited as a run is, and only offers the tools of the role', async () => {
    expect((await explain(Array.from({ length: 6 }, () => RESIZE))).json.code).toBe('INVALID_PIPELINE')
    expect((await explain([])).status).toBe(400)
    const body = {
      ...{ name: 'drawers', permissions: ['tools:use'] },
      toolPermissions: { mode: 'tool', allowed: ['resize', 'rotate'] },
    }
    await call(server, 'POST', '/api/v1/roles', { token: admin, body })
    const drawer = await makeUser(server, admin, 'dirk', 'drawers')
    expect((await explain([RESIZE], drawer)).json.next.sort()).toEqual(['resize', 'rotate'])
    const { json } = await explain([RESIZE, { toolId: 'sharpening' }], drawer)
    expect(json.faults).toEqual([expect.objectContaining({ step: 2 })])
  })
})

describe('a kept pipeline', () => {
  const change = (id: string, body: object, token = user) =>
    call(server, 'PATCH', `/api/v1/pipeline/${id}`, { token, body })

  test('is read and changed by its owner alone; a refused change leaves it as it is', async () => {
    const body = { name: 'small', description: 'for the shop', steps: [RESIZE] }
    const { json: kept } = await call(server, 'POST', '/api/v1/pipeline/save', { token: user, body })
    const path = `/api/v1/pipeline/${kept.id}`
    const renamed = await change(kept.id, { name: 'smaller' })
    expect([renamed.status, renamed.json]).toEqual([200, { ...kept, name: 'smaller' }])
    const faulty = await change(kept.id, { name: 'x', steps: [{ toolId: 'resize', settings: { width: -1 } }] })
    expect([faulty.status, faulty.json.code]).toEqual([400, 'INVALID_SETTINGS'])
    for (const wrong of [{}, { name: '' }, { steps: [] }]) expect((await change(kept.id, wrong)).status).toBe(400)
    const other = await makeUser(server, admin, 'olga')
    expect((await change(kept.id, { name: 'mine' }, other)).status).toBe(404)
    expect((await call(server, 'GET', path, { token: other })).status).toBe(404)
    expect((await call(server, 'GET', path, { token: user })).json).toEqual({ ...kept, name: 'smaller' })
    const turned = await change(kept.id, { steps: [RESIZE, ROTATE] })
    expect(turned.json.steps).toEqual([RESIZE, ROTATE])
    const { json } = await call(server, 'GET', '/api/v1/pipeline/list', { token: user })
    expect(json.pipelines).toEqual([turned.json])
    await call(server, 'DELETE', path, { token: user })
    expect((await change(kept.id, { name: 'gone' })).status).toBe(404)
  })
})
