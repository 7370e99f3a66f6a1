/** Files that the server has: they are named in a request instead of sent. */
import { ApiError } from '../api/call.ts'

/** A resumable upload, a result of a job, or a file of the library. */
export type ServerFile = { uploadId: string } | { jobId: string; filename: string } | { fileId: string }

const known = new WeakMap<File, ServerFile>()

export const onServer = (file: File): ServerFile | undefined => known.get(file)

export const noteOnServer = (file: File, place: ServerFile): void => void known.set(file, place)

/** The server does not have a file any more that the request named. */
export const isGoneSource = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.message.startsWith('sources.')

/**
 * Forgets the places of files after a request that named one which has expired: the next request sends the bytes.
 * @returns whether another attempt differs
 */
export const forgetGone = (error: unknown, files: readonly File[]): boolean =>
  isGoneSource(error) && files.filter((file) => known.delete(file)).length > 0

/** The place of a result, by its address. */
export function resultPlace(url: string): ServerFile | undefined {
  const [, jobId, filename] = /(?:^|\/)api\/v1\/download\/([^/?]+)\/([^/?]+)$/.exec(url) ?? []
  return jobId && filename ? { jobId, filename: decodeURIComponent(filename) } : undefined
}
