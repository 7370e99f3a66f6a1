import { setTimeout as pause } from 'node:timers/promises'
import { toMediaprocError } from '../errors.ts'

/** The first pause before another attempt, and the longest, in milliseconds. */
const FIRST_MS = 100
const LONGEST_MS = 2000

/**
 * Repeats an operation while the store does not answer, for what must not be lost because a database is restarted.
 * @param isOver ends the attempts: then the last error is thrown
 */
export async function untilAvailable<R>(work: () => Promise<R>, isOver: () => boolean): Promise<R> {
  for (let ms = FIRST_MS; ; ms = Math.min(2 * ms, LONGEST_MS)) {
    try {
      return await work()
    } catch (error) {
      if (toMediaprocError(error).code !== 'STORE_UNAVAILABLE' || isOver()) throw error
    }
    await pause(ms, undefined, { ref: false })
  }
}
