import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { stringify } from 'node:querystring'
import { MediaprocError } from '../../errors.ts'
import { MOST_SKEW_MS } from '../../store/clock-skew.ts'
import type { ProviderSource } from './provider-source.ts'
import { type SamlSubject, samlLibrary } from './saml-library.ts'
import type { LogoutExpectations, LogoutMessage, LogoutRequest } from './saml-logout.ts'
import type { IdentityProvider } from './saml-metadata.ts'
import { SamlReaders } from './saml-readers.ts'
import { readEnvelope, type SamlExpectations, type SamlUser } from './saml-response.ts'

/** The operator's configuration of the identity provider and of this server as the service provider. */
export interface SamlOptions {
  provider: ProviderSource
  entityId: string
  callbackUrl: string
  /** URL of this server for logout requests and responses. */
  logoutUrl: string
  clockToleranceMs: number
  /** The server's own key and its certificate, PEM; empty for unsigned requests and unencrypted assertions. */
  privateKey: string
  certificate: string
  signRequests: boolean
}

/** Placeholder for the library, which refuses to start without a certificate. */
const NO_PROVIDER: IdentityProvider = {
  ...{ entityId: '', ssoUrl: 'https://invalid.example', logoutUrl: '', logoutResponseUrl: '', certificates: ['none'] },
}

/** The library signs the query as `querystring` encodes it, but returns it as `URL` does: they differ in spaces and quotes. */
function encodedAsSigned(address: string): string {
  const url = new URL(address)
  return `${url.origin}${url.pathname}?${stringify(Object.fromEntries(url.searchParams))}`
}

/** Time limit of a sign-in at the provider. */
export const REQUEST_MS = 600_000

/** Sign-in with a SAML identity provider, initiated by this server. */
export class Saml {
  readonly #options: SamlOptions
  readonly #secret: string
  readonly #readers = new SamlReaders()

  /** @param secret signs the request ids, so that the server recognizes its own without storing them */
  constructor(options: SamlOptions, secret: string) {
    this.#options = options
    this.#secret = secret
  }

  async metadata(): Promise<string> {
    const { certificate } = this.#options
    // The provider's own facts are not part of this server's metadata.
    const saml = await this.#library(() => this.#newId(), NO_PROVIDER)
    return saml.generateServiceProviderMetadata(certificate || null, certificate || null)
  }

  /** Returns the redirect URL and the id of the request in it. @throws DOWNLOAD_FAILED, INVALID_CONFIG */
  async begin(): Promise<{ url: string; requestId: string }> {
    const requestId = this.#newId()
    const saml = await this.#library(() => requestId)
    return { url: await saml.getAuthorizeUrlAsync('', undefined, {}), requestId }
  }

  /**
   * Returns the user of a response after all signatures and conditions are verified.
   * @param from the address of the client
   * @param requestId the request that this browser started; undefined if no cookie contains it
   * @throws MediaprocError INVALID_CREDENTIALS, QUEUE_UNAVAILABLE, DOWNLOAD_FAILED; the library's error
   */
  async redeem(response: string, from: string, requestId?: string): Promise<SamlUser & { requestId: string }> {
    const { inResponseTo } = readEnvelope(response)
    // In another browser, the response would sign its user in as someone else.
    if (requestId !== undefined && inResponseTo !== requestId) throw new Error('another browser asked for this')
    // Checked first, so that responses to unknown requests cost nothing.
    if (!this.#isOwnId(inResponseTo)) throw new Error('the response answers no request of ours, or one that is too old')
    const user = await this.#withProvider((provider) => {
      const { callbackUrl } = this.#options
      const expected: SamlExpectations = { ...this.#expected(provider), callbackUrl, requestId: inResponseTo }
      return this.#readers.read({ response, expected }, from)
    })
    return { ...user, requestId: inResponseTo }
  }

