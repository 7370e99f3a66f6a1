import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { MediaprocError } from '../errors.ts'
import { safeFileName } from './file-name.ts'

const MEBIBYTE = 1024 * 1024
const MAX_FIELDS = 100
/** More files than this in one request are refused even where the operator set no limit. */
const MAX_FILES = 10_000

/** One uploaded file, on disk. */
export interface ReceivedFile {
  /** The form field that it came in. */
  field: string
  /** Its name, made safe; several files may have the same. */
  name: string
  /** Where it is: a name of ours in the folder that was asked for. */
  path: string
  bytes: number
  mime: string
}

export interface ReceivedForm {
  files: ReceivedFile[]
  fields: Readonly<Record<string, string>>
}

export interface FormLimits {
  /** Bytes of one file; 0 for no limit. */
  fileBytes: number
  /** 0 for no limit of the operator's. */
  files: number
}

const readableSize = (bytes: number): string => `${bytes / 1_000_000} MB`

function tooLarge(name: string, limit: number): MediaprocError {
  return new MediaprocError('FILE_TOO_LARGE', `${name} is larger than the limit of ${readableSize(limit)}`)
}

/** What the form parser says, as an error of the catalogue. */
function formError(error: unknown, limits: FormLimits): unknown {
  if (error instanceof MediaprocError) return error
  const { code, message } = error as { code?: string; message?: string }
  if (code === 'FST_FILES_LIMIT')
    return new MediaprocError('TOO_MANY_FILES', `At most ${limits.files || MAX_FILES} files are taken in one request`)
  if (code === 'FST_REQ_FILE_TOO_LARGE') return tooLarge('A file', limits.fileBytes)
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return new MediaprocError('INVALID_MULTIPART', `More than ${MAX_FIELDS} text fields`)
  // The disk's own errors keep their code; everything else is a form that cannot be read.
  if (['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS'].includes(code ?? '')) return error
  return new MediaprocError('INVALID_MULTIPART', 'The form cannot be read: it is cut off or malformed', {
    detail: message ?? String(error),
    cause: error,
  })
}

function fieldText(part: { fieldname: string; value: unknown; valueTruncated: boolean }): string {
  if (part.valueTruncated)
    throw new MediaprocError('INVALID_MULTIPART', `The field ${safeFileName(part.fieldname)} is longer than 1 MiB`)
  // A field that says it is JSON arrives parsed.
  return typeof part.value === 'string' ? part.value : JSON.stringify(part.value ?? '')
}

/**
 * Reads a form: files stream into `folder` under names of ours, text fields are kept. Nothing of file size is in memory.
 * @throws MediaprocError INVALID_MULTIPART, FILE_TOO_LARGE, TOO_MANY_FILES, DISK_FULL
 */
export async function receiveForm(request: FastifyRequest, folder: string, limits: FormLimits): Promise<ReceivedForm> {
  if (!request.isMultipart()) {
    throw new MediaprocError('INVALID_MULTIPART', 'Expected multipart/form-data')
  }
  const files: ReceivedFile[] = []
  const fields: Record<string, string> = Object.create(null)
  try {
    const parts = request.parts({
      limits: {
        fields: MAX_FIELDS,
        fieldSize: MEBIBYTE,
        // One more than allowed is let in, so that the sentence can name the file.
        fileSize: limits.fileBytes > 0 ? limits.fileBytes + 1 : Number.POSITIVE_INFINITY,
        files: Math.min(limits.files || MAX_FILES, MAX_FILES),
        headerPairs: 100,
      },
    })
    for await (const part of parts) {
      if (part.type === 'field') {
        fields[part.fieldname] = fieldText(part)
        continue
      }
      const name = safeFileName(part.filename)
      const path = join(folder, `in-${files.length}`)
      await pipeline(part.file, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
      const bytes = part.file.bytesRead
      if (part.file.truncated || (limits.fileBytes > 0 && bytes > limits.fileBytes))
        throw tooLarge(name, limits.fileBytes)
      files.push({ field: part.fieldname, name, path, bytes, mime: part.mimetype })
    }
  } catch (error) {
    throw formError(error, limits)
  }
  return { files, fields }
}
