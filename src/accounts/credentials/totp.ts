/**
 * Time-based one-time codes as every authenticator app has them: RFC 6238 with SHA-1, six digits, 30 seconds. Of otplib the parts
 * that are needed, with the cryptography of Node.
 */

const STEP_S = 30
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20

async function library() {
  const [{ TOTP, verify }, { crypto }, { base32 }] = await Promise.all([
    import('@otplib/totp'),
    import('@otplib/plugin-crypto-node'),
    import('@otplib/plugin-base32-scure'),
  ])
  return { TOTP, verify, crypto, base32 }
}

/** A new secret in base32. */
export async function newTotpSecret(): Promise<string> {
  const { crypto, base32 } = await library()
  return base32.encode(crypto.randomBytes(SECRET_BYTES), { padding: false })
}

/** What a QR code for authenticator apps holds. */
export async function totpUri(secret: string, issuer: string, username: string): Promise<string> {
  const { TOTP, crypto, base32 } = await library()
  return new TOTP({ issuer, label: username, secret, crypto, base32 }).toURI()
}

/**
 * The step of time that a code belongs to, within one step of now; undefined for a code that is none. The step tells codes
 * that were used apart from new ones.
 */
export async function totpStep(secret: string, code: string, now: number): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined
  const { verify, crypto, base32 } = await library()
  const epoch = Math.floor(now / 1000)
  const result = await verify({ secret, token: code, epoch, epochTolerance: STEP_S, crypto, base32 })
  return result.valid ? Math.floor(epoch / STEP_S) + result.delta : undefined
}
