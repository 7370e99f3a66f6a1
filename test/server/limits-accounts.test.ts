import { beforeAll, expect, test } from 'vitest'
import { call, makeUser, PASSWORD, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

let server: ServerHere
let admin: string
let user: string

beforeAll(async () => {
  server = await serveHere({ environment: { TRUST_PROXY: 'true' } })
  admin = await signIn(server)
  user = await makeUser(server, admin, 'una')
})

const refusal = ({ status, json }: { status: number; json: { code: string } }) => [status, json.code]

test('wrong passwords slow down their own address, and never lock out the user with the correct one', async () => {
  const login = (password: string, address: string) =>
    call(server, 'POST', '/api/auth/login', {
      body: { username: 'admin', password },
      headers: { 'x-forwarded-for': address },
    })
  expect((await login(PASSWORD, '10.0.0.1')).status).toBe(200)
  for (let count = 0; count < 10; count++) expect((await login('wrong', '10.0.0.2')).status).toBe(401)
  expect(refusal(await login(PASSWORD, '10.0.0.2'))).toEqual([429, 'RATE_LIMITED'])
  expect((await login(PASSWORD, '10.0.0.3')).status).toBe(200)
  // Addresses of one IPv6 network are one.
  for (let count = 0; count < 10; count++) expect((await login('wrong', `2001:db8::${count}`)).status).toBe(401)
  expect((await login(PASSWORD, '2001:db8:0:0:1::99')).status).toBe(429)
  // From many addresses (the sign-in used one of the hundred): strange addresses wait, and the user can still sign in.
  for (let count = 0; count < 79; count++) expect((await login('wrong', `10.1.0.${count}`)).status).toBe(401)
  expect(refusal(await login(PASSWORD, '10.2.0.1'))).toEqual([429, 'RATE_LIMITED'])
  expect((await login(PASSWORD, '10.0.0.1')).status).toBe(200)
})

test('the number of API keys and the length of their texts are limited', async () => {
  const make = (body: object) => call(server, 'POST', '/api/v1/api-keys', { token: user, body })
  expect(refusal(await make({ name: 'x'.repeat(101) }))).toEqual([400, 'VALIDATION_ERROR'])
  expect(refusal(await make({ permissions: ['x'.repeat(60)] }))).toEqual([400, 'VALIDATION_ERROR'])
  expect(refusal(await make({ permissions: new Array(200).fill('tools:use') }))).toEqual([400, 'VALIDATION_ERROR'])
  const answers = await Promise.all(Array.from({ length: 103 }, () => make({})))
  expect(answers.map(({ status }) => status).sort()).toEqual([...new Array(100).fill(201), 400, 400, 400])
  const [{ id }] = answers.map(({ json }) => json)
  expect((await call(server, 'DELETE', `/api/v1/api-keys/${id}`, { token: user })).status).toBe(200)
  expect((await make({})).status).toBe(201)
})

test('limits number and size of saved pipelines, and refuses settings without effect', async () => {
  const save = (settings: object) => {
    const body = { name: 'small', steps: [{ toolId: 'resize', settings }] }
    return call(server, 'POST', '/api/v1/pipeline/save', { token: user, body })
  }
  const { json } = await save({ width: 20, padding: 'x'.repeat(500_000), w: 1 })
  expect(json.steps).toEqual([{ toolId: 'resize', settings: { width: 20 } }])
  const text = { toolId: 'text-overlay', settings: { text: 'a'.repeat(400_000) } }
  const long = await call(server, 'POST', '/api/v1/pipeline/save', { token: user, body: { name: 'x', steps: [text] } })
  expect(long.status).toBe(400)
  const answers = await Promise.all(Array.from({ length: 201 }, () => save({ width: 20 })))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(199)
  const { pipelines } = (await call(server, 'GET', '/api/v1/pipeline/list', { token: user })).json
  expect(pipelines).toHaveLength(200)
})

test('limits length and number of settings; null removes one', async () => {
  const put = (body: unknown) => call(server, 'PUT', '/api/v1/settings', { token: admin, body })
  const refused = [400, 'VALIDATION_ERROR']
  expect(refusal(await put(null))).toEqual(refused)
  expect(refusal(await put({ ['x'.repeat(101)]: 'y' }))).toEqual(refused)
  expect(refusal(await put({ own: 'y'.repeat(65_537) }))).toEqual(refused)
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`own-${index}`, 1]))
  expect(refusal(await put(many(101)))).toEqual(refused)
  expect((await put(many(100))).status).toBe(200)
  expect(refusal(await put({ another: 1 }))).toEqual(refused)
  expect((await put({ 'own-3': 2, maxSessionsPerUser: 0 })).status).toBe(200)
})

test('RATE_LIMIT_PER_MIN exceeds the limit of every route', async () => {
  const strict = await serveHere({ environment: { RATE_LIMIT_PER_MIN: '6' } })
  const ask = async (path: string) => (await call(strict, 'GET', path)).headers.get('x-ratelimit-limit')
  expect(await Promise.all(['/api/v1/health', '/api/v1/files', '/api/v1/api-keys'].map(ask))).toEqual(['6', '6', '6'])
  const open = await Promise.all(['/api/v1/files', '/api/v1/api-keys'].map((path) => call(server, 'GET', path)))
  expect(open.map(({ headers }) => headers.get('x-ratelimit-limit'))).toEqual([null, null])
})
