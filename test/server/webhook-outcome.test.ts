import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newDelivery } from '../../src/server/webhooks/announce.ts'
import type { AttemptResult } from '../../src/server/webhooks/attempt.ts'
import { afterAttempt, pauseAfter } from '../../src/server/webhooks/outcome.ts'
import { MOST_LISTED, PAUSES } from '../../src/server/webhooks/rules.ts'
import { signedHeaders } from '../../src/server/webhooks/signature.ts'

const NOW = Date.parse('2026-01-01T12:00:00.000Z')
const message = { id: 'msg_1', url: null, event: 'job.failed' as const, jobId: 'j', payload: '{}' }
const delivery = newDelivery({ id: 'w', userId: 'u' }, message, NOW)
const made = (status: number | null, error: string | null = 'no', retryAfter?: string): AttemptResult => ({
  ...{ kind: 'made' as const, status, error, retryAfter },
})
const outcome = (result: AttemptResult, more: Partial<typeof delivery> = {}, now = NOW) =>
  afterAttempt({ delivery: { ...delivery, ...more }, result, ms: 40 }, now, 0)
const due = (ms: number): string => new Date(NOW + ms).toISOString()

test('signs as Standard Webhooks defines', () => {
  const [one, two] = [Buffer.alloc(24, 1), Buffer.alloc(32, 2)]
  const signed = (key: Buffer) => createHmac('sha256', key).update('msg_1.1767268800.{"a":1}').digest('base64')
  expect(signedHeaders('msg_1', '{"a":1}', [one, two], NOW + 999)).toEqual({
    ...{ 'webhook-id': 'msg_1', 'webhook-timestamp': '1767268800' },
    'webhook-signature': `v1,${signed(one)} v1,${signed(two)}`,
  })
})

describe('the pause after an attempt', () => {
  test('grows, with up to a tenth more, and ends with the eighth', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8].map((tries) => pauseAfter(tries, undefined, 0))
    expect(pauses).toEqual([...PAUSES, undefined])
    expect(pauseAfter(2, undefined, 1)).toBe(66_000)
    const all = PAUSES.reduce((sum, pause) => sum + pause, 0)
    expect([all > 23 * 3_600_000, all < 24 * 3_600_000]).toEqual([true, true])
  })

  test('is at least what the receiver asks for, up to an hour', () => {
    expect(
      ['30', '2', '999999', 'Fri, 01 Jan 2027 00:00:00 GMT', '-5', ''].map((text) => pauseAfter(1, text, 0)),
    ).toEqual([30_000, 5000, 3_600_000, 5000, 5000, 5000])
  })
})

describe('a delivery after an attempt', () => {
  test('is delivered, waits, or is given up', () => {
    const attempt = { at: due(-40), duration: 40 }
    expect(outcome(made(204, null))).toMatchObject({
      ...{ status: 'delivered', dueAt: null, tries: 1, attempts: [{ ...attempt, status: 204, error: null }] },
    })
    expect(outcome(made(500))).toMatchObject({ status: 'pending', dueAt: due(5000), attempts: [{ status: 500 }] })
    expect(outcome(made(null), { tries: 7 })).toMatchObject({ status: 'dead', dueAt: null, tries: 8 })
    expect(outcome(made(410))).toMatchObject({ status: 'dead', tries: 1 })
    expect(outcome(made(500), { event: 'webhook.test' })).toMatchObject({ status: 'dead' })
    expect(outcome({ kind: 'ended', error: 'off' })).toMatchObject({ status: 'dead', attempts: [{ error: 'off' }] })
  })

  test('whose job has not ended waits without an attempt, and longer after a while', () => {
    expect(outcome({ kind: 'early' })).toEqual({ ...delivery, dueAt: due(1000) })
    expect(outcome({ kind: 'early' }, {}, NOW + 20_000)).toEqual({ ...delivery, dueAt: due(80_000) })
  })

  test('lists its last attempts', () => {
    let last = delivery
    for (let number = 0; number < MOST_LISTED + 3; number++)
      last = afterAttempt({ delivery: { ...last, tries: 0 }, result: made(400 + number), ms: 1 }, NOW, 0)
    expect(last.attempts.map(({ status }) => status)).toEqual(
      Array.from({ length: MOST_LISTED }, (_, index) => 403 + index),
    )
  })
})
