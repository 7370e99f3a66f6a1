import { describe, expect, test } from 'vitest'
import { ENVIRONMENT } from '../../src/environment.ts'
import { MediaprocError } from '../../src/errors.ts'
import { childEnvironment } from '../../src/pool/child-environment.ts'
import { Ledger } from '../../src/pool/crash-log.ts'
import { failedMessage, withoutPaths } from '../../src/pool/failure.ts'
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

describe('paths in messages', () => {
  const paths = {
    names: new Map([['/data/jobs/7/in/0', 'my cat.png']]),
    folders: ['/data/jobs/7/out/', '/data/jobs/7/in', '/data/jobs/7', '/'],
  }

  test.each([
    ['Cannot read /data/jobs/7/in/0: damaged', 'Cannot read my cat.png: damaged'],
    ["open '/data/jobs/7/out/.mediaproc-1/a.png' failed", "open 'a.png' failed"],
    ['file:///data/jobs/7/out/b.png and /data/jobs/7', 'b.png and 7'],
    ['Expected a/b, got /etc/hosts', 'Expected a/b, got /etc/hosts'],
  ])('%s', (given, plain) => expect(withoutPaths(given, paths)).toBe(plain))

  test('are removed from the message and the hint, and stay in the detail', () => {
    const parts = { hint: 'See /data/jobs/7/out/log', detail: '/data/jobs/7/out/log:3', fields: { rule: 1 } }
    const error = new MediaprocError('INVALID_FILE', '/data/jobs/7/in/0 is damaged', parts)
    expect(failedMessage(error, paths, { step: 2, completedSteps: [] })).toEqual({
      code: 'INVALID_FILE',
      message: 'my cat.png is damaged',
      status: 400,
      hint: 'See log',
      httpHint: 'See log',
      detail: '/data/jobs/7/out/log:3',
      fields: { rule: 1, step: 2, completedSteps: [] },
    })
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
