import { expect, test } from 'vitest'
import { readState, signState } from '../../src/server/sign-in/signed-state.ts'

test('a state is read for ten minutes, also by a server whose clock is up to a minute behind', () => {
  const now = Date.now()
  const read = (made: number) => readState(signState({ nonce: 'n' }, 'secret', made), 'secret', now)
  expect([read(now), read(now - 600_000), read(now + 60_000)]).toEqual(Array(3).fill({ nonce: 'n' }))
  expect([read(now - 600_001), read(now + 60_001)]).toEqual([undefined, undefined])
  expect(readState(signState({}, 'another secret', now), 'secret', now)).toBeUndefined()
})
