import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { post } from '../../../src/engines/http/post.ts'
import { type Receiver, startReceiver } from '../../helpers/receiver.ts'

let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
})
afterEach(() => void vi.unstubAllEnvs())

const hostsWith = (...names: string[]) => ({
  allows: (host: string) => names.includes(host),
  hint: 'Ask the operator.',
})
const sent = (url: string, hosts = hostsWith('127.0.0.1'), signal = AbortSignal.timeout(20_000)) =>
  post(url, { headers: { 'x-one': '1' }, body: '{"a":1}', signal, hosts })

test('sends one request, and gives the status', async () => {
  receiver.answers.set('/later', { status: 503, headers: { 'retry-after': '7' } })
  expect(await sent(`${receiver.base}/ok?b=2`)).toEqual({ status: 204, retryAfter: undefined })
  expect(await sent(`${receiver.base}/later`)).toEqual({ status: 503, retryAfter: '7' })
  expect(receiver.at('/ok?b=2')).toMatchObject([{ body: '{"a":1}', headers: { 'x-one': '1' } }])
})

test('follows no redirect, and reads little of a long body', async () => {
  receiver.answers.set('/away', { status: 302, headers: { location: `${receiver.base}/target` } })
  receiver.answers.set('/long', { status: 200, body: 'x'.repeat(20_000_000) })
  expect([(await sent(`${receiver.base}/away`)).status, (await sent(`${receiver.base}/long`)).status]).toEqual([
    302, 200,
  ])
  expect(receiver.at('/target')).toEqual([])
})

test('ends with its signal', async () => {
  receiver.answers.set('/never', { status: -1 })
  const cause = await sent(`${receiver.base}/never`, undefined, AbortSignal.timeout(300)).catch((error) => error)
  expect(cause.code).toBe('TIMEOUT')
})

test('refuses private hosts that are not listed, whatever is allowed for downloads', async () => {
  vi.stubEnv('MEDIAPROC_ALLOW_PRIVATE_HOSTS', '1')
  const refused = { code: 'URL_REFUSED', hint: 'Ask the operator.' }
  for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433'])
    await expect(sent(`http://${host}:${receiver.port}/inside`, hostsWith('10.0.0.1'))).rejects.toMatchObject(refused)
  // A name is allowed by itself, not by its address.
  await expect(sent(`http://localhost:${receiver.port}/inside`)).rejects.toMatchObject(refused)
  expect(receiver.at('/inside')).toEqual([])
  expect((await sent(`http://localhost:${receiver.port}/name`, hostsWith('localhost'))).status).toBe(204)
})

test('connects to nobody offline', async () => {
  vi.stubEnv('MEDIAPROC_OFFLINE', '1')
  await expect(sent(`${receiver.base}/offline`)).rejects.toMatchObject({ code: 'OFFLINE' })
})
