import { Readable } from 'node:stream'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { checkOnline, shownUrl } from '../http/http.ts'
import { NO_SUCH_RANGE, type OpenRest, placeOf, rangeHeader } from '../http/ranged.ts'
import { type NpmOptions, npmOptions } from './configuration.ts'

interface Answer {
  status: number
  headers: { get(name: string): string | null }
  body: NodeJS.ReadableStream
}
interface Fetch {
  (address: string, options: Readonly<Record<string, unknown>>): Promise<Answer>
  pickRegistry(spec: string, options: NpmOptions): string
}

/** The archive of a package in a registry. */
export interface Tarball {
  /** For display, without secrets. */
  address: string
  /** Subresource integrity: one or more `algorithm-base64`. */
  integrity?: string
  open: OpenRest
}

/**
 * Converts errors of npm's library to our messages; its own can contain URLs with tokens, so they stay in the detail.
 */
function registryError(error: unknown, what: string): MediaprocError {
  const known = toMediaprocError(error, 'DOWNLOAD_FAILED')
  if (known.code !== 'DOWNLOAD_FAILED' || error instanceof MediaprocError) return known
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  const answer = statusCode ? `answered with the status ${statusCode}` : `failed (${code ?? 'no connection'})`
  const refused = statusCode === 401 || statusCode === 403
  return new MediaprocError('DOWNLOAD_FAILED', `The npm registry ${answer} when asked for ${what}`, {
    hint: refused ? 'Sign in with npm login, or put a token into .npmrc.' : 'npm ping shows whether npm reaches it.',
    detail: known.detail,
    cause: error,
  })
}

/** Replaces npm's own host in an archive URL with the configured registry, like npm itself. */
function fromOwnRegistry(archive: string, registry: string, { replaceRegistryHost }: NpmOptions): string {
  const url = new URL(archive, registry)
  const replaced = replaceRegistryHost === 'always' || url.hostname === 'registry.npmjs.org'
  if (!replaced || replaceRegistryHost === 'never') return url.href
  return `${registry.replace(/\/+$/, '')}${url.pathname}${url.search}`
}

/** Delays before retries of a listing, in milliseconds: npm's own, 10 and 60 seconds, are too long for a person who waits. */
const RETRY_DELAYS = { fetchRetryMintimeout: 1000, fetchRetryMaxtimeout: 4000 }

/** Maximum size of a registry's response about a package, bytes. */
const MOST_LISTING = 50_000_000

/**
 * A body as a stream with backpressure: `Readable.wrap` reads everything into memory, since npm's streams ignore
 * pausing.
 */
function streamOf(body: Answer['body']): Readable {
  const stream = Readable.from(body as AsyncIterable<Buffer>)
  return stream.once('close', () => (body as { destroy?(): void }).destroy?.())
}

async function listingOf({ body }: Answer): Promise<Listing> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > MOST_LISTING)
      throw new MediaprocError('DOWNLOAD_FAILED', 'The npm registry response about a package is too large')
    parts.push(part)
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as Listing
}

interface Listing {
  versions?: Record<string, { dist?: { tarball?: string; integrity?: string } }>
}

/**
 * Looks up a package in the registry that the user's npm is configured for, with its tokens, proxies and certificates.
 * Does not run any code of the package.
 * @throws MediaprocError OFFLINE, DOWNLOAD_FAILED, CANCELED
 */
export async function findTarball(name: string, version: string, signal: AbortSignal): Promise<Tarball> {
  checkOnline()
  // It has no types.
  const { default: fetch } = (await import('npm-registry-fetch' as string)) as { default: Fetch }
  const options = await npmOptions()
  const what = `${name} ${version}`
  try {
    const registry = fetch.pickRegistry(name, options)
    const headers = { accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8' }
    const listing = await fetch(`/${name.replace('/', '%2f')}`, {
      ...{ ...options, ...RETRY_DELAYS, spec: name, headers, signal },
    })
    const { dist } = (await listingOf(listing)).versions?.[version] ?? {}
    if (!dist?.tarball) throw new MediaprocError('DOWNLOAD_FAILED', `The npm registry has no ${what}`)
    const address = fromOwnRegistry(dist.tarball, registry, options)
    const open: OpenRest = async (from, stop) => {
      try {
        // We retry ourselves, resuming where the last attempt ended.
        const asked = { ...options, spec: name, signal: stop, fetchRetries: 0, retry: { retries: 0 } }
        const answer = await fetch(address, {
          ...asked,
          headers: { accept: 'application/octet-stream', 'accept-encoding': 'identity', ...rangeHeader(from) },
        })
        const place = placeOf(answer.status, (header) => answer.headers.get(header) ?? undefined)
        return { stream: streamOf(answer.body), ...place }
      } catch (error) {
        if (from > 0 && (error as { statusCode?: number }).statusCode === NO_SUCH_RANGE) return open(0, stop)
        throw registryError(error, what)
      }
    }
    return {
      address: shownUrl(new URL(address)),
      ...(dist.integrity && { integrity: dist.integrity }),
      open,
    }
  } catch (error) {
    throw registryError(error, what)
  }
}
