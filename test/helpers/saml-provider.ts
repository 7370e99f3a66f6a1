import { randomUUID } from 'node:crypto'
import { selfSigned } from './certificate.ts'

/** The used part of samlify. Its own types would add those of browsers to the whole program. */
interface Samlify {
  ServiceProvider(options: object): Service
  IdentityProvider(options: object): Identity
  setSchemaValidator(validator: { validate(xml: string): Promise<unknown> }): void
  SamlLib: {
    constructSAMLSignature(options: object): string
    encryptAssertion(from: Identity, to: Service, xml: string): Promise<string>
  }
}

interface Service {
  entityMeta: { getEntityID(): string; getAssertionConsumerService(binding: string): string }
}

interface Identity {
  getMetadata(): string
  parseLoginRequest(from: Service, binding: string, request: object): Promise<{ extract: unknown }>
  parseLogoutRequest(from: Service, binding: string, request: object): Promise<{ extract: unknown }>
  parseLogoutResponse(from: Service, binding: string, request: object): Promise<{ extract: unknown }>
}

const NAME = 'samlify'
const { default: samlify } = (await import(NAME)) as { default: Samlify }
const { IdentityProvider, ServiceProvider, SamlLib, setSchemaValidator } = samlify

// Its own XML validation is irrelevant to these tests.
setSchemaValidator({ validate: async () => 'ok' })

export const SSO_URL = 'https://idp.example/sso'
export const SLO_URL = 'https://idp.example/slo'
export const IDP = 'https://idp.example/metadata'

/** Content of a response, and how it is signed. */
export interface ResponseParts {
  nameId: string
  nameIdFormat: string
  attributes: Record<string, string[]>
  inResponseTo: string
  recipient: string
  destination: string
  audience: string
  /** Seconds from now. */
  issued: number
  notBefore: number
  ends: number
  /** Name of the session. */
  sessionIndex?: string
  /** SessionNotOnOrAfter, seconds from now. */
  sessionEnds?: number
  signsResponse: boolean
  signsAssertion: boolean
  encrypts: boolean
  assertionId: string
  responseId: string
  /** Signs instead of the provider. */
  signer: { key: string; certificate: string }
  algorithm: string
  /** Of the assertion alone. */
  assertionAlgorithm?: string
}

/** What a logout request says. */
export interface LogoutParts {
  nameId: string
  /** Session indexes. */
  sessions: readonly string[]
  /** Seconds from now. */
  issued: number
  issuer: string
  id: string
  destination: string
}

export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const moment = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString()
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The XML of an unsigned assertion. */
function assertionXml(parts: ResponseParts): string {
  const attributes = Object.entries(parts.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${escaped(value)}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
  )
  return `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${parts.assertionId}" Version="2.0" IssueInstant="${moment(parts.issued)}"><saml:Issuer>${IDP}</saml:Issuer><saml:Subject><saml:NameID Format="${parts.nameIdFormat}">${parts.nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${moment(parts.ends)}" Recipient="${parts.recipient}" InResponseTo="${parts.inResponseTo}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${moment(parts.notBefore)}" NotOnOrAfter="${moment(parts.ends)}"><saml:AudienceRestriction><saml:Audience>${parts.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${moment(parts.issued)}" SessionIndex="${parts.sessionIndex ?? '1'}"${parts.sessionEnds === undefined ? '' : ` SessionNotOnOrAfter="${moment(parts.sessionEnds)}"`}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion>`
}

/** An identity provider that signs and encrypts with samlify, another library than the server's. */
export class SamlProvider {
  readonly own = selfSigned('idp.example')
  readonly #sp: Service
  readonly #idp: Identity

