import { createHmac, randomInt } from 'node:crypto'

/** No vowels, so that codes are no words, and no letters that look like others (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const [LENGTH, GROUP] = [8, 4]

/** A code that a person types, such as `WDJB-MJHT`: one of 20^8. */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${letters.slice(0, GROUP)}-${letters.slice(GROUP)}`
}

/** What a code is stored as. The key matters: all codes could be hashed in minutes. */
export const hashOfUserCode = (code: string, secret: string): string =>
  createHmac('sha256', secret)
    .update(`device code ${code.toUpperCase().replaceAll(/[^A-Z]/g, '')}`)
    .digest('hex')
