import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { ExternalRules } from '../../accounts/sso/external-users.ts'
import type { OpenIdOptions } from '../../accounts/sso/openid.ts'
import { fixedProvider, MetadataSource, type ProviderSource } from '../../accounts/sso/provider-source.ts'
import type { SamlOptions } from '../../accounts/sso/saml.ts'
import {
  type EnvironmentName,
  environmentFlag,
  environmentNumber,
  environmentPem,
  environmentSecret,
  environmentText,
  environmentWord,
} from '../../environment.ts'
import {
  defaultRole,
  externalUrl,
  invalid,
  providerAddress,
  refuseOffline,
  requireAll,
  roleMapping,
} from './config-values.ts'

/** Configuration of a SAML identity provider. */
export interface SamlConfig extends SamlOptions {
  /** Display name; null for none. */
  providerName: string | null
  /** Empty for none. */
  usernameAttribute: string
  emailAttribute: string
  groupsAttribute: string
  rules: ExternalRules
}

/** Configuration of an OpenID provider. */
export interface OidcConfig extends OpenIdOptions {
  /** Display name; null for none. */
  providerName: string | null
  usernameClaim: string
  groupsClaim: string
  rules: ExternalRules
}

/** The claim with a user's groups, if groups decide about roles. */
export const groupClaims = ({ rules, groupsClaim }: OidcConfig): string[] =>
  Object.keys(rules.roles).length > 0 ? [groupsClaim] : []

/** The claims that the configuration relies on. */
export const expectedClaims = (oidc: OidcConfig): string[] => ['email', oidc.usernameClaim, ...groupClaims(oidc)]