  /** @param metadata of the server */
  constructor(metadata: string) {
    this.#sp = ServiceProvider({ metadata })
    this.#idp = IdentityProvider({
      ...{ entityID: IDP, privateKey: this.own.key, signingCert: this.own.certificate, isAssertionEncrypted: true },
      singleSignOnService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: SSO_URL }],
      singleLogoutService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: SLO_URL }],
      ...{ wantAuthnRequestsSigned: false, wantLogoutRequestSigned: true, wantLogoutResponseSigned: true },
    })
  }

  /** The parameters in the address to which the server redirects the browser. */
  async request(url: string) {
    const query = Object.fromEntries(new URL(url).searchParams)
    const { extract } = await this.#idp.parseLoginRequest(this.#sp, 'redirect', { query })
    return extract as {
      request: { id: string; assertionConsumerServiceUrl: string; destination: string }
      issuer: string
    }
  }

  /** The entity and the address in the server's metadata. */
  get service() {
    const meta = this.#sp.entityMeta
    return { entityId: meta.getEntityID(), callback: meta.getAssertionConsumerService('post') as string }
  }

  /** The metadata of this provider. */
  get metadata(): string {
    return this.#idp.getMetadata()
  }

  /** Reads a logout request or response of the server, whose signature samlify verifies. */
  async logoutMessage(url: string, kind: 'Request' | 'Response') {
    const { searchParams, search } = new URL(url)
    // The signature covers the encoded parameters before it.
    const octetString = search.slice(1).replace(/&Signature=.*$/, '')
    const { extract } = await this.#idp[`parseLogout${kind}`](this.#sp, 'redirect', {
      query: Object.fromEntries(searchParams),
      octetString,
    })
    return extract as Record<string, unknown>
  }

  /** The XML of a logout request, not signed. */
  logoutXml(wanted: Partial<LogoutParts> = {}): string {
    const parts = { ...{ nameId: 'olga@company.example', sessions: [], issued: 0, issuer: IDP }, ...wanted }
    const { id = `_l${randomUUID()}`, destination = this.service.callback.replace('callback', 'logout') } = parts
    const sessions = parts.sessions.map((name) => `<samlp:SessionIndex>${name}</samlp:SessionIndex>`).join('')
    return `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${id}" Version="2.0" IssueInstant="${moment(parts.issued)}" Destination="${destination}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${parts.issuer}</saml:Issuer><saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${parts.nameId}</saml:NameID>${sessions}</samlp:LogoutRequest>`
  }

  /** Signs a logout request for the HTTP-POST binding. */
  signLogout(xml: string, { signer = this.own, algorithm = RSA_SHA256 } = {}): string {
    return this.#sign(xml, '', { signer, algorithm }, 'LogoutRequest')
  }

  #sign(
    xml: string,
    at: string,
    { signer, algorithm }: Pick<ResponseParts, 'signer' | 'algorithm'>,
    root = 'Response',
  ): string {
    const signed = SamlLib.constructSAMLSignature({
      rawSamlMessage: xml,
      ...(at !== '' && { referenceTagXPath: `/*[local-name(.)='${root}']${at}` }),
      isMessageSigned: at === '',
      isBase64Output: false,
      signatureAlgorithm: algorithm,
      privateKey: signer.key,
      signingCert: signer.certificate.replace(/-----[^-]+-----|\s/g, ''),
      transformationAlgorithms: [
        'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
        'http://www.w3.org/2001/10/xml-exc-c14n#',
      ],
      signatureConfig: {
        prefix: 'ds',
        location: { reference: `/*[local-name(.)='${root}']${at}/*[local-name(.)='Issuer']`, action: 'after' },
      },
    })
    return signed as string
  }

  /**
   * A response, signed from the inside to the outside.
   * @param change changes the XML before the response is signed
   */
  async respond(
    inResponseTo: string,
    wanted: Partial<ResponseParts> = {},
    change = (xml: string) => xml,
  ): Promise<string> {
    const { entityId, callback } = this.service
    const parts: ResponseParts = {
      ...{ nameId: 'olga@company.example', nameIdFormat: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' },
      ...{ attributes: {}, inResponseTo, recipient: callback, destination: callback, audience: entityId },
      ...{ issued: 0, notBefore: -5, ends: 120, signsResponse: true, signsAssertion: true, encrypts: false },
      ...{ assertionId: `_a${randomUUID()}`, responseId: `_r${randomUUID()}`, signer: this.own, algorithm: RSA_SHA256 },
      ...wanted,
    }
    let xml = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${parts.responseId}" Version="2.0" IssueInstant="${moment(parts.issued)}" Destination="${parts.destination}" InResponseTo="${parts.inResponseTo}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${IDP}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${assertionXml(parts)}</samlp:Response>`
    if (parts.signsAssertion) {
      const algorithm = parts.assertionAlgorithm ?? parts.algorithm
      xml = this.#sign(xml, "/*[local-name(.)='Assertion']", { ...parts, algorithm })
    }
    xml = change(xml)
    if (parts.encrypts) {
      const encrypted = await SamlLib.encryptAssertion(this.#idp, this.#sp, xml)
      xml = Buffer.from(encrypted, 'base64').toString()
    }
    return parts.signsResponse ? this.#sign(xml, '', parts) : xml
  }
}
