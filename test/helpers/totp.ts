import { base32 } from '@otplib/plugin-base32-scure'
import { crypto } from '@otplib/plugin-crypto-node'
import { generate } from '@otplib/totp'

/** The code that an authenticator app shows, now or at a time in seconds since 1970. */
export function totpCode(secret: string, epoch = Math.floor(Date.now() / 1000)): Promise<string> {
  return generate({ secret, epoch, crypto, base32 })
}
