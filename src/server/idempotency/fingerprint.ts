import { createHash, createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** A received file with the SHA-256 of its bytes. */
export interface HashedFile {
  field: string
  name: string
  mime: string
  sha256: string
}

/** The id of a key: keys of other accounts, and of other addresses, are other keys. */
export function keyId({ method, routeOptions, params }: FastifyRequest, account: string, key: string): string {
  const words = JSON.stringify([account, method, routeOptions.url, params ?? {}, key])
  return createHash('sha256').update(words).digest('hex')
}

/** The contents of a form, whatever the order of its fields; the order of files matters. */
export function formContents(fields: Readonly<Record<string, string>>, files: readonly HashedFile[]): string {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([sorted, files.map(({ field, name, mime, sha256 }) => [field, name, mime, sha256])])
}

/** The contents of a request without a form: its body, and the headers by which tus describes an upload. */
export function bodyContents({ body, headers }: FastifyRequest): string {
  const isStream = typeof (body as { pipe?: unknown } | null | undefined)?.pipe === 'function'
  return JSON.stringify([isStream ? null : (body ?? null), headers['upload-length'], headers['upload-metadata']])
}

/**
 * What is stored of the contents of a request. Contents may have a password, which a plain hash would let a reader of the
 * store guess.
 */
export const fingerprintOf = (request: FastifyRequest, contents: string, secret: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['idempotency', request.query ?? {}, contents]))
    .digest('hex')
