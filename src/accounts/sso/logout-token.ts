import { type FetchImplementation, providerKeys, verifyToken } from './signed-token.ts'

/** The event that makes a token of a provider a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4). */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Providers send the token at once; an older one was caught and sent again. */
const MAX_AGE_S = 300
/** Longer names are none that a provider gives, in characters. */
const MAX_NAME = 1000

/** What a logout token says. At least one of `subject` and `session` is there. */
export interface LogoutToken {
  /** The token's own id, by which it is taken once only. */
  id: string
  /** The provider's id of the user, `sub`. */
  subject?: string
  /** The provider's id of its session, `sid`. */
  session?: string
}

export interface LogoutTokenRules {
  issuer: string
  clientId: string
  /** Address of the provider's keys. */
  jwksUri: string
  /** Signature algorithms that the provider announces. */
  algorithms: readonly string[]
  clockToleranceS: number
  fetch: FetchImplementation
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME

/**
 * Checks a logout token by sections 2.4 and 2.6 of OpenID Connect Back-Channel Logout 1.0: signature by a key of the issuer,
 * issuer, audience, age, the event, no nonce.
 * @throws Error naming what is wrong; errors of `fetch` when the keys cannot be had
 */
export async function readLogoutToken(text: string, rules: LogoutTokenRules): Promise<LogoutToken> {
  const { issuer, clientId, jwksUri, clockToleranceS } = rules
  const { claims, type } = await verifyToken(text, providerKeys(jwksUri, rules.fetch), {
    ...{ issuer, audience: clientId, algorithms: rules.algorithms, clockToleranceS, maxAgeS: MAX_AGE_S },
    requiredClaims: ['iat', 'jti', 'events'],
  })
  const { jti, sub, sid, events, nonce } = claims
  if (type !== undefined && !['logout+jwt', 'jwt'].includes(type.toLowerCase()))
    throw new Error(`the token is a ${type}`)
  const event = typeof events === 'object' && events !== null ? (events as Record<string, unknown>)[EVENT] : undefined
  if (typeof event !== 'object' || event === null) throw new Error('the token is not for signing out')
  if (nonce !== undefined) throw new Error('the token has a nonce: it is an ID token')
  if (!isName(jti)) throw new Error('the token has no id')
  if (!isName(sub) && !isName(sid)) throw new Error('the token names neither a user nor a session')
  return { id: jti, ...(isName(sub) && { subject: sub }), ...(isName(sid) && { session: sid }) }
}
