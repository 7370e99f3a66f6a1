/** Every text and list in a request has a limit, which the description of the API declares. */

import { beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { MAX_ID, MAX_IDS } from '../../src/server/http/limits.ts'
import { everySignIn } from '../helpers/every-sign-in.ts'
import { call, type Served, send, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'

interface Schema {
  [keyword: string]: unknown
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
}

let server: Served
let admin: string
let document: { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }

interface Operation {
  parameters?: { name: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

beforeAll(async () => {
  server = await serveHere({ environment: everySignIn() })
  admin = await signIn(server)
  document = parse((await call(server, 'GET', '/api/v1/openapi.yaml')).bytes.toString())
})

/** Texts without a maximum length and lists without a maximum number below a schema, as paths. */
function unbounded(schema: Schema, at: string): string[] {
  // The JSON text as a whole has a limit.
  if (schema['x-maxLength'] !== undefined) return []
  if (schema.$ref) return unbounded(document.components.schemas[schema.$ref.split('/').at(-1)!]!, at)
  const isOpenText = schema.type === 'string' && schema.maxLength === undefined && !schema.enum && !schema.const
  const isOpenList = schema.type === 'array' && schema.maxItems === undefined
  const here = (isOpenText && schema.format !== 'binary') || isOpenList ? [at] : []
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => unbounded(one, `${at}.${name}`))
  const items = schema.items ? unbounded(schema.items, `${at}[]`) : []
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => (schema[name] as Schema[] | undefined) ?? [])
  return [...here, ...below, ...items, ...choices.flatMap((one) => unbounded(one, at))]
}

test('no route accepts unlimited texts or lists', () => {
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => [
      ...parameters.flatMap(({ name, schema }) => unbounded(schema, `${method} ${path} ?${name}`)),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => unbounded(schema, `${method} ${path}`)),
    ]),
  )
  expect(found).toEqual([])
})

const remove = async (ids: readonly unknown[]) =>
  (await call(server, 'DELETE', '/api/v1/files', { token: admin, body: { ids } })).status

test('a list of ids has a limit, and so does each id', async () => {
  expect(await remove(Array.from({ length: MAX_IDS + 1 }, () => 'x'))).toBe(400)
  expect(await remove(['x'.repeat(MAX_ID + 1)])).toBe(400)
  expect(await remove(Array.from({ length: MAX_IDS }, () => 'x'.repeat(MAX_ID)))).toBe(200)
})

test('the audit log names the deleted records, and nothing else of the request', async () => {
  const file = ['file', { name: 'a.txt', bytes: Buffer.from('text') }] as const
  const { id } = (await send(server, '/api/v1/files/upload', [file], admin)).json.files[0]
  const unknown = Array.from({ length: 50 }, (_, index) => `unknown-${index}`)
  expect(await remove([...unknown, id])).toBe(200)
  const { entries } = (await call(server, 'GET', '/api/v1/audit-log?action=FILE_DELETED', { token: admin })).json
  expect(entries).toHaveLength(1)
  expect(entries[0].details).toEqual({ ids: [id], deleted: 1 })
})

test('a text field of a form is short unless it is JSON', async () => {
  const field = (name: string) => send(server, '/api/v1/upload', [[name, 'x'.repeat(2000)]], admin)
  expect((await field('fileId')).json).toMatchObject({
    code: 'INVALID_MULTIPART',
    error: expect.stringContaining('1024'),
  })
})
