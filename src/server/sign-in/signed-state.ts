import { createHmac, timingSafeEqual } from 'node:crypto'

/** How long somebody may take to sign in elsewhere, milliseconds. */
export const STATE_MS = 600_000

const mac = (text: string, secret: string): Buffer => createHmac('sha256', secret).update(text).digest()

/** A value that comes back from a browser: with when it was made, and a signature that only this instance can make. */
export function signState(value: object, secret: string, now = Date.now()): string {
  const text = Buffer.from(JSON.stringify({ at: now, value })).toString('base64url')
  return `${text}.${mac(text, secret).toString('base64url')}`
}

/** The value, where the signature is ours and it is not older than ten minutes; undefined otherwise. */
export function readState<Value>(signed: string | undefined, secret: string, now = Date.now()): Value | undefined {
  const [text = '', signature = ''] = (signed ?? '').split('.')
  const [given, wanted] = [Buffer.from(signature, 'base64url'), mac(text, secret)]
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  const { at, value } = JSON.parse(Buffer.from(text, 'base64url').toString()) as { at: number; value: Value }
  return now - at <= STATE_MS && at <= now ? value : undefined
}
