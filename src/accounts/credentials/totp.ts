/**
 * Time-based one-time codes compatible with all authenticator apps: RFC 6238 with SHA-1, six digits, 30 seconds. Uses
 * only the required parts of otplib, with Node's cryptography.
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

/** The otpauth URL for the QR code. */
export async function totpUri(secret: string, issuer: string, username: string): Promise<string> {
  const { TOTP, crypto, base32 } = await library()
  return new TOTP({ issuer, label: username, secret, crypto, base32 }).toURI()
}

/**
 * The time step of a code, within one step of now; undefined for an invalid code. Comparing the step with the last used
 * one prevents replays.
 */
export async function totpStep(secret: string, code: string, now: number): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined
  const { verify, crypto, base32 } = await library()
  const epoch = Math.floor(now / 1000)
  const result = await verify({ secret, token: code, epoch, epochTolerance: STEP_S, crypto, base32 })
  return result.valid ? Math.floor(epoch / STEP_S) + result.delta : undefined
}
