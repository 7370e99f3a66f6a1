import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** Cost of a new hash (HTTP contract, section 3): 32 MiB and about 0.1 s of one core. */
const COST = { N: 2 ** 15, r: 8, p: 1 }
const SALT_BYTES = 32
const KEY_BYTES = 64
const SHARED_KEY_BYTES = 32

/** Longest password, in UTF-16 units. */
export const MAX_PASSWORD_LENGTH = 1024

/**
 * Concurrent hashes. Each uses 32 MiB and one of the four libuv threads, so two keep the server responsive under
 * attack.
 */
const MAX_AT_ONCE = 2
let running = 0
const queue: (() => void)[] = []

async function derive(password: string, salt: Buffer, length: number, cost: ScryptOptions): Promise<Buffer> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((start) => queue.push(start))
  else running++
  try {
    // Twice the 128 * N * r bytes of the algorithm (RFC 7914), which leaves room for its small blocks.
    const maxmem = 256 * cost.N! * cost.r!
    return await new Promise((resolve, reject) => {
      scrypt(password.normalize('NFC'), salt, length, { ...cost, maxmem }, (error, key) =>
        error ? reject(error) : resolve(key),
      )
    })
  } finally {
    // First in, first out.
    const next = queue.shift()
    if (next) next()
    else running--
  }
}

/** A new salt in base64. */
export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('base64')
}

/** Hash in base64 for several secrets with a shared salt: one computation compares a secret with all of them. */
export async function hashWithSalt(secret: string, salt: string): Promise<string> {
  return (await derive(secret, Buffer.from(salt, 'base64'), SHARED_KEY_BYTES, COST)).toString('base64')
}

/** Stored form of a password or key: `scrypt$N$r$p$salt$key`, the last two in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(password, salt, KEY_BYTES, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join('$')
}

interface Parsed {
  cost: { N: number; r: number; p: number }
  salt: Buffer
  key: Buffer
}

/** A hash that no password matches; checking against it costs as much as a real check. */
const NOBODY: Parsed = { cost: COST, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) }

function parseHash(text: string): Parsed | undefined {
  const match = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w+/=]+)\$([\w+/=]+)$/.exec(text)
  if (!match) return undefined
  const [N, r, p] = match.slice(1, 4).map(Number) as [number, number, number]
  const [salt, key] = match.slice(4, 6).map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer]
  const isPowerOfTwo = N > 1 && (N & (N - 1)) === 0
  return isPowerOfTwo && r > 0 && p > 0 && key.length >= 16 ? { cost: { N, r, p }, salt, key } : undefined
}

/**
 * Whether a password matches a hash. Without a hash (unknown user, no local password) returns false at the same cost.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const parsed = hash === null || password.length > MAX_PASSWORD_LENGTH ? undefined : parseHash(hash)
  const { cost, salt, key } = parsed ?? NOBODY
  const tried = password.length > MAX_PASSWORD_LENGTH ? '' : password
  return timingSafeEqual(await derive(tried, salt, key.length, cost), key) && parsed !== undefined
}
