import { afterEach, expect, test, vi } from 'vitest'
import { chromium, drawPage } from '../../src/engines/chromium.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

test('root runs no untrusted page without a sandbox, and the error names the solution', async () => {
  // Any program works: it is not started.
  vi.stubEnv('MEDIAPROC_CHROMIUM', process.execPath)
  vi.stubEnv('MEDIAPROC_CHROMIUM_SANDBOX', 'true')
  vi.spyOn(process as { getuid: () => number }, 'getuid').mockReturnValue(0)
  const page = { html: '<p>x</p>', width: 10, height: 10, mobile: false, fullPage: false }
  const refusal = await drawPage({ ...page, signal: AbortSignal.timeout(10_000) }).catch((error) => error)
  expect([refusal.code, refusal.hint]).toEqual([
    'ENGINE_UNAVAILABLE',
    expect.stringMatching(/another user, or set MEDIAPROC_CHROMIUM_SANDBOX=false/),
  ])
  expect(await chromium.probe()).toMatchObject({
    available: false,
    blocked: expect.stringContaining('MEDIAPROC_CHROMIUM_SANDBOX'),
  })
})
