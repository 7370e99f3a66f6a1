/** Adds files to the library. */
import { ApiError, addressOf, call, OfflineError, repeatable } from '../api/call.ts'
import type { GetFilesById, LibraryItem } from '../api/types.ts'
import { forgetGone, noteOnServer, onServer, resultPlace } from '../files/on-server.ts'
import { prepare } from '../run/prepare.ts'
import type { ResultFile } from '../run/result-files.ts'
import { fetchResult } from '../run/save.ts'
import { appendParts } from '../run/upload.ts'
import { STRINGS } from '../strings.ts'
import { filePath } from './items.ts'

/** Files of one request: it stores all or none of them. */
const AT_ONCE = 10

/** One request, with its progress. @param onSent bytes so far */
function sendForm<T>(path: string, form: FormData, stop: AbortSignal, onSent: (bytes: number) => void): Promise<T> {
  return new Promise((done, failed) => {
    const sending = new XMLHttpRequest()
    sending.open('POST', addressOf(path))
    sending.responseType = 'json'
    for (const [name, value] of Object.entries(repeatable('POST'))) sending.setRequestHeader(name, value)
    sending.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
    sending.addEventListener('load', () => {
      const body = (sending.response ?? {}) as Record<string, unknown>
      if (sending.status < 300) done(body as T)
      else failed(new ApiError(sending.status, body))
    })
    sending.addEventListener('error', () => failed(new OfflineError(STRINGS.results.connectionBroke)))
    sending.addEventListener('abort', () => failed(new DOMException('aborted', 'AbortError')))
    stop.addEventListener('abort', () => sending.abort())
    sending.send(form)
  })
}

interface Stored {
  files: LibraryItem[]
}

const UPLOAD = 'api/v1/files/upload'

/** The server has these files in the library now: their uploads are not needed any more. */
function noteStored(files: readonly File[], items: readonly LibraryItem[]): void {
  for (const [index, file] of files.entries()) {
    const item = items[index]
    const place = onServer(file)
    if (item) noteOnServer(file, { fileId: item.id })
    if (place && 'uploadId' in place) removeUpload(place.uploadId)
  }
}

/** One that stays expires by itself. */
function removeUpload(id: string): void {
  const options = { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } }
  fetch(addressOf(`api/v1/uploads/${encodeURIComponent(id)}`), options).catch(() => undefined)
}

/** Uploads files by one request: large ones before it, in parts that continue after a broken connection. */
async function uploadGroup(files: readonly File[], stop: AbortSignal, onProgress: OnProgress): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const named = files.map((file) => ({ field: 'file', file }))
  try {
    const onUpload = (percent: number, isWaiting: boolean): void => onProgress((percent / 100) * bytes, isWaiting)
    const { parts, sentBytes } = await prepare({ files: named }, onUpload, stop)
    const form = new FormData()
    appendParts(form, parts)
    const stored = await sendForm<Stored>(UPLOAD, form, stop, (sent) => onProgress(sentBytes + sent, false))
    noteStored(files, stored.files)
  } catch (error) {
    if (!forgetGone(error, files)) throw error
    await uploadGroup(files, stop, onProgress)
  }
}

/** @param isWaiting while the server cannot be reached */
type OnProgress = (part: number, isWaiting: boolean) => void

/**
 * Uploads files, some at a time.
 * @param onProgress the part of all bytes that is sent, from 0 to 1
 * @throws ApiError, OfflineError; what was uploaded before stays
 */
export async function uploadFiles(files: readonly File[], stop: AbortSignal, onProgress: OnProgress): Promise<void> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let before = 0
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const group = files.slice(at, at + AT_ONCE)
    await uploadGroup(group, stop, (bytes, isWaiting) => onProgress((before + bytes) / Math.max(1, total), isWaiting))
    before += group.reduce((sum, { size }) => sum + size, 0)
  }
}

/** A form with a result: by its name, or its bytes where they are in another storage. */
async function resultForm(file: ResultFile, fields: Readonly<Record<string, string>>): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const place = resultPlace(file.url)
  appendParts(form, [place ? { field: 'file', at: 0, ...place } : { field: 'file', file: await fetchResult(file) }])
  return form
}

/** Adds the result of a tool as a file of its own. @throws ApiError, also for a result that has expired */
export async function saveNew(file: ResultFile, toolId: string): Promise<LibraryItem> {
  const body = await resultForm(file, { toolId })
  return (await call<{ files: [LibraryItem] }>(UPLOAD, { method: 'POST', body })).files[0]
}

/** Adds the result of a tool as the next version of an item. @throws ApiError, also for a result that has expired */
export async function saveVersion(file: ResultFile, toolId: string, itemId: string): Promise<LibraryItem> {
  // The item may have got versions since it was fetched.
  const { versions } = await call<GetFilesById>(filePath(itemId))
  const body = await resultForm(file, { parentId: versions.at(-1)?.id ?? itemId, toolId })
  return (await call<{ file: LibraryItem }>('api/v1/files/save-result', { method: 'POST', body })).file
}
