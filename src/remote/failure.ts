import { detailsOf, isLabel, isObject, textOf } from '../client/failure.ts'
import { ERRORS, type ErrorCode, MediaprocError } from '../errors.ts'

/** Codes of refused credentials: signing in again helps. */
const SIGN_IN: ReadonlySet<string> = new Set(['AUTH_REQUIRED', 'SESSION_INVALID', 'IDLE_TIMEOUT'])

/** A hint over HTTP is empty where the catalogue has one for the shell: then that one is shown. */
function hintOf(code: ErrorCode, hint: string): { hint?: string } {
  const usual: unknown = ERRORS[code].hint
  return hint === '' && typeof usual !== 'string' ? {} : { hint }
}

/**
 * The error that a server answered, as the same error of this program: its code decides the exit code.
 * @param body the JSON of the response, or the last event of a job
 * @param status of the response, for messages about answers that are not of mediaproc
 */
export function serverFailure(body: unknown, status: number, address: string): MediaprocError {
  const { code, error, details, failure } = isObject(body) ? body : ({} as Record<string, unknown>)
  if (typeof code !== 'string' || !Object.hasOwn(ERRORS, code))
    return new MediaprocError('SERVER_UNREACHABLE', `${address} answered with the status ${status}`, {
      hint: { shell: 'Check that the address is that of a mediaproc server.' },
    })
  const known = code as ErrorCode
  if (SIGN_IN.has(known))
    return new MediaprocError(
      known,
      known === 'AUTH_REQUIRED' ? `${address} needs a key` : `${address} refused the key`,
      {
        hint: { shell: `Run mediaproc login ${address}, or set MEDIAPROC_API_KEY.` },
      },
    )
  if (isObject(failure)) {
    const own = Object.hasOwn(ERRORS, textOf(failure.code)) ? (failure.code as ErrorCode) : known
    return new MediaprocError(own, textOf(failure.message), hintOf(own, textOf(failure.hint)))
  }
  const [sentence, more] = [textOf(error) || ERRORS[known].message, detailsOf(details)]
  if (isLabel(sentence)) return new MediaprocError(known, more || ERRORS[known].message, { hint: '' })
  return new MediaprocError(known, sentence, hintOf(known, more))
}
