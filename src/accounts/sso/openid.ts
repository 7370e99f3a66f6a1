import type { Configuration, ServerMetadata } from 'openid-client'
import { MediaprocError } from '../../errors.ts'
import { limitedFetch } from './limited-fetch.ts'
import type { LogoutToken } from './logout-token.ts'

/** The operator's configuration of the provider. */
export interface OpenIdOptions {
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string
  /** Clock tolerance in seconds. */
  clockToleranceS: number
  /** The redirect URI of this server. */
  redirectUri: string
}

/** Values that must match when the browser returns: stored in a signed cookie. */
export interface OpenIdFlow {
  state: string
  nonce: string
  verifier: string
}

/** User information from the provider. */
export interface OpenIdUser {
  claims: Readonly<Record<string, unknown>> & { sub: string }
  idToken: string
}

const DISCOVERY_MS = 24 * 3_600_000
/** Delay before another discovery after a failed one: otherwise every sign-in would wait for it. */
const FAILURE_MS = 5000
const TIMEOUT_S = 10
export const unreachable = (cause: unknown): MediaprocError =>
  new MediaprocError('DOWNLOAD_FAILED', 'The OpenID provider cannot be reached', { cause })

/**
 * Sign-in with an OpenID provider: authorization code flow with PKCE, state and nonce. Only the operator sets the
 * issuer, so it may be in a private network; no client input becomes part of a URL.
 */
export class OpenId {
  readonly #options: OpenIdOptions
  #discovered: { at: number; metadata: Promise<Configuration> } | undefined

  constructor(options: OpenIdOptions) {
    this.#options = options
  }

  /** Returns the authorization URL and the values to check on return. @throws DOWNLOAD_FAILED */
  async begin(): Promise<{ url: string; flow: OpenIdFlow }> {
    const client = await import('openid-client')
    const configuration = await this.#configuration()
    const flow = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#options.redirectUri,
      scope: this.#options.scopes,
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, flow }
  }

  /**
   * Redeems the code: the token must be signed by the issuer for this client, contain the nonce, and not be expired.
   * @param wanted claims that are read from the userinfo endpoint if the token lacks one
   * @throws DOWNLOAD_FAILED when the provider cannot be reached; otherwise the library's error
   */
  async redeem(query: string, flow: OpenIdFlow, wanted: readonly string[]): Promise<OpenIdUser> {
    const client = await import('openid-client')
    const configuration = await this.#configuration()
    const url = new URL(`${this.#options.redirectUri}?${query}`)
    const checks = {
      ...{ pkceCodeVerifier: flow.verifier, expectedState: flow.state, expectedNonce: flow.nonce },
      idTokenExpected: true,
    }
    const tokens = await client.authorizationCodeGrant(configuration, url, checks).catch(notReached)
    const claims: OpenIdUser['claims'] = { ...tokens.claims()! }
    const lacksOne = wanted.some((name) => claims[name] === undefined)
    const asksMore = configuration.serverMetadata().userinfo_endpoint !== undefined && lacksOne
    const more = asksMore
      ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch(notReached)
      : {}
    return { claims: { ...more, ...claims }, idToken: tokens.id_token! }
  }

  /** URL that also signs out at the provider; undefined if it has none or cannot be reached. */
  async signOutUrl(idToken: string | undefined, backTo: string): Promise<string | undefined> {
    const client = await import('openid-client')
    const configuration = await this.#configuration().catch(() => undefined)
    if (!configuration?.serverMetadata().end_session_endpoint) return undefined
    const parameters = new URLSearchParams({ post_logout_redirect_uri: backTo })
    if (idToken !== undefined) parameters.set('id_token_hint', idToken)
    return client.buildEndSessionUrl(configuration, parameters).href
  }

  /** What the provider announces in its discovery document. @throws DOWNLOAD_FAILED */
  async metadata(): Promise<ServerMetadata> {
    return (await this.#configuration()).serverMetadata()
  }

  /**
   * Whether the provider accepts the client id and secret. It is sent a code that it never issued: a provider that knows
   * the client refuses the code, any other refuses the client.
   * @throws DOWNLOAD_FAILED
   */
  async acceptsClient(): Promise<boolean> {
    const client = await import('openid-client')
    const code = { code: 'mediaproc-sso-check', redirect_uri: this.#options.redirectUri, code_verifier: 'x'.repeat(43) }
    try {
      await client.genericGrantRequest(await this.#configuration(), 'authorization_code', code)
      return true
    } catch (error) {
      if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant'
      if (error instanceof client.WWWAuthenticateChallengeError) return false
      return notReached(error)
    }
  }

  /**
   * Reads a logout token that the provider has sent.
   * @throws DOWNLOAD_FAILED when the provider cannot be reached, Error when the token is not valid
   */
  async logoutToken(text: string): Promise<LogoutToken> {
    const { readLogoutToken } = await import('./logout-token.ts')
    const { clientId, clockToleranceS } = this.#options
    const { issuer, jwks_uri: jwksUri, ...metadata } = (await this.#configuration()).serverMetadata()
    if (jwksUri === undefined) throw new Error('the provider announces no keys')
    const algorithms = metadata.id_token_signing_alg_values_supported ?? ['RS256']
    const rules = { issuer, clientId, jwksUri, algorithms, clockToleranceS, fetch: limitedFetch }
    return readLogoutToken(text, rules).catch(notReached)
  }

  /** Creates a configuration per sign-in: keys are fetched each time, so that a key rotation causes no failure. */
  async #configuration(): Promise<Configuration> {
    const client = await import('openid-client')
    const { clientId, clientSecret, clockToleranceS } = this.#options
    const known = await this.#discovery().catch(notReached)
    const metadata = { client_secret: clientSecret, [client.clockTolerance]: clockToleranceS }
    const configuration = new client.Configuration(known.serverMetadata(), clientId, metadata)
    configuration.timeout = TIMEOUT_S
    configuration[client.customFetch] = limitedFetch as (typeof configuration)[typeof client.customFetch] & object
    if (this.#isInsecure) client.allowInsecureRequests(configuration)
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }

  get #isInsecure(): boolean {
    return this.#options.issuer.startsWith('http:')
  }

  async #discovery(): Promise<Configuration> {
    const client = await import('openid-client')
    const age = Date.now() - (this.#discovered?.at ?? 0)
    if (this.#discovered && age < DISCOVERY_MS) return this.#discovered.metadata
    const { issuer, clientId, clientSecret } = this.#options
    const found = {
      at: Date.now(),
      metadata: client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        ...{ timeout: TIMEOUT_S, [client.customFetch]: limitedFetch as never },
        execute: this.#isInsecure ? [client.allowInsecureRequests] : [],
      }),
    }
    this.#discovered = found
    found.metadata.catch(() => {
      found.at = Date.now() - DISCOVERY_MS + FAILURE_MS
    })
    return found.metadata
  }
}

/** Error codes of the library for missing or malformed responses of a provider. */
const NETWORK = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'])

function notReached(error: unknown): never {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: { name?: string; status?: number } }
  // Without a connection, `fetch` throws a TypeError with the reason as its cause.
  const isNetwork = name === 'TypeError' && code === undefined
  const isRefusal = cause instanceof Response && cause.status >= 400 && cause.status < 500
  if (isNetwork || (NETWORK.has(code ?? '') && !isRefusal)) throw unreachable(error)
  throw error
}
