import { X509Certificate } from 'node:crypto'
import { Ldap } from '../../accounts/sso/ldap.ts'
import { OpenId } from '../../accounts/sso/openid.ts'
import type { IdentityProvider } from '../../accounts/sso/saml-metadata.ts'
import { MediaprocError } from '../../errors.ts'
import type { ServerConfig } from '../config.ts'
import { expectedClaims, type OidcConfig, type SamlConfig } from './config.ts'
import type { LdapConfig } from './ldap-config.ts'
import type { TrustedHeaderConfig } from './trusted-header-config.ts'

/** A fact about single sign-on. */
export interface SsoFinding {
  label: string
  text: string
  /** What the operator should change, and where. */
  problem?: string
}

/** A certificate that ends within this time is a problem: providers announce a new one weeks before. */
const RENEWAL_MS = 30 * 24 * 3_600_000

const finding = (label: string, text: string, problem?: string): SsoFinding => ({
  label,
  text,
  ...(problem !== undefined && { problem }),
})

/** Names that the provider does not announce; none where it announces nothing. */
const unannounced = (wanted: readonly string[], announced: readonly string[] | undefined): string[] =>
  announced ? wanted.filter((name) => !announced.includes(name)) : []

async function checkOidc(oidc: OidcConfig, externalUrl: string): Promise<SsoFinding[]> {
  const openId = new OpenId(oidc)
  const addresses = [
    finding('OpenID issuer', oidc.issuer),
    finding('Redirect URI to register', oidc.redirectUri),
    finding('Post-logout redirect URI to register', `${externalUrl}/login`),
    finding('Back-channel logout URI to register', `${externalUrl}/api/auth/oidc/backchannel-logout`),
  ]
  let metadata: Awaited<ReturnType<OpenId['metadata']>>
  try {
    metadata = await openId.metadata()
  } catch (error) {
    const { message, cause } = error as Error
    const reason = error instanceof MediaprocError && cause instanceof Error ? cause.message : message
    const problem = `OIDC_ISSUER_URL: ${oidc.issuer} gives no discovery document (${reason.slice(0, 200)})`
    return [...addresses, finding('Discovery', 'failed', problem)]
  }
  const isAccepted = await openId.acceptsClient()
  const scopes = unannounced(oidc.scopes.split(/\s+/), metadata.scopes_supported)
  const claims = unannounced(expectedClaims(oidc), metadata.claims_supported)
  const canEnd = metadata.end_session_endpoint !== undefined
  return [
    ...addresses,
    finding('Discovery', `${metadata.issuer} answers`),
    finding(
      'Client',
      isAccepted ? 'accepted' : 'refused',
      isAccepted ? undefined : 'OIDC_CLIENT_ID or OIDC_CLIENT_SECRET: the provider does not accept the client',
    ),
    finding(
      'Scopes',
      oidc.scopes,
      scopes.length > 0 ? `OIDC_SCOPES: the provider does not announce ${scopes.join(', ')}` : undefined,
    ),
    finding(
      'Claims',
      expectedClaims(oidc).join(', '),
      claims.length > 0
        ? `OIDC_USERNAME_CLAIM, OIDC_GROUPS_CLAIM: the provider does not announce ${claims.join(', ')}`
        : undefined,
    ),
    finding('Sign-out at the provider', canEnd ? 'announced' : 'not announced: the session there continues'),
    finding(
      'Back-channel logout',
      metadata.backchannel_logout_supported === true
        ? 'announced'
        : 'not announced: sessions here end by their own limits',
    ),
  ]
}

/** Whether a sign-out here also ends the session at the provider. */
function logoutText({ logoutUrl }: IdentityProvider, { privateKey }: SamlConfig): string {
  if (logoutUrl === '') return 'not configured: the session there continues'
  return privateKey === '' ? 'needs SAML_PRIVATE_KEY: the session there continues' : logoutUrl
}

function checkCertificate(text: string, now: number): SsoFinding {
  const { subject, validTo } = new X509Certificate(text)
  const name = subject.replaceAll('\n', ', ')
  const left = Date.parse(validTo) - now
  const problem =
    left < 0
      ? `The certificate of ${name} expired on ${validTo}`
      : left < RENEWAL_MS
        ? `The certificate of ${name} expires on ${validTo}: add the next one to SAML_IDP_CERTIFICATE, or use metadata`
        : undefined
  return finding('Certificate of the identity provider', `${name}, until ${validTo}`, problem)
}

async function checkSaml(saml: SamlConfig, externalUrl: string, now: number): Promise<SsoFinding[]> {
  const register = [
    finding('Entity ID to register', saml.entityId),
    finding(
      'Assertion consumer service to register',
      saml.callbackUrl,
      externalUrl.startsWith('https:')
        ? undefined
        : 'EXTERNAL_URL: browsers send the cookie that binds a response to its browser over https only',
    ),
    finding('Single logout service to register', saml.logoutUrl),
  ]
  let provider: IdentityProvider
  try {
    provider = await saml.provider.current()
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? `${message} (${cause.message.slice(0, 200)})` : message
    return [...register, finding('Identity provider', 'unknown', reason)]
  }
  return [
    ...register,
    finding(
      'Identity provider',
      provider.entityId || 'any',
      provider.entityId === ''
        ? 'SAML_IDP_ENTITY_ID: responses of any issuer are accepted that the certificates sign for'
        : undefined,
    ),
    finding('SAML sign-in address', provider.ssoUrl),
    finding('Sign-out at the provider', logoutText(provider, saml)),
    ...provider.certificates.map((text) => checkCertificate(text, now)),
  ]
}

const headerText = ({ userHeader, emailHeader, groupsHeader }: TrustedHeaderConfig): string =>
  [userHeader, emailHeader, groupsHeader].join(', ')

async function checkLdap(ldap: LdapConfig): Promise<SsoFinding[]> {
  const place = finding('Directory', `${ldap.url}${ldap.startTls ? ' with StartTLS' : ''}`)
  try {
    await new Ldap(ldap).check()
    return [place, finding('Search for users', `${ldap.userBase} ${ldap.userFilter}`)]
  } catch (error) {
    const { cause, message } = error as Error
    const reason = (cause instanceof Error ? cause.message : message).slice(0, 200)
    return [place, finding('Search for users', 'failed', `LDAP_URL, LDAP_BIND_DN or LDAP_USER_BASE: ${reason}`)]
  }
}

/**
 * Checks the configuration of single sign-on against the providers: discovery, client, scopes, claims, certificates, searches.
 * @throws MediaprocError INVALID_CONFIG when single sign-on is not configured, DOWNLOAD_FAILED
 */
export async function checkSso(
  { oidc, saml, ldap, trustedHeader, externalUrl }: ServerConfig,
  now = Date.now(),
): Promise<SsoFinding[]> {
  if (!oidc && !saml && !ldap && !trustedHeader)
    throw new MediaprocError('INVALID_CONFIG', 'Single sign-on is not configured', {
      hint: 'OIDC_ENABLED, SAML_ENABLED, LDAP_ENABLED or TRUSTED_HEADER_ENABLED enables it; see docs/sign-in.md.',
    })
  return [
    ...(oidc ? await checkOidc(oidc, externalUrl) : []),
    ...(saml ? await checkSaml(saml, externalUrl, now) : []),
    ...(ldap ? await checkLdap(ldap) : []),
    ...(trustedHeader ? [finding('Headers of the proxy', headerText(trustedHeader))] : []),
  ]
}
