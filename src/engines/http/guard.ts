import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { environmentText } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { isPublicAddress } from './private-network.ts'

/** Maximum number of redirects, each checked like the first URL. */
export const MAX_REDIRECTS = 5
/** Redirect status codes. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A URL for display: without a password, query or fragment, which often contain secrets. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`
}

/** Which hosts of private networks may be connected to. */
export interface PrivateHosts {
  /** @param host a name, or an address without brackets */
  allows(host: string): boolean
  /** How an operator allows one. */
  hint: string
}

const FOR_DOWNLOADS: PrivateHosts = {
  allows: () => environmentText('MEDIAPROC_ALLOW_PRIVATE_HOSTS') === '1',
  hint: 'MEDIAPROC_ALLOW_PRIVATE_HOSTS=1 allows addresses of private networks.',
}

function refuse(host: string, { hint }: PrivateHosts): MediaprocError {
  return new MediaprocError('URL_REFUSED', `${host} is not a host of the public Internet`, { hint })
}

/** Resolves a host for a connection: every address must be allowed, and only these are connected to. */
export const lookupWith =
  (hosts: PrivateHosts): LookupFunction =>
  (host, options, done) => {
    resolveName(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 4)
      if (!hosts.allows(host) && !addresses.every(({ address }) => isPublicAddress(address)))
        return done(refuse(host, hosts), '', 4)
      if (options.all) return done(null, addresses)
      done(null, firstOf(addresses).address, firstOf(addresses).family)
    })
  }

export const guardedLookup = lookupWith(FOR_DOWNLOADS)

/** Checks a URL before connecting. @throws MediaprocError URL_REFUSED */
export function checkUrl(text: string, base?: URL, hosts = FOR_DOWNLOADS): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (!url) throw new MediaprocError('URL_REFUSED', 'This is not a valid URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new MediaprocError('URL_REFUSED', `${shownUrl(url)} is not an http or https address`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // An IP address as host is connected to without a lookup.
  if (isIP(host) !== 0 && !hosts.allows(host) && !isPublicAddress(host)) throw refuse(host, hosts)
  return url
}
