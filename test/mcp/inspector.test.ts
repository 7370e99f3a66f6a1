/** `mediaproc mcp` and `/mcp` of a server, through the command line of the MCP Inspector. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Inspected, inspect, installInspector } from '../helpers/inspector.ts'
import { PROGRAM } from '../helpers/program.ts'
import { call, makeUser, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

let program: string
let home: string
let folder: string
let picture: Buffer
/** Arguments that name the server. */
let http: string[]
let local: string[]

beforeAll(async () => {
  program = await installInspector()
  home = join(temporaryFolder(), 'home')
  folder = temporaryFolder()
  picture = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#3366cc' } })
    .png()
    .toBuffer()
  writeFileSync(join(folder, 'a.png'), picture)
  local = [process.execPath, PROGRAM, 'mcp', '--root', folder]
  const server = await serveHere({})
  const token = await makeUser(server, await signIn(server), 'ulla')
  const { json } = await call(server, 'POST', '/api/v1/api-keys', { token, body: { name: 'agent' } })
  http = [`${server.base}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${json.key}`]
}, 300_000)

const callOf = (name: string, given: object): string[] => [
  ...['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(given)],
]

describe.each([
  ['standard input and output', 'local'],
  ['Streamable HTTP', 'http'],
] as const)('over %s', (_name, place) => {
  const ask = (...args: string[]): Promise<Inspected> =>
    inspect(program, home, [...(place === 'local' ? local : http), ...args])
  const fileOf = () => (place === 'local' ? 'a.png' : { name: 'a.png', content: picture.toString('base64') })

  test.each(['legacy', 'modern'])('the schemas of the tools have no portability problems: %s protocol', async (era) => {
    const { code, json, stderr } = await ask('--method', 'tools/list', '--strict', '--protocol-era', era)
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/portab|problem|warning|error/i)])
    expect(json.tools.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['search_tools', 'list_tools', 'describe_tool', 'run_tool', 'run_pipeline']),
    )
  })

  test('a tool is found and run; its result is a resource that can be read', async () => {
    const found = await ask(...callOf('search_tools', { query: 'scale image' }))
    expect(found.json.structuredContent.tools[0].id).toBe('image/resize')
    const run = { tool: 'image/resize', files: [fileOf()], settings: { width: 20 } }
    const { code, json } = await ask(...callOf('run_tool', run))
    expect([code, json.isError ?? false]).toEqual([0, false])
    const link = json.content.find(({ type }: { type: string }) => type === 'resource_link')
    const read = await ask('--method', 'resources/read', '--uri', link.uri)
    // Results of local runs are files; each start of the program has only those of its folders.
    if (place === 'http') {
      const listed = await ask('--method', 'resources/list')
      expect(listed.json.resources.map(({ uri }: { uri: string }) => uri)).toContain(link.uri)
    } else expect(read.json.contents[0].blob).toBe(readFileSync(join(folder, 'a_resize.png')).toString('base64'))
    const bytes = Buffer.from(read.json.contents[0].blob, 'base64')
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 20, height: 13 })
  })

  test('templates are listed, and there are no prompts', async () => {
    const templates = await ask('--method', 'resources/templates/list')
    expect(templates.json.resourceTemplates.length).toBe(1)
    const { code, json } = await ask('--method', 'prompts/list')
    expect([code, json]).toEqual([0, { prompts: [] }])
  })

  test('a failed call is an error with a code; unknown resources and tools are refused', async () => {
    const wrong = await ask(...callOf('run_tool', { tool: 'image/resize', files: [fileOf()], settings: { width: 0 } }))
    expect([wrong.json.isError, wrong.json.content[0].text]).toEqual([
      true,
      expect.stringContaining('INVALID_SETTINGS'),
    ])
    const read = await ask('--method', 'resources/read', '--uri', 'mediaproc://jobs/none/a.png')
    expect([read.code > 0, read.stderr]).toEqual([true, expect.stringContaining('NOT_FOUND')])
  })
})

test('without a key, the server refuses', async () => {
  const { code, stderr } = await inspect(program, home, [
    ...http.slice(0, 3),
    ...['--stored-auth-only', '--method', 'tools/list'],
  ])
  expect([code > 0, stderr]).toEqual([true, expect.stringMatching(/auth|401/i)])
})
