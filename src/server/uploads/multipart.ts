import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { safeFileName } from '../../media/safe-file-name.ts'
import { SNIFF_BYTES, sniffHead } from '../../media/sniff.ts'
import type { FileType } from '../../media/type.ts'
import { storageFailure } from '../../store/local/atomic-write.ts'
import { MAX_FIELD, MAX_FILES, MAX_JSON_FIELD, MEBIBYTE } from '../http/limits.ts'
import { formContents, type HashedFile } from '../idempotency/fingerprint.ts'
import type { WorkFolder } from './work-folder.ts'

const MAX_FIELDS = 100
/** Total size of all text fields of a request, in characters: they are held in memory. */
const MAX_TEXT = 8 * MEBIBYTE

/** One uploaded file, on disk. */
export interface ReceivedFile {
  /** The form field of the file. */
  field: string
  /** Sanitized name; several files may have the same. */
  name: string
  /** Its path: a generated name in the given folder. */
  path: string
  bytes: number
  mime: string
  /** The type detected from the first bytes, if they are sufficient. */
  type?: FileType
}

/** Files by role. */
export interface SortedFiles {
  inputs: ReceivedFile[]
  secondary: Record<string, ReceivedFile>
}

export interface ReceivedForm {
  files: ReceivedFile[]
  fields: Readonly<Record<string, string>>
}

export interface FormLimits {
  /** Maximum size of one file in bytes; 0 for no limit. */
  fileBytes: number
  /** 0 when the operator sets no limit. */
  files: number
}

const STORAGE_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EACCES', 'EROFS', 'EMFILE', 'ENFILE', 'EIO'])

const filesText = (count: number): string => (count === 1 ? 'one file is' : `${count} files are`)

const readableSize = (bytes: number): string => `${bytes / 1_000_000} MB`

export function tooLarge(name: string, limit: number): MediaprocError {
  const sentence = `${name} is larger than the limit of ${readableSize(limit)}`
  return limitExceeded(sentence, { variable: 'MAX_UPLOAD_SIZE_MB' }, 'FILE_TOO_LARGE')
}

export const tooManyFiles = (most: number): MediaprocError =>
  new MediaprocError('TOO_MANY_FILES', `At most ${filesText(most)} taken in one request`)

/** Converts an error of the form parser to one of the catalogue. */
function formError(error: unknown, limits: FormLimits): unknown {
  if (error instanceof MediaprocError) return error
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'FST_FILES_LIMIT') return tooManyFiles(limits.files || MAX_FILES)
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge('A file', limits.fileBytes)
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return new MediaprocError('INVALID_MULTIPART', `More than ${MAX_FIELDS} text fields`)
  if (code === 'FST_PROTO_VIOLATION')
    return new MediaprocError('INVALID_MULTIPART', 'A field of the form has a name that is not taken')
  // A disk error is not caused by the form.
  if (STORAGE_ERRORS.has(code ?? '')) return storageFailure(error)
  return new MediaprocError('INVALID_MULTIPART', 'The form cannot be read: it is cut off or malformed', {
    detail: message ?? String(error),
    cause: error,
  })
}

/** Refuses a form before reading it when its Content-Length shows that a file is too large. */
function checkAnnounced(request: FastifyRequest, { fileBytes, files }: FormLimits): void {
  const announced = Number(request.headers['content-length'] ?? 0)
  // Fields, and the boundaries between the parts.
  const most = (files || MAX_FILES) * (fileBytes + MEBIBYTE) + MAX_FIELDS * MEBIBYTE
  if (fileBytes > 0 && announced > most) throw tooLarge('A file', fileBytes)
}

function fieldText(part: { fieldname: string; value: unknown; valueTruncated: boolean }): string {
  if (part.valueTruncated)
    throw new MediaprocError('INVALID_MULTIPART', `The field ${safeFileName(part.fieldname)} is longer than 1 MiB`)
  // A field with a JSON content type arrives parsed.
  const text = typeof part.value === 'string' ? part.value : JSON.stringify(part.value ?? '')
  if (text.length > MAX_FIELD && !JSON_FIELDS.has(part.fieldname))
    throw new MediaprocError(
      'INVALID_MULTIPART',
      `The field ${safeFileName(part.fieldname)} is longer than ${MAX_FIELD} characters`,
    )
  return text
}

/** Fields with JSON; all others are ids and short words. */
const JSON_FIELDS = new Set(['settings', 'pipeline', 'sources'])

/** Bytes that are buffered before each write to a file. */
const WRITE_BYTES = MEBIBYTE / 4

/** The bytes that detect a type, without a copy of all chunks. */
function firstOfChunks(chunks: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = chunks
  return (first.length >= SNIFF_BYTES ? first : Buffer.concat(chunks)).subarray(0, SNIFF_BYTES)
}

