/** What processes say to each other about jobs. */
import { expect, test } from 'vitest'
import { eventOf, readEvent } from '../../src/store/cluster/events.ts'
import type { JobRecord } from '../../src/store/job-record.ts'

const RECORD: JobRecord = {
  ...{ id: 'a', clientJobId: null, ownerId: 'o', type: 'single', toolId: 'resize', status: 'completed', percent: 100 },
  ...{ stage: null, createdAt: '2026-01-01T00:00:00.000Z', startedAt: null, completedAt: '2026-01-01T00:00:01.000Z' },
  ...{ attempts: 1, inputBytes: 5, outputs: [], result: { jobId: 'a' }, error: null, expiresAt: null },
}

test('the end of a job has its record', () => {
  expect(readEvent(eventOf(RECORD, 'me'))).toEqual({ from: 'me', ended: RECORD })
})

test('progress has no record: its settings may contain passwords', () => {
  const running: JobRecord = {
    ...{ ...RECORD, status: 'processing', percent: 40, stage: 'encoding' },
    task: {
      ...{ kind: 'tool', target: 'pdf/protect-pdf', settings: { password: 'secret' } },
      ...{ inputs: [], secondary: {}, timeoutS: 9, heavy: false },
    },
  }
  const text = eventOf(running, 'me')
  expect(text).not.toContain('secret')
  const progress = { attempts: 1, status: 'processing', percent: 40, stage: 'encoding' }
  expect(readEvent(text)).toEqual({ from: 'me', progress })
})

test('a long record is left to the database', () => {
  const long = { ...RECORD, result: { text: 'x'.repeat(20_000) } }
  expect(readEvent(eventOf(long, 'me'))).toEqual({ from: 'me' })
})

test.each([
  ['no JSON', '{'],
  ['another type', '3'],
  ['a record that is none', JSON.stringify({ from: 'me', ended: { id: 'a', status: 'completed' } })],
  ['a record of a job that runs', JSON.stringify({ from: 'me', ended: { ...RECORD, status: 'processing' } })],
  ['progress that is none', JSON.stringify({ from: 'me', progress: { status: 'completed' } })],
])('%s says only that there may be something new', (_what, text) => {
  const { ended, progress } = readEvent(text)
  expect([ended, progress]).toEqual([undefined, undefined])
})
