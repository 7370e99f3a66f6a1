import { readFile, stat } from 'node:fs/promises'
import { MediaprocError } from '../../errors.ts'
import { limitedFetch } from './limited-fetch.ts'
import { type IdentityProvider, type ProviderMetadata, readProviderMetadata } from './saml-metadata.ts'

/** Where the facts about a SAML identity provider come from. */
export interface ProviderSource {
  /** @throws DOWNLOAD_FAILED, INVALID_CONFIG */
  current(): Promise<IdentityProvider>
  /**
   * Reads the facts again after a signature did not match: the provider may have replaced its certificate.
   * @returns undefined if nothing has changed, or the last read was less than a minute ago
   */
  renewed(): Promise<IdentityProvider | undefined>
  /** Receives the error of every failed read; the known facts stay in use. */
  onFailure?: (error: unknown) => void
}

/** Facts from the server's own configuration. */
export const fixedProvider = (provider: IdentityProvider): ProviderSource => ({
  current: async () => provider,
  renewed: async () => undefined,
})

/** Where metadata are: an address of the provider, or a file. */
export type MetadataPlace = { url: string } | { file: string }

/** Time after which metadata from an address are read again. */
const MAX_AGE_MS = 24 * 3_600_000
/** Delay before another read after a failed one, and between reads for an unknown signature. */
const RETRY_MS = 60_000
const TIMEOUT_MS = 10_000
/** Longest metadata file, in bytes, as for responses. */
const MAX_FILE = 1_000_000

/** Facts from the provider's metadata, which are read again after a day, when the file changes, or on demand. */
export class MetadataSource implements ProviderSource {
  readonly #place: MetadataPlace
  readonly #entityId: string
  readonly #now: () => number
  #known: ProviderMetadata | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #failedAt = Number.NEGATIVE_INFINITY
  #failure: unknown
  #fileTime = -1
  #reading: Promise<void> | undefined
  onFailure?: (error: unknown) => void

  /** @param entityId selects one of several providers; '' for the only one */
  constructor(place: MetadataPlace, entityId: string, now: () => number = () => Date.now()) {
    this.#place = place
    this.#entityId = entityId
    this.#now = now
  }

  async current(): Promise<IdentityProvider> {
    const mayRetry = this.#now() - this.#failedAt >= RETRY_MS
    if (mayRetry && (await this.#isOutdated())) await this.#read()
    if (this.#known && this.#known.validUntil > this.#now()) return this.#known
    throw this.#failure ?? new MediaprocError('INVALID_CONFIG', 'The metadata of the identity provider have expired')
  }

  async renewed(): Promise<IdentityProvider | undefined> {
    const before = this.#known
    if (this.#now() - Math.max(this.#readAt, this.#failedAt) < RETRY_MS) return undefined
    await this.#read()
    const isSame = JSON.stringify(this.#known) === JSON.stringify(before)
    return isSame ? undefined : this.#known
  }

  async #isOutdated(): Promise<boolean> {
    if (!this.#known) return true
    if ('url' in this.#place) return this.#now() - this.#readAt >= MAX_AGE_MS
    return (await stat(this.#place.file).catch(() => undefined))?.mtimeMs !== this.#fileTime
  }

  /** Reads once for all callers. A failed read keeps the known facts, and is repeated after a minute. */
  #read(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readNow(): Promise<void> {
    try {
      this.#known = await readProviderMetadata(await this.#text(), this.#entityId, this.#now())
      this.#readAt = this.#now()
      this.#failure = undefined
    } catch (error) {
      this.#failedAt = this.#now()
      this.#failure = error
      this.onFailure?.(error)
    }
  }

  async #text(): Promise<string> {
    if ('file' in this.#place) {
      const { file } = this.#place
      try {
        const { mtimeMs, size } = await stat(file)
        if (size > MAX_FILE) throw new Error('the file is too large')
        this.#fileTime = mtimeMs
        return await readFile(file, 'utf8')
      } catch (cause) {
        throw new MediaprocError('INVALID_CONFIG', 'The file that SAML_IDP_METADATA_FILE names cannot be read', {
          cause,
        })
      }
    }
    try {
      const response = await limitedFetch(this.#place.url, {
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (!response.ok) throw new Error(`status ${response.status}`)
      return await response.text()
    } catch (cause) {
      throw new MediaprocError('DOWNLOAD_FAILED', 'The metadata of the identity provider cannot be fetched', { cause })
    }
  }
}
