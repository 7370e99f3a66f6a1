/** The pages of `mediaproc open` are counted, and other servers have no files that were opened. */
import { expect, test, vi } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { startServer } from '../../src/server/server.ts'
import { call, signIn } from '../helpers/server.ts'
import { serveHere } from '../helpers/server-here.ts'
import { temporaryFolder } from '../helpers/tool.ts'

test('a page counts as long as it is connected', async () => {
  const counts: number[] = []
  const personal = { id: 'x', token: 'once', files: [], onPages: (count: number) => counts.push(count) }
  const config = readConfig({ port: 0, host: '127.0.0.1', dataFolder: temporaryFolder() })
  const { address, close } = await startServer({
    ...config,
    logLevel: 'silent',
    skipMustChangePassword: true,
    personal,
  })
  const entered = await fetch(`${address}/open/once`, { redirect: 'manual' })
  const headers = { cookie: entered.headers.get('set-cookie')?.split(';')[0] ?? '' }
  const pages = [new AbortController(), new AbortController()]
  for (const { signal } of pages)
    expect((await fetch(`${address}/api/v1/presence`, { headers, signal })).headers.get('content-type')).toBe(
      'text/event-stream',
    )
  expect(counts).toEqual([1, 2])
  for (const page of pages) page.abort()
  await vi.waitUntil(() => counts.length === 4)
  expect(counts.at(-1)).toBe(0)
  const last = await fetch(`${address}/api/v1/presence`, { headers })
  await close()
  // The server ends it, instead of waiting for the page.
  expect(await last.text()).toBe('')
})

test('other servers have none', async () => {
  const server = await serveHere()
  const token = await signIn(server)
  expect((await call(server, 'GET', '/api/v1/opened-files', { token })).json).toEqual({ isPersonal: false, files: [] })
  for (const path of ['/api/v1/opened-files/0', '/api/v1/presence'])
    expect((await call(server, 'GET', path, { token })).status).toBe(404)
  expect((await call(server, 'GET', '/open/x')).status).toBe(404)
})
