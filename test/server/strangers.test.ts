import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { rawCall } from '../helpers/http.ts'
import { chunk, filePart, formHead, openRaw, parseAnswer } from '../helpers/machine.ts'
import { until } from '../helpers/pool.ts'
import { call, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'

describe('AUTH_ENABLED=false', () => {
  let server: ServerHere
  const path = '/api/v1/preferences'

  beforeAll(async () => {
    const environment = {
      AUTH_ENABLED: 'false',
      EXTERNAL_URL: 'https://media.example',
      CORS_ORIGIN: 'https://app.example',
    }
    server = await serveHere({ environment })
  })

  const ask = async (headers: Record<string, string>, method = 'GET') =>
    (await rawCall(server, { method, path, headers })).status

  test('rejects host names of foreign pages (DNS rebinding)', async () => {
    const { host } = new URL(server.base)
    for (const known of [
      host,
      'localhost:1',
      '[::1]:1349',
      '192.168.1.5',
      'mediaproc:1349',
      'media.example',
      'a.localhost',
    ])
      expect([known, await ask({ host: known })]).toEqual([known, 200])
    for (const strange of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'media.example.evil.example'])
      expect([strange, await ask({ host: strange })]).toEqual([strange, 403])
    // Monitoring requests this by any host name.
    expect((await rawCall(server, { path: '/api/v1/health', headers: { host: 'any.example' } })).status).toBe(200)
  })

  test('pages of other origins change nothing', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:9999'])
      expect([origin, await ask({ origin }, 'PUT')]).toEqual([origin, 403])
    for (const origin of [server.base, 'https://media.example', 'https://app.example'])
      expect([origin, await ask({ origin }, 'PUT')]).toEqual([origin, 200])
    expect(await ask({}, 'PUT')).toBe(200)
  })
})

describe('bodies that arrive very slowly', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('are cut off, and leave nothing', async () => {
    const server = await serveHere()
    const token = await signIn(server)
    const folders = () => readdirSync(join(server.data, 'workspace'))
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { socket, ended } = await openRaw(server, formHead('/api/v1/upload', token) + chunk(filePart('slow.txt')))
    await until(() => folders().length === 1)
    socket.write(chunk('a'))
    await call(server, 'GET', '/api/v1/health')
    vi.advanceTimersByTime(60_000)
    expect(parseAnswer(await ended)).toMatchObject({ status: 408, json: { code: 'TIMEOUT' } })
    await until(() => folders().length === 0)
  })
})
