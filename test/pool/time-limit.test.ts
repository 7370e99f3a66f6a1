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

/** A job on a scripted child process. */
function assigned(timeoutS: number) {
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
  const finish = (): void =>
    child.onMessage({ type: 'done', done: { outputs: [], inputBytes: 0 }, progress: [], ran: [], residentBytes: 1 })
  return { child, end, finish }
}

/** Why a job is stopped whose limit is 10 s, and which requests 20 s more after 4 s. */
async function endOf(timeoutS: number): Promise<string> {
  const { child, end, finish } = assigned(timeoutS)
  await vi.advanceTimersByTimeAsync(4000)
  child.onMessage({ type: 'moreTime', seconds: 20 })
  await vi.advanceTimersByTimeAsync(56_000)
  finish()
  return end
}

test('the length of its inputs shortens the limit of a job, step by step, and never extends it', async () => {
  const short = assigned(7200)
  await vi.advanceTimersByTimeAsync(4000)
  short.child.onMessage({ type: 'inputLimit', seconds: 30 })
  await vi.advanceTimersByTimeAsync(10_000)
  short.child.onMessage({ type: 'inputLimit', seconds: 20 })
  await vi.advanceTimersByTimeAsync(100_000)
  short.finish()
  expect(await short.end).toBe('audio/listen was stopped after its time limit of 54 s')
  const long = assigned(10)
  await vi.advanceTimersByTimeAsync(1000)
  long.child.onMessage({ type: 'inputLimit', seconds: 60 })
  await vi.advanceTimersByTimeAsync(50_000)
  long.finish()
  expect(await long.end).toBe('audio/listen was stopped after its time limit of 10 s')
})

test('stops a job without progress long before its limit', async () => {
  vi.stubEnv('JOB_STALL_S', '60')
  const { child, end, finish } = assigned(7200)
  const note = (fraction: number, phase = 'encoding') =>
    child.onMessage({ type: 'progress', progress: [{ fraction, phase }] })
  for (let step = 1; step <= 5; step += 1) {
    await vi.advanceTimersByTimeAsync(50_000)
    note(step / 10)
  }
  note(0.5, 'writing')
  await vi.advanceTimersByTimeAsync(50_000)
  // The same again is no progress.
  note(0.5, 'writing')
  await vi.advanceTimersByTimeAsync(10_100)
  finish()
  expect(await end).toBe('audio/listen was stopped: it made no progress for 60 s')
})

test("a job may request more time, within the operator's limit", async () => {
  expect(await endOf(10)).toBe('audio/listen was stopped after its time limit of 30 s')
  expect(await endOf(0)).toBe('done')
  vi.stubEnv('PROCESSING_TIMEOUT_S', '25')
  expect(await endOf(10)).toBe('audio/listen was stopped after its time limit of 25 s')
  vi.stubEnv('PROCESSING_TIMEOUT_S', '10')
  expect(await endOf(10)).toBe('audio/listen was stopped after its time limit of 10 s')
})
