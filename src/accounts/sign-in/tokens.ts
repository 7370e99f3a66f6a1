import { createHash, randomBytes } from 'node:crypto'

const KEY = /^si_[0-9a-f]{96}$/

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A new session token: 256 random bits in base64url. Only its SHA-256 is stored. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A new API key: `si_` and 384 random bits in hex. */
export function newApiKey(): string {
  return `si_${randomBytes(48).toString('hex')}`
}

/** Whether a credential has the form of an API key; others are session tokens. */
export function isApiKey(credential: string): boolean {
  return KEY.test(credential)
}

/** Look-up key of an API key: 64 bits of its SHA-256 in hex. */
export function keyPrefix(digest: string): string {
  return digest.slice(0, 16)
}
