import { X509Certificate } from 'node:crypto'
import { localName, strictParser } from '../../engines/saxes.ts'
import { MediaprocError } from '../../errors.ts'

/** Facts about a SAML identity provider. */
export interface IdentityProvider {
  /** '' accepts any issuer that the certificates sign for. */
  entityId: string
  /** Sign-on URL (HTTP-Redirect). */
  ssoUrl: string
  /** Single logout URL for requests (HTTP-Redirect); '' for none. */
  logoutUrl: string
  /** Single logout URL for responses; the same as for requests if the provider names no other. */
  logoutResponseUrl: string
  /** Signing certificates, PEM. */
  certificates: readonly string[]
}

/** An identity provider of a metadata document, and when the document expires. */
export interface ProviderMetadata extends IdentityProvider {
  /** Milliseconds since 1970; Infinity without an expiry. */
  validUntil: number
}

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const MAX_CERTIFICATES = 10

const invalid = (reason: string): MediaprocError =>
  new MediaprocError('INVALID_CONFIG', `The metadata of the identity provider cannot be used: ${reason}`, {
    hint: 'Check SAML_IDP_METADATA_URL or SAML_IDP_METADATA_FILE.',
  })

const pemOf = (base64: string): string =>
  `-----BEGIN CERTIFICATE-----\n${base64.replace(/\s+/g, '').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----`

interface Draft {
  entityId: string
  isProvider: boolean
  ssoUrl: string
  logoutUrl: string
  logoutResponseUrl: string
  certificates: string[]
  validUntil: number
}

/** Reads all entities of a metadata document (SAML V2.0 Metadata, sections 2.3 and 2.4). */
async function readEntities(xml: string): Promise<Draft[]> {
  const parser = await strictParser()
  const found: Draft[] = []
  const path: string[] = []
  let [documentEnd, use, text] = [Number.POSITIVE_INFINITY, '', '']
  parser.on('doctype', () => {
    throw new Error('it has a document type declaration')
  })
  parser.on('opentag', ({ name, attributes }) => {
    const own = attributes as Record<string, string>
    const tag = localName(name)
    path.push(tag)
    const end = own.validUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(own.validUntil)
    if (tag === 'EntitiesDescriptor') documentEnd = Math.min(documentEnd, end)
    if (tag === 'EntityDescriptor')
      found.push({
        ...{ entityId: own.entityID ?? '', isProvider: false, ssoUrl: '', logoutUrl: '', logoutResponseUrl: '' },
        ...{ certificates: [], validUntil: Math.min(documentEnd, end) },
      })
    const entity = found.at(-1)
    if (!entity || !path.includes('IDPSSODescriptor')) return
    entity.isProvider = true
    if (tag === 'KeyDescriptor') use = own.use ?? 'signing'
    if (tag === 'X509Certificate') text = ''
    if (own.Binding !== REDIRECT) return
    if (tag === 'SingleSignOnService') entity.ssoUrl ||= own.Location ?? ''
    if (tag !== 'SingleLogoutService' || entity.logoutUrl !== '') return
    entity.logoutUrl = own.Location ?? ''
    entity.logoutResponseUrl = own.ResponseLocation ?? entity.logoutUrl
  })
  parser.on('text', (part) => {
    if (path.at(-1) === 'X509Certificate') text += part
  })
  parser.on('closetag', () => {
    const tag = path.pop()
    const entity = found.at(-1)
    if (tag !== 'X509Certificate' || !path.includes('IDPSSODescriptor') || use !== 'signing' || !entity) return
    if (entity.certificates.length < MAX_CERTIFICATES) entity.certificates.push(pemOf(text))
  })
  parser.write(xml).close()
  return found
}

const isSafe = (address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(url.hostname))
}

/**
 * Reads an identity provider from its metadata.
 * @param wantedId entity ID to select; '' if the document has only one identity provider
 * @param now milliseconds since 1970
 * @throws INVALID_CONFIG with the reason
 */
export async function readProviderMetadata(xml: string, wantedId: string, now: number): Promise<ProviderMetadata> {
  const entities = await readEntities(xml).catch((error: Error) => {
    throw invalid(error.message.slice(0, 200))
  })
  const providers = entities.filter(
    ({ entityId, isProvider }) => isProvider && (wantedId === '' || entityId === wantedId),
  )
  const [provider, ...others] = providers
  if (!provider) throw invalid(wantedId === '' ? 'it has no identity provider' : `it has no ${wantedId.slice(0, 200)}`)
  if (others.length > 0) throw invalid('it has several identity providers: set SAML_IDP_ENTITY_ID')
  const { isProvider: _, ...facts } = provider
  if (facts.entityId === '') throw invalid('it has no entity ID')
  if (!(facts.validUntil > now)) throw invalid('it has expired')
  if (!isSafe(facts.ssoUrl)) throw invalid('it has no sign-on URL for HTTP-Redirect with https')
  if (facts.logoutUrl !== '' && !(isSafe(facts.logoutUrl) && isSafe(facts.logoutResponseUrl)))
    throw invalid('its logout URL is not https')
  if (facts.certificates.length === 0) throw invalid('it has no signing certificate')
  for (const certificate of facts.certificates)
    try {
      new X509Certificate(certificate)
    } catch {
      throw invalid('a signing certificate cannot be read')
    }
  return facts
}
