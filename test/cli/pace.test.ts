import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { makeIo } from '../../src/cli/output/io.ts'
import { rateOf, spokenTime, timeLeft } from '../../src/cli/output/pace.ts'
import { showProgress } from '../../src/cli/output/progress.ts'

afterEach(() => vi.restoreAllMocks())

test('formats durations', () => {
  expect([0.4, 8, 60, 80, 3600, 7500].map(spokenTime)).toEqual([
    ...['0 s', '8 s', '1 min', '1 min 20 s', '1 h', '2 h 5 min'],
  ])
})

test('estimates the remaining time from the rate so far', () => {
  expect([timeLeft(10_000, 0.25), timeLeft(200, 0.5), timeLeft(10_000, 0.001), timeLeft(10_000, 1)]).toEqual([
    ...['30 s left', '', '', ''],
  ])
  expect([rateOf(10_000, 31), rateOf(60_000, 3), rateOf(10_000, 0)]).toEqual(['3.1 files/s', '3.0 files/min', ''])
})

test('a batch shows the file with the latest progress, the rate and the remaining time', async () => {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 120 })
  let drawn = ''
  stderr.on('data', (chunk: Buffer) => {
    drawn += chunk.toString('utf8')
  })
  vi.stubEnv('TERM', 'xterm')
  const io = makeIo({ stdin: () => stderr, stdout: stderr, stderr, stderrIsTerminal: true })
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const progress = await showProgress(
    io,
    ['photos/a.jpg', 'photos/b\u001b.jpg', 'c.jpg', 'd.jpg'],
    false,
    'image/resize',
  )
  now = 10_000
  progress.done(0)
  progress.update(1, 0.5, 'encoding')
  progress.interrupt(() => {})
  progress.stop()
  vi.unstubAllEnvs()
  expect(drawn).toContain('1/4 | 6.0 files/min | 17 s left | b\\u001b.jpg')
})
