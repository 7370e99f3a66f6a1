/** Time-based one-time codes as every authenticator app has them: RFC 6238 with SHA-1, six digits, 30 seconds. */

const STEP_S = 30
/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20

const library = () => import('otplib')

/** A new secret in base32. */
export async function newTotpSecret(): Promise<string> {
  return (await library()).generateSecret({ length: SECRET_BYTES })
}

/** What a QR code for authenticator apps holds. */
export async function totpUri(secret: string, issuer: string, username: string): Promise<string> {
  return (await library()).generateURI({ issuer, label: username, secret })
}

/**
 * The step of time that a code belongs to, within one step of now; undefined for a code that is none. The step tells codes
 * that were used apart from new ones.
 */
export async function totpStep(secret: string, code: string, now: number): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined
  const { verify } = await library()
  const epoch = Math.floor(now / 1000)
  const result = await verify({ secret, token: code, epoch, epochTolerance: STEP_S })
  return result.valid ? Math.floor(epoch / STEP_S) + result.delta : undefined
}