/** The OpenID provider; undefined if none is configured. @throws INVALID_CONFIG naming the variable */
export function readOidc(): OidcConfig | undefined {
  if (!environmentFlag('OIDC_ENABLED')) return undefined
  const clientSecret = environmentSecret('OIDC_CLIENT_SECRET')
  const [issuer, clientId, address] = [
    environmentText('OIDC_ISSUER_URL'),
    environmentText('OIDC_CLIENT_ID'),
    externalUrl(),
  ]
  const names = ['OIDC_ISSUER_URL', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'EXTERNAL_URL'] as const
  requireAll('OIDC_ENABLED', names, [issuer, clientId, clientSecret, address])
  refuseOffline('OIDC_ENABLED')
  const clockToleranceS = environmentNumber('OIDC_CLOCK_TOLERANCE')
  if (clockToleranceS > 300) throw invalid('Expected at most 300 seconds for OIDC_CLOCK_TOLERANCE')
  return {
    ...{ issuer: providerAddress('OIDC_ISSUER_URL'), clientId, clientSecret, clockToleranceS },
    scopes: environmentWord('OIDC_SCOPES'),
    redirectUri: `${address}/api/auth/oidc/callback`,
    providerName: environmentText('OIDC_PROVIDER_NAME') || null,
    usernameClaim: environmentWord('OIDC_USERNAME_CLAIM'),
    groupsClaim: environmentWord('OIDC_GROUPS_CLAIM'),
    rules: {
      autoCreate: environmentFlag('OIDC_AUTO_CREATE_USERS'),
      autoLink: environmentFlag('OIDC_AUTO_LINK_USERS'),
      autoLinkAdmins: environmentFlag('OIDC_AUTO_LINK_ADMINS'),
      defaultRole: defaultRole('OIDC_DEFAULT_ROLE'),
      roles: roleMapping('OIDC_ROLE_MAPPING'),
    },
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g

/** Parses certificates: PEM, or a single one without the PEM header. @throws INVALID_CONFIG */
function certificates(name: EnvironmentName, text: string): string[] {
  const isBare = /^[A-Za-z0-9+/=\s]+$/.test(text)
  const found = isBare
    ? [`-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`]
    : (text.match(CERTIFICATE) ?? [])
  try {
    for (const one of found) new X509Certificate(one)
    if (found.length > 0) return found
  } catch {
    // Reported below.
  }
  throw invalid(`Expected a certificate in PEM for ${name}`)
}

/** The server's own key and its certificate; both or neither. @throws INVALID_CONFIG */
function ownKey(): Pick<SamlOptions, 'privateKey' | 'certificate' | 'signRequests'> {
  const [privateKey, text] = [environmentPem('SAML_PRIVATE_KEY'), environmentPem('SAML_CERTIFICATE')]
  const signRequests = environmentFlag('SAML_SIGN_REQUESTS')
  if ((privateKey === '') !== (text === '')) throw invalid('SAML_PRIVATE_KEY and SAML_CERTIFICATE belong together')
  if (privateKey === '' && signRequests) throw invalid('SAML_SIGN_REQUESTS needs SAML_PRIVATE_KEY and SAML_CERTIFICATE')
  if (privateKey === '') return { privateKey, certificate: '', signRequests }
  const [certificate = ''] = certificates('SAML_CERTIFICATE', text)
  try {
    const key = createPrivateKey(privateKey)
    if (new X509Certificate(certificate).checkPrivateKey(key)) return { privateKey, certificate, signRequests }
  } catch {
    // The original message may contain parts of the key.
    throw invalid('Expected a private key in PEM for SAML_PRIVATE_KEY')
  }
  throw invalid('SAML_CERTIFICATE is not that of SAML_PRIVATE_KEY')
}

/** Variables that metadata replace. */
const FIXED_PROVIDER = ['SAML_IDP_SSO_URL', 'SAML_IDP_CERTIFICATE', 'SAML_IDP_SLO_URL'] as const

/** The facts about the identity provider: its metadata, or single variables. @throws INVALID_CONFIG naming the variable */
function samlProvider(): ProviderSource {
  const [url, file] = [environmentText('SAML_IDP_METADATA_URL'), environmentText('SAML_IDP_METADATA_FILE')]
  const entityId = environmentText('SAML_IDP_ENTITY_ID')
  if (url !== '' || file !== '') {
    if (url !== '' && file !== '') throw invalid('Set SAML_IDP_METADATA_URL or SAML_IDP_METADATA_FILE, not both')
    const extra = FIXED_PROVIDER.filter((name) => environmentPem(name) !== '')
    if (extra.length > 0) throw invalid(`The metadata of the identity provider replace ${extra.join(', ')}`)
    if (url !== '') refuseOffline('SAML_IDP_METADATA_URL')
    return new MetadataSource(url === '' ? { file } : { url: providerAddress('SAML_IDP_METADATA_URL') }, entityId)
  }
  const [ssoUrl, certificate] = [environmentText('SAML_IDP_SSO_URL'), environmentPem('SAML_IDP_CERTIFICATE')]
  requireAll('SAML_ENABLED', ['SAML_IDP_SSO_URL', 'SAML_IDP_CERTIFICATE'], [ssoUrl, certificate])
  const logoutUrl = environmentText('SAML_IDP_SLO_URL') === '' ? '' : providerAddress('SAML_IDP_SLO_URL')
  return fixedProvider({
    ...{ entityId, ssoUrl: providerAddress('SAML_IDP_SSO_URL'), logoutUrl, logoutResponseUrl: logoutUrl },
    certificates: certificates('SAML_IDP_CERTIFICATE', certificate),
  })
}

/** The SAML identity provider; undefined if none is configured. @throws INVALID_CONFIG naming the variable */
export function readSaml(): SamlConfig | undefined {
  if (!environmentFlag('SAML_ENABLED')) return undefined
  const address = externalUrl()
  requireAll('SAML_ENABLED', ['EXTERNAL_URL'], [address])
  const tolerance = environmentNumber('SAML_CLOCK_TOLERANCE')
  if (tolerance > 300) throw invalid('Expected at most 300 seconds for SAML_CLOCK_TOLERANCE')
  return {
    provider: samlProvider(),
    entityId: environmentText('SAML_ENTITY_ID') || `${address}/api/auth/saml/metadata`,
    callbackUrl: environmentText('SAML_CALLBACK_URL') || `${address}/api/auth/saml/callback`,
    logoutUrl: `${address}/api/auth/saml/logout`,
    clockToleranceMs: tolerance * 1000,
    ...ownKey(),
    providerName: environmentText('SAML_PROVIDER_NAME') || null,
    usernameAttribute: environmentText('SAML_USERNAME_ATTRIBUTE'),
    emailAttribute: environmentWord('SAML_EMAIL_ATTRIBUTE'),
    groupsAttribute: environmentWord('SAML_GROUPS_ATTRIBUTE'),
    rules: {
      autoCreate: environmentFlag('SAML_AUTO_CREATE_USERS'),
      autoLink: environmentFlag('SAML_AUTO_LINK_USERS'),
      autoLinkAdmins: environmentFlag('SAML_AUTO_LINK_ADMINS'),
      defaultRole: defaultRole('SAML_DEFAULT_ROLE'),
      roles: roleMapping('SAML_ROLE_MAPPING'),
    },
  }
}
