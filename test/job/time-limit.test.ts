import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type JobRequest, runJob } from '../../src/job/run.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** How a job ends whose tool has a limit of 10 s, and which requests 20 s more after 4 s. */
async function endOf(own: Partial<JobRequest> = {}): Promise<string> {
  const reported: number[] = []
  const job = runJob(
    {
      tool: {
        id: 'listen',
        section: 'audio',
        input: { files: 'none', accept: [], min: 0, max: 0 },
        timeoutS: 10,
        run: (running) => {
          setTimeout(() => running.moreTime(20), 4000)
          return new Promise((resolve) => setTimeout(() => resolve({ files: [] }), 60_000))
        },
      },
      inputs: [],
      settings: {},
      destination: folder,
      onMoreTime: (seconds) => reported.push(seconds),
      ...own,
    },
    async () => 'done',
  ).catch((error: Error) => error.message)
  await vi.advanceTimersByTimeAsync(61_000)
  expect(reported).toEqual([20])
  return job
}

test('a job may extend the limit of its tool', async () => {
  expect(await endOf()).toBe('audio/listen was stopped after its time limit of 30 s')
})

test('but not a limit set by the user', async () => {
  expect(await endOf({ timeoutS: 12 })).toBe('audio/listen was stopped after its time limit of 12 s')
  expect(await endOf({ timeoutS: 0 })).toBe('done')
  vi.stubEnv('PROCESSING_TIMEOUT_S', '25')
  expect(await endOf()).toBe('audio/listen was stopped after its time limit of 25 s')
})
