import { randomInt } from 'node:crypto'
import type { RecoveryCodes } from '../../store/records.ts'
import { hashWithSalt, newSalt } from './passwords.ts'

const COUNT = 8
/** Base32 alphabet of RFC 4648: no digit looks like a letter. Ten characters are 50 bits. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const FORM = /^[a-z2-7]{5}-?[a-z2-7]{5}$/

const half = (): string => Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** Eight codes `xxxxx-xxxxx`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => `${half()}-${half()}`)
}

/** Whether a text has the form of a recovery code; others are not worth a costly hash. */
export function isRecoveryCode(text: string): boolean {
  return FORM.test(text.trim().toLowerCase())
}

const normal = (code: string): string => code.trim().toLowerCase().replace('-', '')

/** Stored form. A user's codes share one salt, so that checking a code costs one hash. */
export async function hashRecoveryCodes(codes: readonly string[]): Promise<RecoveryCodes> {
  const salt = newSalt()
  return { salt, hashes: await Promise.all(codes.map((code) => hashWithSalt(normal(code), salt))) }
}

/** Hash of an entered code: it is in `hashes` if the code is valid. */
export function hashOfRecoveryCode(code: string, { salt }: RecoveryCodes): Promise<string> {
  return hashWithSalt(normal(code), salt)
}
