import { constants, createWriteStream } from 'node:fs'
import { copyFile, link, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { type Caller, requirePermission } from '../../accounts/caller.ts'
import { MediaprocError } from '../../errors.ts'
import { safeFileName } from '../../media/safe-file-name.ts'
import { SNIFF_BYTES, sniffHead } from '../../media/sniff.ts'
import type { BlobPlace } from '../../store/blobs.ts'
import { storageFailure } from '../../store/local/atomic-write.ts'
import type { ServerContext } from '../context.ts'
import { notFound } from '../http/answers.ts'
import { resultPlace } from '../jobs/results.ts'
import { isPast } from '../jobs/retention.ts'
import { maySee } from '../library/ownership.ts'
import { type FormLimits, type ReceivedFile, type ReceivedForm, tooLarge, tooManyFiles } from './multipart.ts'
import { offsetOf, ownUpload } from './resumable/upload.ts'
import { parseSources, type Source } from './source-field.ts'
import type { WorkFolder } from './work-folder.ts'

/** A file on the server. */
interface Found {
  name: string
  bytes: number
  mime: string
  /** Its content, in this order. */
  places: BlobPlace[]
}

async function uploaded(context: ServerContext, caller: Caller, uploadId: string): Promise<Found> {
  const record = await ownUpload(context, caller, uploadId)
  const { outputs, upload } = record
  const [first] = outputs
  if (!first) throw notFound()
  const arrived = offsetOf(record)
  if (arrived < upload.length)
    throw new MediaprocError('UPLOAD_INCOMPLETE', `${arrived} of ${upload.length} bytes of the upload have arrived`)
  const parts = outputs.filter(({ bytes }) => bytes > 0)
  const places = parts.map((part) => resultPlace(context.store, record.id, part))
  return { name: first.name, bytes: upload.length, mime: first.mime, places }
}

/** A result that the caller may download; their own jobs take precedence. */
async function resultOfJob({ store }: ServerContext, caller: Caller, jobId: string, filename: string): Promise<Found> {
  // The route may need another permission.
  requirePermission(caller, 'tools:use')
  const known = await store.jobs.named(jobId)
  const seen = known.filter((record) => maySee(caller, record) && !isPast(record) && !record.upload)
  for (const record of seen.sort((one) => (one.ownerId === caller.userId ? -1 : 1))) {
    const file = record.outputs.find(({ name }) => name === filename)
    if (file) return { ...file, places: [resultPlace(store, record.id, file)] }
  }
  throw notFound()
}

async function ofLibrary({ store }: ServerContext, caller: Caller, fileId: string, version?: number): Promise<Found> {
  requirePermission(caller, 'files:own')
  const named = await store.library.get(fileId)
  if (!named || !maySee(caller, named)) throw notFound()
  const item =
    version === undefined ? named : (await store.library.versions(fileId)).find((one) => one.version === version)
  if (!item || !maySee(caller, item)) throw notFound()
  const { originalName: name, size: bytes, mimeType: mime } = item
  return { name, bytes, mime, places: [await store.library.content(item.id)] }
}

function find(context: ServerContext, caller: Caller, source: Source): Promise<Found> {
  if ('uploadId' in source) return uploaded(context, caller, source.uploadId)
  if ('jobId' in source) return resultOfJob(context, caller, source.jobId, source.filename)
  return ofLibrary(context, caller, source.fileId, source.version)
}

/** The bytes of a file, from all of its parts. */
export async function* contentOf(places: readonly BlobPlace[]): AsyncGenerator<Buffer> {
  for (const { blobs, key } of places) yield* (await blobs.open(key)) as AsyncIterable<Buffer>
}

/** Takes a file into a folder: as another name of the same file where that is possible. Inputs never change. */
async function take(places: readonly BlobPlace[], path: string): Promise<void> {
  const [place] = places
  if (!place || places.length > 1)
    return pipeline(contentOf(places), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  await place.blobs.borrow(place.key, (from) =>
    link(from, path).catch(() => copyFile(from, path, constants.COPYFILE_FICLONE)),
  )
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The error of one entry, which it names. */
function refusal(error: unknown, index: number): MediaprocError {
  const { code } = error as { code?: string }
  const known = code === 'ENOENT' ? notFound() : storageFailure(error)
  if (known.code !== 'NOT_FOUND') return known
  return new MediaprocError('NOT_FOUND', `sources.${index}: there is no such file`)
}

async function received(
  context: ServerContext,
  caller: Caller,
  source: Source,
  { path, work, limits }: { path: string; work: Pick<WorkFolder, 'arrived'>; limits: FormLimits },
): Promise<ReceivedFile> {
  const { name: own, bytes, mime, places } = await find(context, caller, source)
  const name = source.name === undefined ? own : safeFileName(source.name)
  if (limits.fileBytes > 0 && bytes > limits.fileBytes) throw tooLarge(name, limits.fileBytes)
  work.arrived(bytes)
  await take(places, path)
  const type = sniffHead(await headOf(path), bytes, name)
  return { field: source.field, name, path, bytes, mime, ...(type && { type }) }
}

/**
 * Adds the files that the field `sources` of a form names. They are checked as uploads are, and never held in memory.
 * @throws MediaprocError VALIDATION_ERROR, TOO_MANY_FILES, NOT_FOUND, UPLOAD_INCOMPLETE, FORBIDDEN, FILE_TOO_LARGE, DISK_FULL
 */
export async function withSources(
  context: ServerContext,
  caller: Caller,
  form: ReceivedForm,
  work: Pick<WorkFolder, 'path' | 'arrived'>,
  limits: FormLimits,
): Promise<ReceivedForm> {
  const sources = parseSources(form.fields.sources)
  if (sources.length === 0) return form
  const files = [...form.files]
  const most = limits.files
  if (most > 0 && files.length + sources.length > most) throw tooManyFiles(most)
  // Each goes to its place after those before it have theirs.
  for (const [index, source] of sources.entries()) {
    const path = work.path(`source-${index}`)
    const file = await received(context, caller, source, { path, work, limits }).catch((error: unknown) => {
      throw refusal(error, index)
    })
    files.splice(source.at ?? files.length, 0, file)
  }
  return { ...form, files }
}
