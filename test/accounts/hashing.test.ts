/** Uses the real cost: nothing here imports the cheap scrypt of the other tests. */
import { scryptSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashPassword, verifyPassword } from '../../src/accounts/credentials/passwords.ts'

describe('hashing', () => {
  test('uses scrypt with the documented cost and a salt per hash', async () => {
    const [one, other] = await Promise.all([hashPassword('secret'), hashPassword('secret')])
    const [name, N, r, p, salt, key] = one.split('$') as [string, string, string, string, string, string]
    expect([name, N, r, p]).toEqual(['scrypt', '32768', '8', '1'])
    const bytes = Buffer.from(salt, 'base64')
    expect([bytes.length, Buffer.from(key, 'base64').length]).toEqual([32, 64])
    const expected = scryptSync('secret', bytes, 64, { N: 32_768, r: 8, p: 1, maxmem: 2 ** 27 })
    expect(key).toBe(expected.toString('base64'))
    expect(other.split('$')[4]).not.toBe(salt)
  })

  test('accepts only the correct password, in any Unicode normal form', async () => {
    const hash = await hashPassword('Zo\u00eb')
    expect(await verifyPassword('Zoe\u0308', hash)).toBe(true)
    expect(await verifyPassword('Zoe', hash)).toBe(false)
    expect(await verifyPassword('', hash)).toBe(false)
  })

  test('verifies a hash of another cost', async () => {
    const salt = Buffer.alloc(16, 7)
    const key = scryptSync('old', salt, 32, { N: 1024, r: 4, p: 2 })
    const hash = `scrypt$1024$4$2$${salt.toString('base64')}$${key.toString('base64')}`
    expect(await verifyPassword('old', hash)).toBe(true)
    expect(await verifyPassword('new', hash)).toBe(false)
  })

  test.each([null, '', 'plain', 'scrypt$3$8$1$AAAA$AAAA', 'scrypt$1024$4$2$AAAA$AA=='])(
    'no password matches the invalid hash %j',
    async (hash) => {
      expect(await verifyPassword('', hash)).toBe(false)
      expect(await verifyPassword('plain', hash)).toBe(false)
    },
  )

  test('completes more concurrent hashes than the limit', async () => {
    const hash = await hashPassword('a')
    const tried = await Promise.all(['a', 'b', 'a', 'c', 'a', 'd', 'a'].map((text) => verifyPassword(text, hash)))
    expect(tried).toEqual([true, false, true, false, true, false, true])
  })
})
