/** Files that the server has: they are named in a request instead of sent. */

/** A resumable upload, or a result of a job. */
export type ServerFile = { uploadId: string } | { jobId: string; filename: string }

const known = new WeakMap<File, ServerFile>()

export const onServer = (file: File): ServerFile | undefined => known.get(file)

export const noteOnServer = (file: File, place: ServerFile): void => void known.set(file, place)

/** The server does not have it any more: results and uploads expire. */
export const forgetOnServer = (file: File): boolean => known.delete(file)

/** The place of a result, by its address. */
export function resultPlace(url: string): ServerFile | undefined {
  const [, jobId, filename] = /(?:^|\/)api\/v1\/download\/([^/?]+)\/([^/?]+)$/.exec(url) ?? []
  return jobId && filename ? { jobId, filename: decodeURIComponent(filename) } : undefined
}
