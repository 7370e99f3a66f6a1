/** Attempts to sign in at several servers count together. */
import { expect, test } from 'vitest'
import type { FailedAttempts } from '../../src/accounts/sign-in/attempts.ts'
import { accountsOf, nodes } from '../helpers/nodes.ts'
import { outcomes } from '../helpers/outcomes.ts'

const cluster = nodes()

/** The attempts of several servers with one clock. */
async function several(count: number) {
  const { url, stores } = await cluster.several(count)
  let clock = Date.now()
  const contexts = stores.map((store) => accountsOf(store, () => clock))
  return { url, contexts, wait: (ms: number) => (clock += ms) }
}

/** Checks at each server in turn. */
const guesses = (
  attempts: readonly FailedAttempts[],
  count: number,
  address: (index: number) => string,
  right = false,
) =>
  Promise.allSettled(
    Array.from({ length: count }, (_, index) =>
      attempts[index % attempts.length]!.check('alice', address(index), async () => right),
    ),
  )

test('guesses from one network get as many tries as at one server, one at a time', async () => {
  const { contexts, wait } = await several(3)
  let running = 0
  let most = 0
  const guess = async (): Promise<boolean> => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running--
    return false
  }
  const tries = Array.from({ length: 24 }, (_, index) =>
    contexts[index % 3]!.attempts.check('alice', '10.0.0.1', guess),
  )
  expect(outcomes(await Promise.allSettled(tries))).toEqual({ done: 10, RATE_LIMITED: 14 })
  expect(most).toBe(1)
  const [one, other] = contexts
  // Codes are counted by themselves, and other accounts and networks as well.
  expect(await one!.codeAttempts.check('alice', '10.0.0.1', async () => true)).toBe(true)
  expect(await other!.attempts.check('bob', '10.0.0.1', async () => true)).toBe(true)
  expect(await other!.attempts.check('alice', '10.0.0.2', async () => true)).toBe(true)
  wait(14 * 60_000)
  await expect(one!.attempts.check('alice', '10.0.0.1', guess)).rejects.toMatchObject({
    ...{ code: 'RATE_LIMITED', fields: { retryAfter: 60 } },
  })
  wait(60_001)
  expect(await one!.attempts.check('alice', '10.0.0.1', guess)).toBe(false)
})

test('guesses from many networks get as many tries as at one server; a network that signed in before is exempt', async () => {
  const { contexts } = await several(2)
  const codes = contexts.map(({ codeAttempts }) => codeAttempts)
  const [one, other] = codes as [FailedAttempts, FailedAttempts]
  expect(await one.check('alice', '192.168.0.1', async () => true)).toBe(true)
  expect(outcomes(await guesses(codes, 40, (index) => `10.0.${index}.1`))).toEqual({ done: 20, RATE_LIMITED: 20 })
  expect(await other.check('alice', '192.168.0.1', async () => true)).toBe(true)
  await expect(other.check('alice', '192.168.0.2', async () => true)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

test('right passwords do not count, however many come at once, and end the count of their network', async () => {
  const { contexts } = await several(2)
  const attempts = contexts.map((context) => context.attempts)
  expect(outcomes(await guesses(attempts, 9, () => '10.0.0.1'))).toEqual({ done: 9 })
  expect(outcomes(await guesses(attempts, 30, () => '10.0.0.1', true))).toEqual({ done: 30 })
  expect(outcomes(await guesses(attempts, 12, () => '10.0.0.1'))).toEqual({ done: 10, RATE_LIMITED: 2 })
})

test('a check that fails does not count; one of a server that died counts, and delays others for half a minute', async () => {
  const { contexts, wait, url } = await several(2)
  const [one, other] = contexts.map((context) => context.attempts) as [FailedAttempts, FailedAttempts]
  const broken = async (): Promise<boolean> => {
    throw new Error('the directory is down')
  }
  for (let count = 0; count < 12; count++)
    await expect(one.check('alice', '10.0.0.1', broken)).rejects.toThrow('the directory is down')
  expect(outcomes(await guesses([one, other], 9, () => '10.0.0.1'))).toEqual({ done: 9 })
  void one.check('alice', '10.0.0.1', () => new Promise(() => {}))
  await expect.poll(async () => (await cluster.rows(url, 'select from attempts where is_open')).length).toBe(1)
  const waiting = other.check('alice', '10.0.0.1', async () => true)
  await new Promise((resolve) => setTimeout(resolve, 200))
  wait(31_000)
  await expect(waiting).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})

test('old attempts are removed, and what was typed is not stored', async () => {
  const { contexts, wait, url } = await several(1)
  const { attempts } = contexts[0]!
  await attempts.check('hunter2', '10.0.0.1', async () => false)
  await attempts.check('hunter2', '10.0.0.1', async () => true)
  await attempts.check('other', '10.0.0.1', async () => false)
  const all = async () => ({
    attempts: await cluster.rows(url, 'select * from attempts'),
    known: await cluster.rows(url, 'select * from known_networks'),
  })
  const before = await all()
  expect([before.attempts.length, before.known.length]).toEqual([2, 1])
  expect(JSON.stringify(before)).not.toMatch(/hunter2|10\.0\.0\.1/)
  wait(31 * 86_400_000)
  await attempts.check('third', '10.0.0.1', async () => false)
  await expect.poll(async () => (await all()).attempts.length).toBe(1)
  await expect.poll(async () => (await all()).known.length).toBe(0)
})