/** Appends chunks to a file in one call, without joining them in memory. */
async function writeChunks(file: FileHandle, chunks: readonly Buffer[], bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks)
  // On a nearly full disk a call writes less; the next one reports why.
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten))
}

/**
 * Writes a part to a file and returns its first bytes. Uses no file stream, whose overhead dominates for small files.
 */
async function writeArriving(
  chunks: AsyncIterable<Buffer>,
  path: string,
  work: Pick<WorkFolder, 'arrived'>,
  hash: Hash | undefined,
) {
  let head: Buffer | undefined
  let gathered: Buffer[] = []
  let gatheredBytes = 0
  const file = await open(path, 'wx', 0o600)
  const write = async (): Promise<void> => {
    const [chunks, bytes] = [gathered, gatheredBytes]
    gathered = []
    gatheredBytes = 0
    head ??= firstOfChunks(chunks)
    await writeChunks(file, chunks, bytes)
  }
  try {
    for await (const chunk of chunks) {
      work.arrived(chunk.length)
      hash?.update(chunk)
      gathered.push(chunk)
      gatheredBytes += chunk.length
      if (gatheredBytes >= WRITE_BYTES) await write()
    }
    if (gatheredBytes > 0) await write()
  } finally {
    await file.close()
  }
  return head ?? Buffer.alloc(0)
}

/**
 * Reads a form: files stream into the folder under generated names, text fields stay in memory. Never buffers a whole
 * file. A form with an Idempotency-Key is known by its fields and the checksums of its files.
 * @throws MediaprocError INVALID_MULTIPART, FILE_TOO_LARGE, TOO_MANY_FILES, DISK_FULL, workspace-cap, RATE_LIMITED, and
 *   what `idempotency.begin` throws
 */
export async function receiveForm(
  request: FastifyRequest,
  work: Pick<WorkFolder, 'path' | 'arrived'>,
  limits: FormLimits,
): Promise<ReceivedForm> {
  if (!request.isMultipart()) {
    throw new MediaprocError('INVALID_MULTIPART', 'Expected multipart/form-data')
  }
  checkAnnounced(request, limits)
  // The parser would never be notified of a client that disconnected before this point.
  if (request.raw.destroyed) throw new MediaprocError('INVALID_MULTIPART', 'The form was cut off')
  const { idempotency } = request
  const files: ReceivedFile[] = []
  const hashed: HashedFile[] = []
  const fields: Record<string, string> = Object.create(null)
  let text = 0
  try {
    const parts = request.parts({
      // A Blob in a form always has a file name: settings that clients send as a Blob are still JSON.
      isPartAFile: (field, type, name) =>
        !(JSON_FIELDS.has(field ?? '') && type === 'application/json') &&
        (type === 'application/octet-stream' || name !== undefined),
      limits: {
        fields: MAX_FIELDS,
        fieldSize: MAX_JSON_FIELD,
        // One byte above the limit, so that the error message can name the file.
        fileSize: limits.fileBytes > 0 ? limits.fileBytes + 1 : Number.POSITIVE_INFINITY,
        files: Math.min(limits.files || MAX_FILES, MAX_FILES),
        // Files and fields together: the parser's default is 1000.
        parts: MAX_FILES + MAX_FIELDS + 1,
        headerPairs: 100,
      },
    })
    for await (const part of parts) {
      if (part.type === 'field') {
        const value = fieldText(part)
        text += value.length
        if (text > MAX_TEXT) throw new MediaprocError('INVALID_MULTIPART', 'The text fields are longer than 8 MiB')
        fields[part.fieldname] = value
        continue
      }
      const name = safeFileName(part.filename)
      const path = work.path(`in-${files.length}`)
      // Does not wait for the rest of the part.
      // The stream's reader, which is attached later, reports the error.
      part.file.on('error', () => {})
      part.file.once('limit', () => part.file.destroy(tooLarge(name, limits.fileBytes)))
      const hash = idempotency && createHash('sha256')
      const head = await writeArriving(part.file, path, work, hash)
      const bytes = part.file.bytesRead
      if (part.file.truncated || (limits.fileBytes > 0 && bytes > limits.fileBytes))
        throw tooLarge(name, limits.fileBytes)
      const type = sniffHead(head, bytes, name)
      files.push({ field: part.fieldname, name, path, bytes, mime: part.mimetype, ...(type && { type }) })
      if (hash) hashed.push({ field: part.fieldname, name, mime: part.mimetype, sha256: hash.digest('hex') })
    }
  } catch (error) {
    throw formError(error, limits)
  }
  await idempotency?.begin(formContents(fields, hashed))
  return { files, fields }
}
