import { BlockList, isIP } from 'node:net'
import type { ExternalRules } from '../../accounts/sso/external-users.ts'
import { type EnvironmentName, environmentFlag, environmentText, environmentWord } from '../../environment.ts'
import { defaultRole, invalid, roleMapping } from './config-values.ts'

/** Configuration of a proxy that authenticates users and names them in headers. */
export interface TrustedHeaderConfig {
  /** Addresses of the proxy. */
  proxies: BlockList
  /** Names of the headers, in lower case. */
  userHeader: string
  emailHeader: string
  groupsHeader: string
  /** URL that ends the session at the proxy; '' for none. */
  logoutUrl: string
  rules: ExternalRules
}

/** Networks that Fastify's option names; those of the proxy itself must be given as addresses. */
const NAMED: Readonly<Record<string, readonly string[]>> = { loopback: ['127.0.0.0/8', '::1/128'] }

/** Shortest prefixes: a larger network is not one of proxies. */
const LEAST_BITS = { 4: 16, 6: 48 }

/** The addresses of `TRUST_PROXY`, which must be single addresses or small networks. @throws INVALID_CONFIG */
function proxyAddresses(): BlockList {
  const words = environmentText('TRUST_PROXY')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .flatMap((word) => NAMED[word] ?? [word])
  const list = new BlockList()
  for (const word of words) {
    const [address = '', bits, ...more] = word.split('/')
    const family = isIP(address)
    const isLoopback = address === '127.0.0.0'
    const length = family === 6 ? 128 : 32
    const prefix = bits === undefined ? length : Number(bits)
    const least = isLoopback ? 8 : LEAST_BITS[family === 6 ? 6 : 4]
    if (family === 0 || more.length > 0 || !(Number.isInteger(prefix) && prefix >= least && prefix <= length))
      throw invalid(
        `TRUSTED_HEADER_ENABLED needs the addresses of the proxy in TRUST_PROXY, got ${word.slice(0, 50)}`,
        'Anyone who can send from these addresses can sign in as any user: name single addresses, such as 10.0.0.5.',
      )
    list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4')
  }
  if (words.length === 0) throw invalid('TRUSTED_HEADER_ENABLED needs the addresses of the proxy in TRUST_PROXY')
  return list
}

/** The name of a header. @throws INVALID_CONFIG */
function headerName(name: EnvironmentName): string {
  const text = environmentWord(name).toLowerCase()
  // Proxies and application servers treat an underscore as a hyphen, so that another header could replace it.
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text)) return text
  throw invalid(`Expected the name of a header, without underscores, for ${name}`)
}

/** The proxy that authenticates users; undefined if none is configured. @throws INVALID_CONFIG naming the variable */
export function readTrustedHeader(): TrustedHeaderConfig | undefined {
  if (!environmentFlag('TRUSTED_HEADER_ENABLED')) return undefined
  const logoutUrl = environmentText('TRUSTED_HEADER_LOGOUT_URL')
  if (logoutUrl !== '' && !(URL.canParse(logoutUrl) && /^https?:$/.test(new URL(logoutUrl).protocol)))
    throw invalid('Expected an address for TRUSTED_HEADER_LOGOUT_URL')
  return {
    proxies: proxyAddresses(),
    userHeader: headerName('TRUSTED_HEADER_USER'),
    emailHeader: headerName('TRUSTED_HEADER_EMAIL'),
    groupsHeader: headerName('TRUSTED_HEADER_GROUPS'),
    logoutUrl,
    rules: {
      autoCreate: environmentFlag('TRUSTED_HEADER_AUTO_CREATE_USERS'),
      ...{ autoLink: false, autoLinkAdmins: false },
      defaultRole: defaultRole('TRUSTED_HEADER_DEFAULT_ROLE'),
      roles: roleMapping('TRUSTED_HEADER_ROLE_MAPPING'),
    },
  }
}
