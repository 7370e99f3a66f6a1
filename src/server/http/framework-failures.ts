import type { FastifyError, FastifyRequest, FastifySchema } from 'fastify'
import { type ErrorCode, MediaprocError } from '../../errors.ts'
import { schemaOf } from '../openapi/operations.ts'
import { MEBIBYTE } from './limits.ts'

/** Maps Fastify's error codes to those of the catalogue. */
const FRAMEWORK: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_JSON_BODY: 'MALFORMED_JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'VALIDATION_ERROR',
}

/** Media type of the bodies that a schema accepts; undefined if it accepts none. */
export function takes(schema: FastifySchema | undefined): string | undefined {
  const { body, consumes } = (schema ?? {}) as { body?: unknown; consumes?: readonly string[] }
  return body === undefined ? undefined : consumes?.[0]
}

function limitOf({ routeOptions: { bodyLimit } }: FastifyRequest): string {
  return bodyLimit < MEBIBYTE ? `${Math.floor(bodyLimit / 1024)} KiB` : `${Math.floor(bodyLimit / MEBIBYTE)} MiB`
}

/** Converts Fastify's own errors to those of the catalogue. */
export function knownFailure(error: FastifyError, request: FastifyRequest): unknown {
  if (error instanceof MediaprocError) return error
  if (error.validation) {
    const issues = error.validation.map(({ instancePath, params, message = '' }) => ({
      path: [instancePath.slice(1).replaceAll('/', '.'), (params as { missingProperty?: string }).missingProperty]
        .filter(Boolean)
        .join('.'),
      message,
    }))
    const sentence = issues.map(({ path, message }) => `${path || 'body'}: ${message}`).join('; ')
    const fields = request.routeOptions.config.detailsAsList ? { details: issues } : { details: sentence }
    return new MediaprocError('VALIDATION_ERROR', 'The request is not valid', { fields })
  }
  if (
    error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' &&
    takes(schemaOf(request.routeOptions)) === 'multipart/form-data'
  )
    return new MediaprocError('INVALID_MULTIPART', 'Expected multipart/form-data')
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new MediaprocError('FILE_TOO_LARGE', `The body is larger than the limit of ${limitOf(request)}`, {
      hint: '',
    })
  const code = FRAMEWORK[error.code] ?? (error.name === 'SyntaxError' ? 'MALFORMED_JSON' : undefined)
  if (code) return new MediaprocError(code, undefined, { fields: { details: error.message } })
  const status = error.statusCode ?? 500
  if (status >= 400 && status < 500)
    return new MediaprocError('VALIDATION_ERROR', 'The request is not valid', { fields: { details: error.message } })
  return error
}
