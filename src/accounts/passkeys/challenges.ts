import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AccountsContext } from '../context.ts'
import { cookieSecret } from '../sign-in/cookie-secret.ts'
import { useOnce } from '../sign-in/used-once.ts'

/** Lifetime of a challenge, in milliseconds. */
export const CHALLENGE_MS = 300_000

/** What a challenge is for. */
export interface Purpose {
  action: 'register' | 'sign-in' | 'second-step' | 'confirm'
  /** User id, or the pending sign-in; empty when the user is not known yet. */
  subject: string
}

const [TIME, NONCE, MAC] = [6, 16, 32]

async function macOf(context: AccountsContext, { action, subject }: Purpose, head: Buffer): Promise<Buffer> {
  const secret = await cookieSecret(context)
  return createHmac('sha256', secret).update(`passkey ${action} ${subject}\0`).update(head).digest()
}

/**
 * Creates a challenge for one purpose: its expiry, a random value and a MAC, in base64url. It is stored only when it is
 * used, so that requests of strangers write nothing and cannot displace the challenges of others.
 */
export async function newChallenge(context: AccountsContext, purpose: Purpose): Promise<string> {
  const head = Buffer.concat([Buffer.alloc(TIME), randomBytes(NONCE)])
  head.writeUIntBE(context.now() + CHALLENGE_MS, 0, TIME)
  return Buffer.concat([head, await macOf(context, purpose, head)]).toString('base64url')
}

/** Whether this server issued a challenge for the purpose, at most five minutes ago. */
export async function isValidChallenge(
  context: AccountsContext,
  purpose: Purpose,
  challenge: string | undefined,
): Promise<boolean> {
  const bytes = Buffer.from(challenge ?? '', 'base64url')
  // Compared as text too: another spelling of the same bytes would count as unused.
  if (bytes.length !== TIME + NONCE + MAC || bytes.toString('base64url') !== challenge) return false
  const head = bytes.subarray(0, TIME + NONCE)
  const isOurs = timingSafeEqual(bytes.subarray(TIME + NONCE), await macOf(context, purpose, head))
  return isOurs && head.readUIntBE(0, TIME) > context.now()
}

/** Marks a valid challenge as used; false if it was used before. */
export function takeChallenge(context: AccountsContext, challenge: string): Promise<boolean> {
  return useOnce(context, [`passkey ${challenge}`])
}
