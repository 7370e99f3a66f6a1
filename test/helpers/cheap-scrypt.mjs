// Test passwords need no protection: scrypt with a 32nd of its cost, for a process that tests start or for the
// test itself. The format and comparison of hashes are unchanged; test/accounts/hashing.test.ts and test/cli/serve.test.ts use
// the real cost.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto

function use(one) {
  crypto.scrypt = one
  syncBuiltinESMExports()
}

export const cheapenScrypt = () =>
  use((password, salt, length, { N, ...options }, done) =>
    scrypt(password, salt, length, { ...options, N: Math.max(2, N / 32) }, done),
  )

export const restoreScrypt = () => use(scrypt)

cheapenScrypt()
