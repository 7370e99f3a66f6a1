/** The used part of @node-saml/node-saml. Its own types would add browser types to the whole program. */
export interface SamlLibrary {
  SAML: new (options: Readonly<Record<string, unknown>>) => SamlInstance
}

export interface SamlInstance {
  generateServiceProviderMetadata(decryptionCertificate: string | null, signingCertificate: string | null): string
  getAuthorizeUrlAsync(relayState: string, host: string | undefined, options: object): Promise<string>
  validatePostResponseAsync(form: { SAMLResponse: string }): Promise<{ profile: SamlProfile | null }>
}

export interface SamlProfile {
  issuer?: string
  nameID?: string
  nameIDFormat?: string
  /** The signed assertion, as parsed by xml2js. */
  getAssertion?(): unknown
}

const NAME = '@node-saml/node-saml'

/** Loads the library on demand, because that takes a tenth of a second. */
export async function samlLibrary(): Promise<SamlLibrary> {
  return (await import(NAME)) as SamlLibrary
}
