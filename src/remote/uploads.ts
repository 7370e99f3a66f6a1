import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { sendBytes, TUS, UPLOAD_BYTES, uploadMetadata } from '../client/resumable.ts'
import { limiter } from '../concurrency.ts'
import { emptyForm } from '../engines/http/http.ts'
import { MediaprocError } from '../errors.ts'
import { lastOf } from '../lists.ts'
import type { MediaFile } from '../media/file.ts'
import { type Answer, type Connection, isLost } from './connection.ts'

/** Smaller files are parts of the request itself: asking whether the server has them would take longer. */
const MIN_UPLOAD_BYTES = 1024 * 1024
/** Uploads at the same time. */
const MAX_UPLOADS = 4

/** A file as a request contains it: its bytes, or an upload that the server has. */
export type SentFile = { blob: Blob } | { uploadId: string }

const headerNumber = ({ headers }: Answer, name: string): number => Number([headers[name]].flat()[0] ?? Number.NaN)

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { signal })
  return hash.digest('hex')
}

/** Sends the files of a run: large ones by resumable uploads, and each content only once. */
export class Uploads {
  readonly #connection: Connection
  readonly #limit = limiter(MAX_UPLOADS)
  /** By checksum: uploads of this run, and those that the server had. */
  readonly #sent = new Map<string, Promise<string>>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @param isFresh the server lost an upload: what it had is not asked again */
  async send(file: MediaFile, signal: AbortSignal, isFresh = false): Promise<SentFile> {
    if (file.bytes < MIN_UPLOAD_BYTES) return { blob: await openAsBlob(file.path) }
    const sha256 = await sha256Of(file.path, signal)
    const known = isFresh ? undefined : this.#sent.get(sha256)
    const sending = known ?? this.#limit(() => this.#upload(file, sha256, signal, isFresh))
    this.#sent.set(sha256, sending)
    try {
      return { uploadId: await sending }
    } catch (error) {
      this.#sent.delete(sha256)
      // Too many uploads of other runs wait on the server: the request can hold the bytes itself.
      if (error instanceof MediaprocError && error.code === 'TOO_MANY_UPLOADS')
        return { blob: await openAsBlob(file.path) }
      throw error
    }
  }

  async #upload(file: MediaFile, sha256: string, signal: AbortSignal, isFresh: boolean): Promise<string> {
    const existing = isFresh ? undefined : await this.#existing(sha256, signal)
    if (existing !== undefined) return existing
    const metadata = uploadMetadata({ filename: file.name, sha256 })
    const headers = { ...TUS, 'upload-length': String(file.bytes), 'upload-metadata': metadata }
    const created = await this.#connection.json('POST', '/api/v1/uploads', { headers, signal })
    const id = String(created.uploadId)
    await this.#sendRest(id, file, signal)
    return id
  }

  /** An upload of this content that the server has. */
  async #existing(sha256: string, signal: AbortSignal): Promise<string | undefined> {
    const data = { sha256: [sha256] }
    const { uploads } = await this.#connection.json('POST', '/api/v1/uploads/have', { data, signal })
    const [first] = Array.isArray(uploads) ? (uploads as { uploadId?: unknown }[]) : []
    return typeof first?.uploadId === 'string' ? first.uploadId : undefined
  }

  #sendRest(id: string, { path, bytes }: MediaFile, signal: AbortSignal): Promise<void> {
    const url = `/api/v1/uploads/${encodeURIComponent(id)}`
    const append = async (start: number): Promise<number> => {
      const headers = { ...TUS, 'upload-offset': String(start), 'content-type': UPLOAD_BYTES }
      const body = (): NodeJS.ReadableStream => createReadStream(path, { start })
      const answer = await this.#connection.send('PATCH', url, { headers, body: body as never, signal, isOnce: true })
      answer.body.resume()
      return headerNumber(answer, 'upload-offset')
    }
    const offset = async (): Promise<number> =>
      headerNumber(await this.#connection.send('HEAD', url, { headers: TUS, signal }), 'upload-offset')
    return sendBytes(
      {
        ...{ append, offset, signal },
        // The connection repeats the request for the offset itself.
        isInterrupted: (error, request) =>
          request === 'append' && (isLost(error) || (error as Partial<MediaprocError>).code === 'CONFLICT'),
        lost: () => new MediaprocError('SERVER_UNREACHABLE', 'The server lost an upload'),
      },
      bytes,
    )
  }
}

/** A file of a job with the part of the form that it has. */
export interface FormFile {
  field: string
  file: MediaFile
}

/** The files of a form: parts with bytes, and the field `sources` for the others. */
export async function formWith(
  files: readonly FormFile[],
  send: (file: MediaFile) => Promise<SentFile>,
): Promise<FormData> {
  const form = await emptyForm()
  const sources: object[] = []
  const sent = await Promise.all(files.map(async ({ field, file }) => ({ field, file, sent: await send(file) })))
  for (const [at, { field, file, sent: one }] of sent.entries()) {
    if ('blob' in one) form.append(field, one.blob, file.name)
    else sources.push({ uploadId: one.uploadId, field, at, name: lastOf(file.name.split('/')).slice(0, 255) })
  }
  if (sources.length > 0) form.append('sources', JSON.stringify(sources))
  return form
}
