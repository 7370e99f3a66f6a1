import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  type FetchImplementation,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'

/** Signature algorithms of a key pair. Those with a shared secret (HS…) and `none` are never accepted. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

export type { FetchImplementation }

/** The public keys of a provider. New ones are fetched after a rotation, at most every 30 seconds. */
export type ProviderKeys = JWTVerifyGetKey

export interface TokenRules {
  issuer: string
  /** One of these must be an audience of the token. */
  audience: string | string[]
  /** Algorithms that the provider announces; by default all that are accepted. */
  algorithms?: readonly string[]
  /** Age since `iat`, in seconds. */
  maxAgeS: number
  clockToleranceS: number
  requiredClaims: string[]
}

/** @param timeoutMs of a request for the keys */
export function providerKeys(jwksUri: string, fetch: FetchImplementation, timeoutMs = 10_000): ProviderKeys {
  return createRemoteJWKSet(new URL(jwksUri), { [customFetch]: fetch, timeoutDuration: timeoutMs })
}

/** The issuer that a token names, before its signature is checked. @throws Error when the text is no JWT */
export const namedIssuer = (text: string): string => decodeJwt(text).iss ?? ''

/** Whether an error is one of the token; any other is one of fetching the keys. */
export function isTokenError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && code.startsWith('ERR_J') && code !== 'ERR_JWKS_TIMEOUT'
}

/**
 * Checks signature, issuer, audience, age, times and required claims of a JSON Web Token.
 * @throws Error naming what is wrong; errors of `fetch` when the keys cannot be fetched (`isTokenError`)
 */
export async function verifyToken(
  text: string,
  keys: ProviderKeys,
  { issuer, audience, maxAgeS, clockToleranceS, requiredClaims, algorithms = ALGORITHMS }: TokenRules,
): Promise<{ claims: JWTPayload; type: string | undefined }> {
  const { payload, protectedHeader } = await jwtVerify(text, keys, {
    ...{ issuer, audience, requiredClaims, maxTokenAge: maxAgeS, clockTolerance: clockToleranceS },
    algorithms: algorithms.filter((name) => ALGORITHMS.includes(name)),
  })
  return { claims: payload, type: protectedHeader.typ }
}
