/** What is used of @node-saml/node-saml. Its own types would bring those of browsers into the whole program. */
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
  /** The assertion that was signed, as xml2js gives it. */
  getAssertion?(): unknown
}

const NAME = '@node-saml/node-saml'

/** Loads the library, which takes a tenth of a second. */
export async function samlLibrary(): Promise<SamlLibrary> {
  return (await import(NAME)) as SamlLibrary
}
