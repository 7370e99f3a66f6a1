import type { ExternalRules } from '../../accounts/sso/external-users.ts'
import type { LdapOptions } from '../../accounts/sso/ldap.ts'
import {
  environmentFlag,
  environmentPem,
  environmentSecret,
  environmentText,
  environmentWord,
} from '../../environment.ts'
import { defaultRole, invalid, isLoopback, refuseOffline, requireAll, roleMapping } from './config-values.ts'

/** Configuration of a directory. */
export interface LdapConfig extends LdapOptions {
  rules: ExternalRules
}

/** The address of the directory: encrypted, except on this machine. @throws INVALID_CONFIG */
function directoryUrl(): { url: string; startTls: boolean } {
  const [text, startTls] = [environmentText('LDAP_URL'), environmentFlag('LDAP_START_TLS')]
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLdap = url?.protocol === 'ldap:' || url?.protocol === 'ldaps:'
  if (!isLdap || url.hostname === '') throw invalid(`Expected an address such as ldaps://ldap.example for LDAP_URL`)
  if (url.protocol === 'ldaps:' && startTls) throw invalid('LDAP_START_TLS is for ldap:// addresses')
  if (url.protocol === 'ldap:' && !startTls && !isLoopback(url.hostname))
    throw invalid('LDAP_URL would send passwords in clear', 'Use ldaps:// or LDAP_START_TLS=true.')
  return { url: `${url.protocol}//${url.host}`, startTls }
}

/** A filter with a placeholder. @throws INVALID_CONFIG */
function filter(name: 'LDAP_USER_FILTER' | 'LDAP_GROUP_FILTER', placeholders: readonly string[]): string {
  const text = environmentWord(name)
  if (text.startsWith('(') && text.endsWith(')') && placeholders.some((one) => text.includes(one))) return text
  throw invalid(`Expected a filter in brackets with ${placeholders.join(' or ')} for ${name}`)
}

/** The directory; undefined if none is configured. @throws INVALID_CONFIG naming the variable */
export function readLdap(): LdapConfig | undefined {
  if (!environmentFlag('LDAP_ENABLED')) return undefined
  const [address, userBase] = [environmentText('LDAP_URL'), environmentText('LDAP_USER_BASE')]
  requireAll('LDAP_ENABLED', ['LDAP_URL', 'LDAP_USER_BASE'], [address, userBase])
  refuseOffline('LDAP_ENABLED')
  const [bindDn, bindPassword] = [environmentText('LDAP_BIND_DN'), environmentSecret('LDAP_BIND_PASSWORD')]
  if ((bindDn === '') !== (bindPassword === '')) throw invalid('LDAP_BIND_DN and LDAP_BIND_PASSWORD belong together')
  return {
    ...{ ...directoryUrl(), ca: environmentPem('LDAP_CA_CERTIFICATE'), bindDn, bindPassword, userBase },
    userFilter: filter('LDAP_USER_FILTER', ['{username}']),
    idAttribute: environmentWord('LDAP_ID_ATTRIBUTE'),
    usernameAttribute: environmentWord('LDAP_USERNAME_ATTRIBUTE'),
    emailAttribute: environmentWord('LDAP_EMAIL_ATTRIBUTE'),
    groupsAttribute: environmentWord('LDAP_GROUPS_ATTRIBUTE'),
    groupBase: environmentText('LDAP_GROUP_BASE'),
    groupFilter: filter('LDAP_GROUP_FILTER', ['{dn}', '{username}']),
    rules: {
      autoCreate: environmentFlag('LDAP_AUTO_CREATE_USERS'),
      autoLink: environmentFlag('LDAP_AUTO_LINK_USERS'),
      autoLinkAdmins: environmentFlag('LDAP_AUTO_LINK_ADMINS'),
      defaultRole: defaultRole('LDAP_DEFAULT_ROLE'),
      roles: roleMapping('LDAP_ROLE_MAPPING'),
    },
  }
}
