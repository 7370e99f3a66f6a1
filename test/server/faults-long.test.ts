import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { mapConcurrently } from '../../src/concurrency.ts'
import { rawCall } from '../helpers/http.ts'
import { call, type Part, send, signIn, startServer, type TestServer } from '../helpers/server.ts'
import { resize } from '../helpers/server-jobs.ts'

/** Maximum duration of a turn of the event loop, which delays all requests. */
const LONGEST_MS = 500
const WATCH = new URL('../helpers/event-loop-delay.mjs', import.meta.url).href

/** Inputs that careless code cuts, trims, normalises or searches in quadratic time. */
const ODD = ['.', ' x', '<a', '\u0316\u0301', '😀', '/a', '"', '%', '\\', 'a-1.']
const odd = (index: number, length: number): string => {
  const unit = ODD[index % ODD.length]!
  return `${unit.repeat(length / unit.length)}x`
}

/** As many values as a body may have, less a few for what holds them. */
const MOST_VALUES = 49_900

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

interface Route {
  method: string
  path: string
  takes: 'json' | 'form' | undefined
  /** The fields of its body. */
  names: string[]
}

/** The part of an OpenAPI document that describes requests. */
interface Paths {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema?: Schema }> } }>>
}
interface Schema {
  properties?: Record<string, unknown>
}

let server: TestServer
let token: string
let routes: Route[]

beforeAll(async () => {
  const environment = { NODE_OPTIONS: `--import ${WATCH}`, WATCH_LOOP_MS: String(LONGEST_MS) }
  server = await startServer({ environment })
  token = await signIn(server)
  const { paths } = parse((await rawCall(server, { path: '/api/v1/openapi.yaml' })).text) as Paths
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => {
      const { 'multipart/form-data': form, 'application/json': json } = requestBody?.content ?? {}
      const names = Object.keys((form ?? json)?.schema?.properties ?? {})
      return { method: method.toUpperCase(), path, takes: form ? 'form' : json && 'json', names }
    }),
  )
})

afterAll(async () => {
  expect((await resize(server, await signIn(server))).status).toBe(200)
  expect(await server.stop()).toBe(0)
})

/** Sends concurrent requests: none may cause an internal error, or delay other responses. */
async function expectQuick(requests: readonly (() => Promise<{ status: number }>)[]): Promise<void> {
  const before = server.log().length
  const statuses = await mapConcurrently(requests, 4, async (request) => (await request()).status)
  expect(statuses.filter((status) => status === 500 || status > 501)).toEqual([])
  expect((await call(server, 'GET', '/api/v1/health')).json.status).toBe('healthy')
  const said = server.log().slice(before).split('\n')
  const slow = said.flatMap((line, at) =>
    /the event loop computed|an unexpected error/.test(line) ? said.slice(Math.max(0, at - 1), at + 3) : [],
  )
  expect(slow).toEqual([])
}

const isTool = ({ path }: Route): boolean => path.startsWith('/api/v1/tools/')

async function ask({ method, path }: Pick<Route, 'method' | 'path'>, body?: unknown): Promise<{ status: number }> {
  const headers = { authorization: `Bearer ${token}` }
  const text = JSON.stringify(body)
  const type = { 'content-type': 'application/json' }
  const options = body === undefined ? { method, headers } : { method, headers: { ...headers, ...type }, body: text }
  const response = await fetch(server.base + path.replace(/\{\w+\}/g, 'x'), options)
  // Progress streams would not end.
  await response.body?.cancel()
  return response
}

test('bodies with long texts, many names and many values', async () => {
  const taking = routes.filter(({ takes }) => takes === 'json')
  expect(taking.length).toBeGreaterThan(10)
  await expectQuick(
    taking.flatMap((route, at) => {
      const each = (value: (index: number) => unknown) =>
        Object.fromEntries(route.names.map((name, index) => [name, value(index)]))
      const share = Math.floor(900_000 / Math.max(1, route.names.length))
      const bodies = [
        each((index) => odd(at + index, share)),
        each(() => many(share / 8, () => '<a.x')),
        each(() => many(Math.min(share / 8, MOST_VALUES / route.names.length), () => '<a.x')),
        Object.fromEntries(many(60_000, (index) => [`name-${index}`, index])),
        Object.fromEntries(many(MOST_VALUES, (index) => [`name-${index}`, index])),
        { [odd(at, 850_000)]: odd(at + 1, 50_000) },
      ]
      return bodies.map((body) => () => ask(route, body))
    }),
  )
})

test('forms with long names of files and long fields', async () => {
  const taking = routes.filter(({ takes }) => takes === 'form')
  expect(taking.length).toBeGreaterThan(100)
  const form = (route: Route, at: number) => {
    const length = isTool(route) ? 20_000 : 900_000
    const names = route.names.filter((name) => name !== 'file')
    const fields = names.map((name, index) => [name, odd(at + index, length)] as const)
    const file: Part = { name: odd(at, 30_000), bytes: Buffer.from('x') }
    return () => send(server, route.path, [['file', file], ...fields], token)
  }
  await expectQuick(taking.map(form))
})

test('forms with many files of one name', async () => {
  const file = ['file', { name: `${'a'.repeat(190)}.txt`, bytes: Buffer.from('a') }] as const
  const taking = routes.filter((route) => route.takes === 'form' && !isTool(route))
  const paths = [
    ...taking.map(({ path }) => path),
    '/api/v1/tools/image/bulk-rename',
    '/api/v1/tools/image/resize/batch',
  ]
  await expectQuick(paths.map((path) => () => send(server, path, new Array(100).fill(file), token)))
})

test('long addresses and queries', async () => {
  const asked = routes.filter(({ takes }) => takes === undefined)
  await expectQuick(
    asked.flatMap(({ method, path }, at) => [
      () => ask({ method, path: path.replace(/\{\w+\}/g, encodeURIComponent(odd(at, 900))) }),
      () => ask({ method, path: `${path}?search=${'%2e'.repeat(4000)}` }),
    ]),
  )
})
