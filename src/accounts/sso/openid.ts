import type { Configuration, ServerMetadata } from 'openid-client'
import { MediaprocError } from '../../errors.ts'
import type { LogoutToken } from './logout-token.ts'

/** What the operator says of the provider. */
export interface OpenIdOptions {
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string
  /** Seconds that the clocks of both may differ. */
  clockToleranceS: number
  /** Where the provider sends the browser back to. */
  redirectUri: string
}

/** What must be the same when the browser comes back: kept in a signed cookie. */
export interface OpenIdFlow {
  state: string
  nonce: string
  verifier: string
}

/** What the provider says of a user. */
export interface OpenIdUser {
  claims: Readonly<Record<string, unknown>> & { sub: string }
  idToken: string
}

const DISCOVERY_MS = 24 * 3_600_000
/** After a discovery that failed the provider is not asked again for so long: every sign-in would wait for it. */
const FAILURE_MS = 5000
const TIMEOUT_S = 10
/** Longest answer of a provider, in bytes: documents, keys and tokens are far shorter. */
const MAX_ANSWER = 1_000_000

export const unreachable = (cause: unknown): MediaprocError =>
  new MediaprocError('DOWNLOAD_FAILED', 'The OpenID provider cannot be reached', { cause })

/** An answer that is read to its end, no longer than the limit. */
async function limitedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  const { status, headers } = response
  const hasBody = ![204, 205, 304].includes(status)
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers })
}

/**
 * Signing in with an OpenID provider: authorization code with PKCE, state and nonce. The issuer is the operator's word, so that
 * it may be in a private network; nothing that a client sends becomes part of an address.
 */
export class OpenId {
  readonly #options: OpenIdOptions
  #discovered: { at: number; metadata: Promise<Configuration> } | undefined

  constructor(options: OpenIdOptions) {
    this.#options = options
  }

  /** The address to send the browser to, and what must come back. @throws DOWNLOAD_FAILED */
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
   * Redeems the code: the token must be signed by a key of the issuer, for this client, with the nonce, and not be expired.
   * @param wanted claims that the provider is asked for at its address for users where the token lacks one
   * @throws DOWNLOAD_FAILED when the provider cannot be reached; what the library throws otherwise
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

  /** Where the browser goes to sign out there, too; undefined where the provider has no such address or cannot be reached. */
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

  /** A configuration of its own for each sign-in: the keys are fetched again, so that none fails when they are exchanged. */
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

/** Codes of the library for answers that never came, or are none of a provider. */
const NETWORK = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'])

function notReached(error: unknown): never {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: { name?: string; status?: number } }
  // What `fetch` throws when there is no connection is a TypeError with the reason behind it.
  const isNetwork = name === 'TypeError' && code === undefined
  const isRefusal = cause instanceof Response && cause.status >= 400 && cause.status < 500
  if (isNetwork || (NETWORK.has(code ?? '') && !isRefusal)) throw unreachable(error)
  throw error
}
