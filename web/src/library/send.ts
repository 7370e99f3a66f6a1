/** Adds files to the library. */
import { ApiError, addressOf, call, OfflineError } from '../api/call.ts'
import type { GetFilesById, LibraryItem } from '../api/types.ts'
import { STRINGS } from '../strings.ts'
import { filePath } from './items.ts'

/** Files of one request: it stores all or none of them. */
const AT_ONCE = 10

/** One request, with its progress. @param onSent bytes so far */
function sendForm(path: string, form: FormData, stop: AbortSignal, onSent: (bytes: number) => void): Promise<unknown> {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest()
    request.open('POST', addressOf(path))
    request.responseType = 'json'
    request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
    request.addEventListener('load', () => {
      const body = (request.response ?? {}) as Record<string, unknown>
      if (request.status < 300) done(body)
      else failed(new ApiError(request.status, body))
    })
    request.addEventListener('error', () => failed(new OfflineError(STRINGS.results.connectionBroke)))
    request.addEventListener('abort', () => failed(new DOMException('aborted', 'AbortError')))
    stop.addEventListener('abort', () => request.abort())
    request.send(form)
  })
}

/**
 * Uploads files, some at a time.
 * @param onProgress the part of all bytes that is sent, from 0 to 1
 * @throws ApiError, OfflineError; what was uploaded before stays
 */
export async function uploadFiles(
  files: readonly File[],
  stop: AbortSignal,
  onProgress: (part: number) => void,
): Promise<void> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let before = 0
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const group = files.slice(at, at + AT_ONCE)
    const form = new FormData()
    for (const file of group) form.append('file', file, file.name)
    await sendForm('api/v1/files/upload', form, stop, (bytes) => onProgress((before + bytes) / Math.max(1, total)))
    before += group.reduce((sum, { size }) => sum + size, 0)
  }
}

/** Adds the result of a tool as a file of its own. */
export async function saveNew(file: File, toolId: string): Promise<LibraryItem> {
  const form = new FormData()
  form.append('toolId', toolId)
  form.append('file', file, file.name)
  const { files } = await call<{ files: [LibraryItem] }>('api/v1/files/upload', { method: 'POST', body: form })
  return files[0]
}

/** Adds the result of a tool as the next version of an item. */
export async function saveVersion(file: File, toolId: string, itemId: string): Promise<LibraryItem> {
  // The item may have got versions since it was fetched.
  const { versions } = await call<GetFilesById>(filePath(itemId))
  const form = new FormData()
  form.append('parentId', versions.at(-1)?.id ?? itemId)
  form.append('toolId', toolId)
  form.append('file', file, file.name)
  return (await call<{ file: LibraryItem }>('api/v1/files/save-result', { method: 'POST', body: form })).file
}
