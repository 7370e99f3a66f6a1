import { createHmac, timingSafeEqual } from 'node:crypto'
import { MOST_SKEW_MS } from '../../store/clock-skew.ts'

/** Time limit of a single sign-on, in milliseconds. */
export const STATE_MS = 600_000

const mac = (text: string, secret: string): Buffer => createHmac('sha256', secret).update(text).digest()

/** Signs a value that a browser returns later, together with its creation time. Only servers with the same secret can sign it. */
export function signState(value: object, secret: string, now = Date.now()): string {
  const text = Buffer.from(JSON.stringify({ at: now, value })).toString('base64url')
  return `${text}.${mac(text, secret).toString('base64url')}`
}

/** The value, if the signature is valid and at most ten minutes old; undefined otherwise. */
export function readState<Value>(signed: string | undefined, secret: string, now = Date.now()): Value | undefined {
  const [text = '', signature = ''] = (signed ?? '').split('.')
  const [given, wanted] = [Buffer.from(signature, 'base64url'), mac(text, secret)]
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  const { at, value } = JSON.parse(Buffer.from(text, 'base64url').toString()) as { at: number; value: Value }
  // The clock of the server that signed it may be ahead.
  return now - at <= STATE_MS && at <= now + MOST_SKEW_MS ? value : undefined
}
