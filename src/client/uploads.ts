import type { Connection } from './connection.ts'
import { ApiError, isUnreachable } from './failure.ts'
import { sendBytes, TUS, UPLOAD_BYTES, uploadMetadata } from './resumable.ts'

/** Bytes of one request: what a lost connection sends again, and how often progress is reported. */
const CHUNK = 8 * 1024 * 1024

export interface UploadOptions {
  signal?: AbortSignal
  /** Part of the bytes that have arrived, from 0 to 1. */
  onProgress?: (fraction: number) => void
  /** Name of the file; by default that of a `File`. Tools of documents go by its extension. */
  name?: string
  /** Continues this upload, for example after a page was reloaded. The file must be the same. */
  uploadId?: string
  /** Called with the id before the bytes are sent: with it, an upload can be continued. */
  onCreated?: (uploadId: string) => void
}

const headerNumber = (response: Response, name: string): number => Number(response.headers.get(name) ?? Number.NaN)

/** Resumable uploads: files that outlast lost connections, and that several jobs can use. */
export class Uploads {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Sends a file in parts. After a lost connection, only bytes that have not arrived are sent again.
   * @returns the file as an input of jobs
   * @throws ApiError; the reason of the signal; TypeError if the file is not that of `uploadId`
   */
  async send(file: Blob, options: UploadOptions = {}): Promise<{ readonly uploadId: string }> {
    const { signal, onProgress, uploadId, onCreated } = options
    signal?.throwIfAborted()
    const id = uploadId ?? (await this.#create(file, options))
    onCreated?.(id)
    const from = uploadId === undefined ? 0 : await this.#arrived(uploadId, file.size, signal)
    await sendBytes(
      {
        append: (offset) => this.#append(id, file.slice(offset, offset + CHUNK), offset, signal),
        offset: () => this.#arrived(id, file.size, signal),
        isInterrupted: (error) => isUnreachable(error) || (error instanceof ApiError && error.code === 'CONFLICT'),
        lost: () => new ApiError('SERVER_UNREACHABLE', 'The server lost an upload'),
        ...{ onProgress, signal },
      },
      file.size,
      from,
    )
    return { uploadId: id }
  }

  /** Deletes an upload. @throws ApiError NOT_FOUND */
  async delete(uploadId: string): Promise<void> {
    await this.#connection.request('DELETE', this.#path(uploadId), { headers: TUS })
  }

  #path(id: string): string {
    return `/api/v1/uploads/${encodeURIComponent(id)}`
  }

  async #create(file: Blob, { name, signal }: UploadOptions): Promise<string> {
    const filename = name ?? ('name' in file ? String(file.name) : 'upload')
    const metadata = uploadMetadata({ filename, ...(file.type && { filetype: file.type }) })
    const headers = { ...TUS, 'upload-length': String(file.size), 'upload-metadata': metadata }
    const created = await this.#connection.json('POST', '/api/v1/uploads', { headers, ...(signal && { signal }) })
    return String(created.uploadId)
  }

  async #append(id: string, body: Blob, offset: number, signal: AbortSignal | undefined): Promise<number> {
    const headers = { ...TUS, 'upload-offset': String(offset), 'content-type': UPLOAD_BYTES }
    // The offset protects against bytes that arrive twice.
    const init = { body, headers, repeat: 'always' as const, ...(signal && { signal }) }
    return headerNumber(await this.#connection.request('PATCH', this.#path(id), init), 'upload-offset')
  }

  async #arrived(id: string, size: number, signal: AbortSignal | undefined): Promise<number> {
    const init = { headers: TUS, ...(signal && { signal }) }
    const response = await this.#connection.request('HEAD', this.#path(id), init).catch((error: unknown) => {
      // Answers to HEAD have no body with a code.
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      throw new ApiError('NOT_FOUND', 'The server does not have this upload', {
        hint: 'Send the file again.',
        status: 404,
      })
    })
    if (headerNumber(response, 'upload-length') !== size)
      throw new TypeError('The upload is of another file: its length is different')
    return headerNumber(response, 'upload-offset')
  }
}
