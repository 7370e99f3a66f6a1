/** The used part of @node-saml/node-saml. Its own types would add browser types to the whole program. */
export interface SamlLibrary {
  SAML: new (options: Readonly<Record<string, unknown>>) => SamlInstance
}

export interface SamlInstance {
  generateServiceProviderMetadata(decryptionCertificate: string | null, signingCertificate: string | null): string
  getAuthorizeUrlAsync(relayState: string, host: string | undefined, options: object): Promise<string>
  validatePostResponseAsync(form: { SAMLResponse: string }): Promise<{ profile: SamlProfile | null }>
  validatePostRequestAsync(form: { SAMLRequest: string }): Promise<{ profile: SamlProfile | null }>
  validateRedirectAsync(query: { SAMLRequest: string }, raw: string): Promise<{ profile: SamlProfile | null }>
  getLogoutUrlAsync(subject: SamlSubject, relayState: string, options: object): Promise<string>
  getLogoutResponseUrlAsync(
    request: { ID: string },
    relayState: string,
    options: object,
    done: boolean,
  ): Promise<string>
}

/** A user and session as the provider names them. */
export interface SamlSubject {
  nameID: string
  nameIDFormat?: string | undefined
  sessionIndex?: string | undefined
}

export interface SamlProfile {
  issuer?: string
  nameID?: string
  nameIDFormat?: string
  /** The signed assertion, as parsed by xml2js. */
  getAssertion?(): unknown
}

/** Signature and digest algorithms that are accepted (NIST SP 800-131A: no SHA-1; no HMAC, whose key would be public). */
const ACCEPTED =
  /^http:\/\/www\.w3\.org\/2001\/04\/(?:xmldsig-more#(?:rsa|ecdsa)-sha(?:256|384|512)|xmldsig-more#sha384|xmlenc#sha(?:256|512))$/

interface SignedXml {
  findSignatureAlgorithm(name: string): unknown
  findHashAlgorithm(name: string): unknown
}

/**
 * Refuses weak algorithms where xml-crypto looks up the name of one: a check of the response's text would miss escaped
 * characters and what is encrypted. It changes the library for the whole thread: for the thread that only reads responses.
 */
export async function refuseWeakAlgorithms(): Promise<void> {
  const { SignedXml } = (await import('xml-crypto' as string)) as { SignedXml: { prototype: SignedXml } }
  const { prototype } = SignedXml
  for (const method of ['findSignatureAlgorithm', 'findHashAlgorithm'] as const) {
    const find = prototype[method]
    prototype[method] = function (name) {
      if (!ACCEPTED.test(name)) throw new Error(`the algorithm ${name} is not accepted`)
      return find.call(this, name)
    }
  }
}

/** Loads the library on demand, because that takes a tenth of a second. */
export async function samlLibrary(): Promise<SamlLibrary> {
  return (await import('@node-saml/node-saml' as string)) as SamlLibrary
}
