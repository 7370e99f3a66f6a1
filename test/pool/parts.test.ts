import { describe, expect, test } from 'vitest'
import { ENVIRONMENT } from '../../src/environment.ts'
import { ERRORS, type ErrorParts, MediaprocError } from '../../src/errors.ts'
import { childEnvironment } from '../../src/pool/child-environment.ts'
import { Ledger } from '../../src/pool/crash-log.ts'
import { failedMessage, publicWarning } from '../../src/pool/failure.ts'
import { makeSharedPrograms, runningPrograms, shareProgram } from '../../src/pool/shared-programs.ts'

test('a child receives no secret', () => {
  const own = {
    PATH: '/bin',
    MAX_MEGAPIXELS: '50',
    DEFAULT_PASSWORD: 'a',
    METRICS_TOKEN: 'b',
    COOKIE_SECRET: 'c',
    LICENCE_KEY: 'd',
    DEFAULT_PASSWORD_FILE: '/run/secret',
    oidc_client_secret: 'e',
  }
  expect(childEnvironment(own)).toEqual({ PATH: '/bin', MAX_MEGAPIXELS: '50' })
})

test('no secret of the table of variables reaches jobs, and neither do secret files', () => {
  const names = Object.entries(ENVIRONMENT).flatMap(([name, row]) => ('secret' in row ? [name, `${name}_FILE`] : []))
  expect(names).toContain('DATA_ENCRYPTION_KEY_PREVIOUS')
  expect(childEnvironment(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual({})
})

test('a child receives what fonts, certificates and proxies need', () => {
  const own = {
    FONTCONFIG_FILE: '/etc/fonts/own.conf',
    FONTCONFIG_PATH: '/etc/fonts',
    SSL_CERT_FILE: '/etc/ssl/own.pem',
    SSL_CERT_DIR: '/etc/ssl',
    NODE_EXTRA_CA_CERTS: '/etc/ssl/more.pem',
    HTTPS_PROXY: 'http://proxy:3128',
    no_proxy: 'localhost',
  }
  expect(childEnvironment({ ...own, DEFAULT_PASSWORD_FILE: '/run/secret' })).toEqual(own)
})

describe('folders of the server in messages', () => {
  const folders = ['/data/jobs/7/out', '/data/jobs/7/in', '']
  const sent = (message: string, parts: ErrorParts = {}) =>
    failedMessage(new MediaprocError('INVALID_FILE', message, parts), folders, { step: 2, completedSteps: [] })

  test('what a client named is repeated as it is', () => {
    const hint = { shell: 'See mediaproc help', http: 'Expected a/b, got /1/2/3' }
    expect(
      sent('Expected a/b, got /etc/hosts', { hint, detail: '/data/jobs/7/out/log:3', fields: { rule: 1 } }),
    ).toEqual({
      ...{ code: 'INVALID_FILE', message: 'Expected a/b, got /etc/hosts', status: 400, hint: hint.http },
      ...{ detail: '/data/jobs/7/out/log:3', fields: { rule: 1, step: 2, completedSteps: [] } },
    })
  })

  test('the message over HTTP has no path, and one that names a folder is replaced by that of the code', () => {
    const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT', path: '/data/jobs/7/in/0' })
    expect(failedMessage(missing, folders)).toMatchObject({
      code: 'FILE_NOT_FOUND',
      message: ERRORS.FILE_NOT_FOUND.message,
    })
    expect(sent("open '/data/jobs/7/out/.mediaproc-1/a.png' failed", { detail: 'ENOENT' })).toMatchObject({
      ...{ message: ERRORS.INVALID_FILE.message, hint: '' },
      detail: expect.stringMatching(/^ENOENT\nopen '.*a\.png' failed/),
    })
    expect(sent('damaged', { hint: 'See /data/jobs/7/out/log' })).toMatchObject({ hint: '' })
  })

  test('so is a warning', () => {
    expect(publicWarning('a.png has no profile', folders)).toBe('a.png has no profile')
    expect(publicWarning('/data/jobs/7/in/0 has no profile', folders)).not.toContain('jobs')
  })
})

test('a crash log counts correctly', () => {
  const ledger = new Ledger()
  for (const line of ['folder /tmp/my own', '+12', '+13', '-12', 'nonsense', 'memory 5000']) ledger.read(line)
  expect([...ledger.programs]).toEqual([13])
  expect([ledger.memory, ledger.temporary]).toEqual([5000, '/tmp/my own'])
})

test('threads share the allowed number of programs', () => {
  const programs = makeSharedPrograms()
  for (let processId = 1; processId <= 100; processId += 1) shareProgram(programs, processId, true)
  expect(runningPrograms(programs)).toHaveLength(64)
  for (let processId = 2; processId <= 100; processId += 1) shareProgram(programs, processId, false)
  expect(runningPrograms(programs)).toEqual([1])
})
