import { isObject } from './failure.ts'

/** A file that the server has: a resumable upload, a result of a job, or a file of the library. */
export type ServerFile =
  | { readonly uploadId: string }
  | { readonly jobId: string; readonly filename: string }
  | { readonly fileId: string; readonly version?: number }

/** A file of a request. Tools of documents go by the name's extension: use a `File` for them. */
export type FileInput = Blob | ServerFile

const sourceOf = (file: ServerFile): Record<string, unknown> => {
  if ('uploadId' in file) return { uploadId: file.uploadId }
  if ('jobId' in file) return { jobId: file.jobId, filename: file.filename }
  return { fileId: file.fileId, ...(file.version !== undefined && { version: file.version }) }
}

/**
 * The form of a job: parts with bytes, and the field `sources` for files that the server has.
 * @param files with the names of their parts, in order
 */
export function formOf(
  files: readonly (readonly [field: string, file: FileInput])[],
  fields: Readonly<Record<string, string>>,
): FormData {
  const form = new FormData()
  const sources: object[] = []
  for (const [at, [field, file]] of files.entries()) {
    if (!(file instanceof Blob)) sources.push({ ...sourceOf(file), field, at })
    else if ('name' in file) form.append(field, file)
    else form.append(field, file, 'upload')
  }
  if (sources.length > 0) form.append('sources', JSON.stringify(sources))
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

const isBlob = (value: unknown): boolean => value instanceof Blob

/** A body with files becomes a form, any other one JSON. */
export function bodyOf(body: unknown): FormData | string {
  if (body instanceof FormData) return body
  const parts = isObject(body) ? Object.entries(body) : []
  if (!parts.some(([, value]) => isBlob(value) || (Array.isArray(value) && value.some(isBlob))))
    return JSON.stringify(body)
  const form = new FormData()
  for (const [name, value] of parts)
    for (const one of Array.isArray(value) ? value : [value])
      if (isBlob(one)) form.append(name, one as Blob)
      else if (one !== undefined) form.append(name, typeof one === 'string' ? one : JSON.stringify(one))
  return form
}
