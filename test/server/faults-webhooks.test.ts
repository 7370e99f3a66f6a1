/** Messages for webhooks of a server that is killed. */
import { expect, test } from 'vitest'
import { RECEIVER_ENVIRONMENT, startReceiver } from '../helpers/receiver.ts'
import { call, makeUser, signIn, startServer } from '../helpers/server.ts'
import { resize } from '../helpers/server-jobs.ts'

const environment = { ...RECEIVER_ENVIRONMENT, SYNC_WAIT_MS: '1' }

test('every job that was accepted before a kill -9 is reported after the next start', async () => {
  const receiver = await startReceiver()
  const server = await startServer({ environment })
  const user = await makeUser(server, await signIn(server), 'tess')
  await call(server, 'POST', '/api/v1/webhooks', { token: user, body: { url: `${receiver.base}/hook` } })
  const answers = Array.from({ length: 12 }, () => resize(server, user).catch(() => undefined))
  await expect.poll(() => receiver.requests.length, { timeout: 30_000, interval: 5 }).toBeGreaterThan(0)
  await server.stop('SIGKILL')
  const accepted = (await Promise.all(answers)).flatMap((answer) => answer?.json?.jobId ?? [])
  expect(accepted.length).toBeGreaterThan(0)
  await startServer({ environment, data: server.data })
  const reported = () => new Set(receiver.requests.map(({ json }) => json.data.artifactJobId))
  // A message that was being sent waits until its lock ends.
  await expect.poll(() => accepted.filter((id) => !reported().has(id)), { timeout: 120_000 }).toEqual([])
  const ids = receiver.requests.map(({ json, headers }) => `${json.data.artifactJobId} ${headers['webhook-id']}`)
  expect(new Set(ids).size).toBe(reported().size)
}, 240_000)
