/** Waits. @throws the reason of the signal */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })

/** What a `Retry-After` header asks for, in milliseconds: it has seconds or a date. */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  if (header === null || header === undefined || header.trim() === '') return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/** Part of a delay that is added at random, so that clients do not return at the same moment. */
const JITTER = 0.25

/**
 * Delay before a repetition, in milliseconds: as long as the server asks, or longer each time.
 * @param attempt from 0
 */
export const retryDelayMs = (header: string | null | undefined, attempt: number, firstMs: number): number =>
  retryAfterMs(header) ?? firstMs * 2 ** attempt

/** A delay with its part at random. */
export const withJitter = (ms: number): number => ms * (1 + JITTER * Math.random())
