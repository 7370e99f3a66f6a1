import { MediaprocError } from '../../errors.ts'
import { limitedFetch } from './limited-fetch.ts'
import type { ProviderKeys } from './signed-token.ts'

/** Which tokens of a provider act for which service account. */
export interface MachineRule {
  issuer: string
  /** The audience that the tokens must name: this server. */
  audience: string
  /** Values of claims; a trailing `*` matches any continuation. At least one. */
  claims: Readonly<Record<string, string>>
  /** Name of the service account. */
  account: string
}

/** A verified token: the rule that it fits, and the provider's name of the workload. */
export interface MachineIdentity {
  rule: MachineRule
  subject: string
}

/** Longest token, in characters. */
export const MAX_ASSERTION = 8192
/** Oldest accepted token; those of CI services and clusters are valid for an hour at most. */
const MAX_AGE_S = 3600
const CLOCK_TOLERANCE_S = 30
const TIMEOUT_MS = 10_000
/** Delay before another request for the discovery document of a provider after a failed one. */
const RETRY_MS = 30_000

/** The library is loaded at the first token. */
const loadTokens = () => import('./signed-token.ts')

const wrong = (reason: string): MediaprocError => new MediaprocError('INVALID_CREDENTIALS', reason)

const away = (cause: unknown): MediaprocError =>
  new MediaprocError('DOWNLOAD_FAILED', 'The keys of the provider cannot be fetched', {
    cause,
    hint: 'Try again later.',
  })

/** Whether a claim has the value of a rule. */
export function fitsClaim(value: unknown, wanted: string): boolean {
  if (typeof value !== 'string') return false
  return wanted.endsWith('*') ? value.startsWith(wanted.slice(0, -1)) : value === wanted
}

/** The keys of an issuer, by its discovery document. */
async function discoverKeys(issuer: string): Promise<ProviderKeys> {
  try {
    const response = await limitedFetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      ...{ redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) },
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const { issuer: named, jwks_uri: address } = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown }
    if (named !== issuer) throw new Error('the discovery document names another issuer')
    const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
    if (url?.protocol !== new URL(issuer).protocol) throw new Error('the discovery document names no keys')
    return (await loadTokens()).providerKeys(url.href, limitedFetch, TIMEOUT_MS)
  } catch (error) {
    throw away(error)
  }
}

/** Verifies tokens that providers issue to programs: CI jobs, pods, cloud services (RFC 7523). */
export class MachineTokens {
  readonly #rules: readonly MachineRule[]
  readonly #keys = new Map<string, { keys: Promise<ProviderKeys>; failedAt?: number }>()

  constructor(rules: readonly MachineRule[]) {
    this.#rules = rules
  }

  /**
   * Verifies signature, issuer, audience, age and claims of a token. Only keys of issuers that a rule names are fetched.
   * @throws INVALID_CREDENTIALS with the reason, DOWNLOAD_FAILED when the keys of the provider cannot be fetched
   */
  async verify(assertion: string): Promise<MachineIdentity> {
    const { isTokenError, verifyToken } = await loadTokens()
    const issuer = await issuerOf(assertion)
    const rules = this.#rules.filter((rule) => rule.issuer === issuer)
    if (rules.length === 0) throw wrong('no rule names the issuer of the token')
    const { claims } = await verifyToken(assertion, await this.#keysOf(issuer), {
      ...{ issuer, audience: rules.map(({ audience }) => audience), maxAgeS: MAX_AGE_S },
      ...{ clockToleranceS: CLOCK_TOLERANCE_S, requiredClaims: ['iat', 'exp', 'sub'] },
    }).catch((error: Error) => {
      throw isTokenError(error) ? wrong(error.message) : away(error)
    })
    const audiences = [claims.aud].flat()
    const rule = rules.find(
      (one) =>
        audiences.includes(one.audience) &&
        Object.entries(one.claims).every(([name, text]) => fitsClaim(claims[name], text)),
    )
    if (!rule) throw wrong('no rule fits the claims of the token')
    return { rule, subject: claims.sub ?? '' }
  }

  #keysOf(issuer: string): Promise<ProviderKeys> {
    const known = this.#keys.get(issuer)
    if (known && (known.failedAt === undefined || Date.now() - known.failedAt < RETRY_MS)) return known.keys
    const entry: { keys: Promise<ProviderKeys>; failedAt?: number } = { keys: discoverKeys(issuer) }
    entry.keys.catch(() => {
      entry.failedAt = Date.now()
    })
    this.#keys.set(issuer, entry)
    return entry.keys
  }
}

async function issuerOf(assertion: string): Promise<string> {
  if (assertion.length > MAX_ASSERTION) throw wrong('the token is too long')
  const { namedIssuer } = await loadTokens()
  try {
    return namedIssuer(assertion)
  } catch {
    throw wrong('the token is no JWT')
  }
}
