import { type ErrorCode, MediaprocError } from '../../errors.ts'

/** Kinds of errors that RFC 7644 names (section 3.12). */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

/** An error with the kind that RFC 7644 gives it. */
export function scimRefusal(scimType: ScimType | undefined, message: string, code?: ErrorCode): MediaprocError {
  return new MediaprocError(code ?? 'VALIDATION_ERROR', message, { hint: '', fields: { scimType } })
}
