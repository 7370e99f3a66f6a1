import { expect, test } from 'vitest'
import { chunk, filePart, formHead, openRaw } from '../helpers/machine.ts'
import { call, signIn, startServer } from '../helpers/server.ts'
import { resize } from '../helpers/server-jobs.ts'

const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make))

test('clients that send a byte at a time, or nothing, do not delay others', async () => {
  const server = await startServer({ environment: { SHUTDOWN_TIMEOUT_S: '1' } })
  const token = await signIn(server)
  const idle = await times(200, () => openRaw(server))
  const headers = await times(50, () => openRaw(server, 'GET /api/v1/health HTTP/1.1\r\nx-slow: '))
  const bodies = await times(50, () =>
    openRaw(server, formHead('/api/v1/tools/image/resize', token) + chunk(filePart('slow.png'))),
  )
  const json = `PUT /api/v1/preferences HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
  const texts = await times(50, () => openRaw(server, `${json}content-length: 100\r\n\r\n{"a":`))
  for (let round = 0; round < 5; round++) {
    for (const { socket } of headers) socket.write('a')
    for (const { socket } of bodies) socket.write(chunk('b'))
    for (const { socket } of texts) socket.write('1')
    expect((await call(server, 'GET', '/api/v1/health')).json.status).toBe('healthy')
    expect((await resize(server, token)).status).toBe(200)
  }
  for (const { socket } of [...idle, ...headers, ...bodies, ...texts]) expect(socket.readyState).toBe('open')
  // They do not delay the shutdown either.
  expect(await server.stop()).toBe(0)
  for (const { ended } of [...idle, ...headers]) await ended
}, 90_000)

test('an endless form occupies no job slot', async () => {
  const server = await startServer({ environment: { SHUTDOWN_TIMEOUT_S: '1', CONCURRENT_JOBS: '1' } })
  const token = await signIn(server)
  const { socket, ended } = await openRaw(
    server,
    formHead('/api/v1/tools/image/resize', token) + chunk(filePart('slow.png')),
  )
  expect((await resize(server, token)).status).toBe(200)
  socket.write(chunk('more'))
  expect(await server.stop()).toBe(0)
  expect(await ended).not.toContain('HTTP/1.1 200')
})
