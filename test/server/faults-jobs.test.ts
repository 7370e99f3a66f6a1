import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { HAS_PROC } from '../helpers/machine.ts'
import { isAlive, until } from '../helpers/pool.ts'
import { send, signIn, startServer } from '../helpers/server.ts'
import { busyProcess, resize, sendEndless, untilStatus } from '../helpers/server-jobs.ts'

const testOnLinux = test.skipIf(!HAS_PROC)

describe('the process of a job', () => {
  testOnLinux('that is killed fails its job clearly, and the next one works', async () => {
    const server = await startServer()
    const token = await signIn(server)
    const waiting = sendEndless(server, token, 'doomed')
    await until(() => server.log().includes('a process was started'))
    await untilStatus(server, token, 'doomed', 'processing')
    process.kill(await busyProcess(server, token), 'SIGKILL')
    const { status, json } = await waiting
    expect([status, json]).toEqual([
      422,
      {
        error: 'Processing failed',
        code: 'PROCESSING_FAILED',
        details: expect.stringContaining('ended by the system'),
      },
    ])
    expect((await resize(server, token)).status).toBe(200)
  })

  testOnLinux('that ignores signals is killed at the time limit', async () => {
    const server = await startServer({ environment: { JOB_TIMEOUT_FAST_S: '2' } })
    const token = await signIn(server)
    const waiting = sendEndless(server, token, 'stuck')
    await untilStatus(server, token, 'stuck', 'processing')
    const processId = await busyProcess(server, token)
    process.kill(processId, 'SIGSTOP')
    const { status, json } = await waiting
    expect([status, json.code, json.error]).toEqual([422, 'TIMEOUT', expect.stringContaining('time limit of 2 s')])
    expect((await resize(server, token)).status).toBe(200)
    await until(() => !isAlive(processId))
  })
})

test('ends a loop in WebAssembly at the time limit while other jobs continue', async () => {
  const server = await startServer({ environment: { JOB_TIMEOUT_FAST_S: '2' } })
  const token = await signIn(server)
  const waiting = sendEndless(server, token, 'loop')
  await untilStatus(server, token, 'loop', 'processing')
  expect((await resize(server, token)).status).toBe(200)
  const { status, json } = await waiting
  expect([status, json.code]).toEqual([422, 'TIMEOUT'])
  expect(await untilStatus(server, token, 'loop', 'failed')).toMatchObject({ error: { code: 'TIMEOUT' }, result: null })
})

testOnLinux('too much memory costs the job, and says so', async () => {
  const server = await startServer({ environment: { MAX_JOB_MEMORY_MB: '250' } })
  const token = await signIn(server)
  const create = { width: 8500, height: 8500, channels: 3, background: 'red' } as const
  const bytes = await sharp({ create }).png().toBuffer()
  const settings = ['settings', JSON.stringify({ angle: 7 })] as const
  const big = await send(server, '/api/v1/tools/image/rotate', [['file', { name: 'big.png', bytes }], settings], token)
  expect([big.status, big.json.code, big.json.details]).toEqual([
    422,
    'PROCESSING_FAILED',
    expect.stringContaining('more than 250 MiB of memory'),
  ])
  expect((await resize(server, token)).status).toBe(200)
})
