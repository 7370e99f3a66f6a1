import { MediaprocError } from '../../errors.ts'

const DISK_FULL = '53100'
/**
 * SQLSTATE codes of a server that cannot do it now: connection, resources, operator intervention (with statements that take
 * too long), system, conflicts of transactions, read-only, idle in a transaction, locks.
 */
const UNAVAILABLE = /^(?:08|53|57|58|40|25006|25P03|55P03)/

/** Whether a code is PostgreSQL's; the others are those of Node and of pg. */
const isState = (code: unknown): code is string => typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)

/**
 * An error of a connection or a statement as one of ours. What has no code of PostgreSQL did not reach the server, or has no
 * answer from it; mistakes of the program are INTERNAL.
 */
export function databaseFailure(error: unknown): MediaprocError {
  if (error instanceof MediaprocError) return error
  const { code, message = '' } = error as { code?: unknown; message?: string }
  const parts = { detail: message, cause: error }
  if (code === DISK_FULL) return new MediaprocError('DISK_FULL', 'The disk of the database is full', parts)
  const isOurs = error instanceof TypeError || error instanceof RangeError
  const isUnavailable = isState(code) ? UNAVAILABLE.test(code) : !isOurs
  return new MediaprocError(isUnavailable ? 'STORE_UNAVAILABLE' : 'INTERNAL', undefined, parts)
}
