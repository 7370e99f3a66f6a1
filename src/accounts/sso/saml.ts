import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { samlLibrary } from './saml-library.ts'
import { SamlReaders } from './saml-readers.ts'
import { readEnvelope, type SamlExpectations, type SamlUser } from './saml-response.ts'

/** The operator's configuration of the identity provider and of this server as the service provider. */
export interface SamlOptions {
  ssoUrl: string
  idpCertificates: readonly string[]
  entityId: string
  /** Entity ID of the identity provider; '' accepts any issuer that its certificates sign for. */
  idpEntityId: string
  callbackUrl: string
  clockToleranceMs: number
  /** The server's own key and its certificate, PEM; empty for unsigned requests and unencrypted assertions. */
  privateKey: string
  certificate: string
  signRequests: boolean
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
    const saml = await this.#library(() => this.#newId())
    return saml.generateServiceProviderMetadata(certificate || null, certificate || null)
  }

  /** Returns the redirect URL and the id of the request in it. */
  async begin(): Promise<{ url: string; requestId: string }> {
    const requestId = this.#newId()
    const saml = await this.#library(() => requestId)
    return { url: await saml.getAuthorizeUrlAsync('', undefined, {}), requestId }
  }

  /**
   * Returns the user of a response after all signatures and conditions are verified.
   * @param from the address of the client
   * @param requestId the request that this browser started; undefined if no cookie contains it
   * @throws MediaprocError INVALID_CREDENTIALS, QUEUE_UNAVAILABLE; the library's error
   */
  async redeem(response: string, from: string, requestId?: string): Promise<SamlUser & { requestId: string }> {
    const { inResponseTo } = readEnvelope(response)
    // In another browser, the response would sign its user in as someone else.
    if (requestId !== undefined && inResponseTo !== requestId) throw new Error('another browser asked for this')
    // Checked first, so that responses to unknown requests cost nothing.
    if (!this.#isOwnId(inResponseTo)) throw new Error('the response answers no request of ours, or one that is too old')
    const { idpCertificates, entityId, idpEntityId, callbackUrl, clockToleranceMs, privateKey } = this.#options
    const expected: SamlExpectations = {
      ...{ idpCertificates, entityId, callbackUrl, clockToleranceMs, requestId: inResponseTo },
      ...(privateKey !== '' && { privateKey }),
      ...(idpEntityId !== '' && { idpEntityId }),
    }
    const user = await this.#readers.read({ response, expected }, from)
    return { ...user, requestId: inResponseTo }
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#readers.close()
  }

  async #library(generateUniqueId: () => string) {
    const { SAML } = await samlLibrary()
    const { ssoUrl, idpCertificates, entityId, callbackUrl, privateKey, certificate, signRequests } = this.#options
    return new SAML({
      ...{ entryPoint: ssoUrl, idpCert: [...idpCertificates], issuer: entityId, callbackUrl, generateUniqueId },
      ...{ wantAssertionsSigned: true, wantAuthnResponseSigned: true },
      // The provider decides on the authentication method and the format of the ids.
      ...{ identifierFormat: null, disableRequestedAuthnContext: true },
      ...(privateKey !== '' && { decryptionPvk: privateKey }),
      ...(signRequests && { privateKey, publicCert: certificate, signatureAlgorithm: 'sha256' as const }),
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
    const [, text, time, mac] = /^((_[0-9a-z]{1,12})-[0-9a-f]{32})-([0-9a-f]{40})$/.exec(id) ?? []
    if (text === undefined || !timingSafeEqual(Buffer.from(mac!), Buffer.from(this.#mac(text)))) return false
    const age = Date.now() - Number.parseInt(time!.slice(1), 36)
    return age >= 0 && age <= REQUEST_MS
  }
}