  /**
   * Returns the facts of a logout request after its signature and conditions are verified.
   * @param from the address of the client
   * @throws MediaprocError INVALID_CREDENTIALS, QUEUE_UNAVAILABLE, DOWNLOAD_FAILED; the library's error
   */
  logoutRequest(logout: LogoutMessage, from: string): Promise<LogoutRequest> {
    return this.#withProvider((provider) => {
      const expected: LogoutExpectations = { ...this.#expected(provider), logoutUrl: this.#options.logoutUrl }
      return this.#readers.read({ logout, expected }, from)
    })
  }

  /** URL that confirms a logout request to the provider; undefined if the provider has none. */
  async logoutResponseUrl(requestId: string, relayState: string): Promise<string | undefined> {
    const provider = await this.#options.provider.current()
    if (provider.logoutResponseUrl === '') return undefined
    const hasKey = this.#options.privateKey !== ''
    const saml = await this.#library(
      () => this.#newId(),
      { ...provider, logoutUrl: provider.logoutResponseUrl },
      hasKey,
    )
    return encodedAsSigned(await saml.getLogoutResponseUrlAsync({ ID: requestId }, relayState, {}, true))
  }

  /**
   * URL that ends the session at the provider; undefined if the provider has none, or this server has no key: providers
   * accept signed logout requests only.
   */
  async signOutUrl(subject: SamlSubject): Promise<string | undefined> {
    const { provider, privateKey } = this.#options
    const facts = await provider.current().catch(() => undefined)
    if (!facts || facts.logoutUrl === '' || privateKey === '') return undefined
    const saml = await this.#library(() => this.#newId(), facts, true)
    return encodedAsSigned(await saml.getLogoutUrlAsync(subject, '', {}))
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#readers.close()
  }

  /** Runs a check, and once more if it failed and the provider has replaced its certificates in the meantime. */
  async #withProvider<Result>(check: (provider: IdentityProvider) => Promise<Result>): Promise<Result> {
    const { provider } = this.#options
    const before = await provider.current()
    try {
      return await check(before)
    } catch (error) {
      if (error instanceof MediaprocError && error.code !== 'INVALID_CREDENTIALS') throw error
      const after = await provider.renewed()
      if (!after || after.certificates.join() === before.certificates.join()) throw error
      return check(after)
    }
  }

  #expected({ certificates, entityId: idpEntityId }: IdentityProvider) {
    const { entityId, clockToleranceMs, privateKey } = this.#options
    return {
      ...{ idpCertificates: certificates, entityId, clockToleranceMs },
      ...(privateKey !== '' && { privateKey }),
      ...(idpEntityId !== '' && { idpEntityId }),
    }
  }

  async #library(generateUniqueId: () => string, known?: IdentityProvider, signs = this.#options.signRequests) {
    const { SAML } = await samlLibrary()
    const { entityId, callbackUrl, logoutUrl: logoutCallbackUrl, privateKey, certificate } = this.#options
    const { ssoUrl, logoutUrl, certificates } = known ?? (await this.#options.provider.current())
    return new SAML({
      ...{ entryPoint: ssoUrl, idpCert: [...certificates], issuer: entityId, callbackUrl, generateUniqueId },
      ...{ logoutCallbackUrl, ...(logoutUrl !== '' && { logoutUrl }) },
      ...{ wantAssertionsSigned: true, wantAuthnResponseSigned: true },
      // The provider decides on the authentication method and the format of the ids.
      ...{ identifierFormat: null, disableRequestedAuthnContext: true },
      ...(privateKey !== '' && { decryptionPvk: privateKey }),
      ...(signs && { privateKey, publicCert: certificate, signatureAlgorithm: 'sha256' as const }),
    })
  }

  #mac(text: string): string {
    return createHmac('sha256', this.#secret).update(`saml request ${text}`).digest('hex').slice(0, 40)
  }

  /** Creates a signed id that contains its creation time. */
  #newId(): string {
    const text = `_${Date.now().toString(36)}-${randomBytes(16).toString('hex')}`
    return `${text}-${this.#mac(text)}`
  }

  #isOwnId(id: string): boolean {
    const [, text, time = '', mac = ''] = /^((_[0-9a-z]{1,12})-[0-9a-f]{32})-([0-9a-f]{40})$/.exec(id) ?? []
    if (text === undefined || !timingSafeEqual(Buffer.from(mac), Buffer.from(this.#mac(text)))) return false
    const age = Date.now() - Number.parseInt(time.slice(1), 36)
    // The clock of the server that made it may be ahead.
    return age >= -MOST_SKEW_MS && age <= REQUEST_MS
  }
}
