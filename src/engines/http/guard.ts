import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { environmentText } from '../../environment.ts'
import { MediaprocError } from '../../errors.ts'
import { isPublicAddress } from './private-network.ts'

/** How many redirects are followed, each of them checked like the first address. */
export const MAX_REDIRECTS = 5
/** Statuses that lead elsewhere. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** An address as it may be shown: without a password, query or fragment, where secrets are often kept. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`
}

const privateAllowed = (): boolean => environmentText('MEDIAPROC_ALLOW_PRIVATE_HOSTS') === '1'

function refuse(host: string): MediaprocError {
  return new MediaprocError('URL_REFUSED', `${host} is not a host of the public Internet`, {
    hint: 'MEDIAPROC_ALLOW_PRIVATE_HOSTS=1 allows addresses of private networks.',
  })
}

/** Resolves for a connection: every address must be allowed, and exactly these are connected to. */
export const guardedLookup: LookupFunction = (host, options, done) => {
  resolveName(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '', 4)
    if (!privateAllowed() && !addresses.every(({ address }) => isPublicAddress(address)))
      return done(refuse(host), '', 4)
    if (options.all) return done(null, addresses)
    done(null, addresses[0]!.address, addresses[0]!.family)
  })
}

/** Checks what can be seen of an address before a connection. @throws MediaprocError URL_REFUSED */
export function checkUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (!url) throw new MediaprocError('URL_REFUSED', 'This is not a valid address')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new MediaprocError('URL_REFUSED', `${shownUrl(url)} is not an http or https address`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A host that is an address is connected to without any lookup.
  if (isIP(host) !== 0 && !privateAllowed() && !isPublicAddress(host)) throw refuse(host)
  return url
}
