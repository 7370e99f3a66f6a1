import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Assignment } from '../../src/pool/assignment.ts'
import type { Child } from '../../src/pool/child.ts'
import type { FromChild } from '../../src/pool/messages.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** Why a job is stopped whose limit is 10 s, and which says after 4 s that it takes 20 s more. */
async function endOf(timeoutS: number): Promise<string> {
  const child = {
    jobs: 0,
    ready: Promise.resolve(true),
    ended: new Promise<never>(() => undefined),
    onMessage: (_: FromChild): void => undefined,
    send: () => undefined,
    kill: () => undefined,
  }
  const task = {
    id: 'one',
    kind: 'tool',
    target: 'audio/listen',
    settings: {},
    inputs: [],
    destination: '/nowhere',
  } as const
  const options = { staging: '/nowhere', jobsAtOnce: 1, memoryMb: 100, graceMs: 10 }
  const assignment = new Assignment(child as unknown as Child, { ...task, timeoutS, heavy: true }, options)
  const end = assignment.done.then(
    () => 'done',
    (error: Error) => error.message,
  )
  await vi.advanceTimersByTimeAsync(4000)
  child.onMessage({ type: 'moreTime', seconds: 20 })
  await vi.advanceTimersByTimeAsync(56_000)
  child.onMessage({ type: 'done', done: { outputs: [], inputBytes: 0 }, progress: [], residentBytes: 1 })
  return end
}

test('a job that says so may take longer, within what the operator allows', async () => {
  expect(await endOf(10)).toBe('audio/listen was stopped after its time limit of 30 s')
  expect(await endOf(0)).toBe('done')
  vi.stubEnv('PROCESSING_TIMEOUT_S', '25')
  expect(await endOf(10)).toBe('audio/listen was stopped after its time limit of 25 s')
  vi.stubEnv('PROCESSING_TIMEOUT_S', '10')
  expect(await endOf(10)).toBe('audio/listen was stopped after its time limit of 10 s')
})
