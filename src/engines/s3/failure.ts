import { MediaprocError } from '../../errors.ts'
import { isTlsFailure } from '../tls-failure.ts'

/** Fields of the SDK's errors. */
interface Problem {
  name?: string
  message?: string
  code?: unknown
  $metadata?: { httpStatusCode?: number }
}

/** Names of responses with status 4xx that another attempt, or the operator, can mend. */
const PASSING = new Set(
  'NoSuchBucket RequestTimeout SlowDown BadDigest XAmzContentSHA256Mismatch ExpiredToken TokenRefreshRequired NoSuchUpload'.split(
    ' ',
  ),
)
const FULL = /StorageFull|QuotaExceeded/

/** Permissions of the key, as policies name them. */
const RIGHTS =
  's3:ListBucket of the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload of its objects'

export const missing = (): MediaprocError => new MediaprocError('NOT_FOUND', 'The file is not there any more')

const unavailable = (message: string, detail: string, cause?: unknown): MediaprocError =>
  new MediaprocError('STORE_UNAVAILABLE', message, {
    hint: {
      shell: 'Check that it runs, and S3_ENDPOINT, S3_BUCKET and the credentials.',
      http: 'Try again in a moment.',
    },
    detail,
    cause,
  })

/** A download that ended before its last byte, or whose bytes stopped to arrive. */
export const cutOff = (detail: string): MediaprocError =>
  unavailable('The object storage did not send the whole file', detail)

/** The SDK adds the whole response, with the credentials of its request, which must not be logged. */
function withoutResponse(error: unknown): Problem {
  if (error !== null && typeof error === 'object') Reflect.deleteProperty(error, '$response')
  return error as Problem
}

/** An error of the SDK as one of ours. What has no status did not reach the storage, or has no answer from it. */
export function storageFailure(error: unknown): MediaprocError {
  if (error instanceof MediaprocError) return error
  const { name = '', message = '', $metadata } = withoutResponse(error)
  const status = $metadata?.httpStatusCode
  const parts = { detail: `${name}: ${message}`, cause: error }
  if (name === 'NoSuchKey' || name === 'NotFound') return missing()
  if (status === 507 || FULL.test(name)) return new MediaprocError('DISK_FULL', 'The object storage is full', parts)
  if (/checksum mismatch/i.test(message)) return unavailable('The object storage sent damaged bytes', message, error)
  const isOurs = error instanceof TypeError || error instanceof RangeError
  const isPassing =
    status === undefined
      ? !isOurs
      : status >= 500 || [301, 307, 401, 403, 408, 429].includes(status) || PASSING.has(name)
  return isPassing
    ? unavailable('The object storage does not answer', parts.detail, error)
    : new MediaprocError('INTERNAL', undefined, parts)
}

/** An error at the start: what does not change by itself is a mistake of the configuration, with what to check. */
export function startFailure(error: unknown, variables: string): MediaprocError {
  const { name = '', message = '', code, $metadata } = withoutResponse(error)
  const status = $metadata?.httpStatusCode
  const invalid = (sentence: string, hint: string): MediaprocError =>
    new MediaprocError('INVALID_CONFIG', sentence, {
      hint: { shell: hint },
      detail: `${name}: ${message}`,
      cause: error,
    })
  if (name === 'CredentialsProviderError')
    return invalid('There are no credentials for the object storage', 'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.')
  if (name === 'NoSuchBucket')
    return invalid('The bucket of S3_BUCKET does not exist', 'Create it, or check its name and S3_ENDPOINT.')
  if (name === 'PermanentRedirect' || name === 'AuthorizationHeaderMalformed' || status === 301 || status === 307)
    return invalid('The bucket of S3_BUCKET is in another region', 'Check S3_REGION and S3_ENDPOINT.')
  if (name === 'InvalidAccessKeyId' || name === 'SignatureDoesNotMatch' || name === 'RequestTimeTooSkewed')
    return invalid('The object storage refuses the credentials', `Check ${variables}, and the clock.`)
  if (status === 401 || status === 403)
    return invalid('The credentials do not allow what is needed in the bucket of S3_BUCKET', `They need ${RIGHTS}.`)
  if (isTlsFailure(code))
    return invalid(
      'No TLS connection to the object storage is possible',
      'Check S3_ENDPOINT; NODE_EXTRA_CA_CERTS names own authorities.',
    )
  if (status !== undefined && status < 500 && status !== 429)
    return invalid(
      'The address of S3_ENDPOINT is not S3-compatible object storage',
      'Check S3_ENDPOINT and S3_FORCE_PATH_STYLE.',
    )
  return storageFailure(error)
}
