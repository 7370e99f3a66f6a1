import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Caller } from '../../../accounts/caller.ts'
import { MediaprocError, toMediaprocError } from '../../../errors.ts'
import type { JobFile, JobRecord, UploadState } from '../../../store/job-record.ts'
import { Turns } from '../../../store/turns.ts'
import type { ServerContext } from '../../context.ts'
import { notFound } from '../../http/answers.ts'
import { requireOwner } from '../../jobs/require-owner.ts'
import { removeResults, resultPlace } from '../../jobs/results.ts'
import { expiryOf, isPast } from '../../jobs/retention.ts'
import type { WorkFolder } from '../work-folder.ts'
import type { ArrivingBody } from './arriving-body.ts'
import { metadataOf } from './metadata.ts'

/** Bytes after which an upload is recorded; a server that is killed loses at most these. */
const SECTION_BYTES = 32 * 1024 * 1024
/** Most parts of an upload where blobs cannot change. */
const MAX_PARTS = 10_000
/** The file of an upload in its first part. */
const FILE = 'upload'

/** A record of a resumable upload. */
export type UploadRecord = JobRecord & { readonly upload: UploadState }

/** Bytes that have arrived. */
export const offsetOf = ({ outputs }: JobRecord): number => outputs.reduce((sum, { bytes }) => sum + bytes, 0)

const isUpload = (record: JobRecord | undefined): record is UploadRecord =>
  record?.upload !== undefined && record.outputs.length > 0 && !isPast(record)

/** The uploads of a user that have not expired, oldest first. */
export async function uploadsOf({ store }: ServerContext, { userId }: Caller): Promise<UploadRecord[]> {
  return (await store.jobs.uploadsOf(userId)).filter(isUpload)
}

/** An upload of the caller; no permission includes those of others. @throws NOT_FOUND */
export async function ownUpload({ store }: ServerContext, { userId }: Caller, id: string): Promise<UploadRecord> {
  const record = await store.jobs.get(id)
  if (!isUpload(record) || record.ownerId !== userId) throw notFound()
  return record
}

/** Creations of one user, one after the other: two at a time could both find the last place free. */
const creations = new Turns()

/**
 * Creates an upload without bytes. Its whole length counts as used space from now on.
 * @throws TOO_MANY_UPLOADS, RATE_LIMITED, workspace-cap, DISK_FULL, SESSION_INVALID
 */
export function createUpload(
  context: ServerContext,
  caller: Caller,
  work: WorkFolder,
  upload: UploadState,
): Promise<UploadRecord> {
  const { store, config } = context
  const { id } = work
  return creations.run(caller.userId, async () => {
    if (config.maxUploadsPerUser > 0 && (await uploadsOf(context, caller)).length >= config.maxUploadsPerUser)
      throw new MediaprocError('TOO_MANY_UPLOADS', `You have ${config.maxUploadsPerUser} uploads that wait to be used`)
    work.arrived(upload.length)
    const { name, mime } = metadataOf(upload.metadata)
    const record = newUpload(id, caller.userId, upload, { file: FILE, name, bytes: 0, mime }, config.uploadAgeMs)
    await store.results.put(`${id}/${FILE}`, Readable.from([]))
    await store.jobs.create(record).catch(async (error: unknown) => {
      await removeResults(store, record)
      throw error
    })
    await store.jobs.settle(id, upload.length)
    await store.workspace.handOver(id)
    await requireOwner(store, caller.userId, () => context.jobs.remove(id))
    return record
  })
}

function newUpload(id: string, ownerId: string, upload: UploadState, file: JobFile, ageMs: number): UploadRecord {
  const createdAt = new Date().toISOString()
  return {
    ...{ id, clientJobId: null, ownerId, type: 'upload', toolId: null, status: 'completed', percent: 100, stage: null },
    ...{ createdAt, startedAt: null, completedAt: createdAt, attempts: 0, inputBytes: upload.length },
    ...{ upload, outputs: [file], result: null, error: null, expiresAt: expiryOf(ageMs) },
  }
}

/**
 * Stores the bytes of a body after those that have arrived. A body that breaks off is recorded as far as it arrived.
 * @throws FILE_TOO_LARGE, DISK_FULL, NOT_FOUND when the upload was removed meanwhile
 */
export async function receive(context: ServerContext, begun: UploadRecord, body: ArrivingBody): Promise<UploadRecord> {
  const { results } = context.store
  let record = begun
  while (await body.hasMore()) {
    const before = body.received
    const position = offsetOf(record)
    const section = body.section(Math.max(SECTION_BYTES, Math.ceil(record.upload.length / MAX_PARTS) * 2))
    const [first, ...rest] = record.outputs as [JobFile, ...JobFile[]]
    // An upload of another store may have parts already.
    if (results.writeAt && rest.length === 0) {
      await results.writeAt(resultPlace({ results }, record.id, first).key, position, section)
      record = await commit(context, record, [{ ...first, bytes: position + body.received - before }])
      continue
    }
    if (rest.length >= MAX_PARTS)
      throw new MediaprocError('VALIDATION_ERROR', `The upload has ${MAX_PARTS} parts: start over with larger ones`)
    // The name is new: a request that was overtaken may still be writing.
    const part = { ...first, file: `${FILE}-${position}-${randomUUID()}` }
    await results.put(`${record.id}/${part.file}`, Readable.from(section))
    record = await commit(context, record, [...record.outputs, { ...part, bytes: body.received - before }])
  }
  return record
}

/** Records what has arrived. If the upload was removed meanwhile, its bytes are removed, too. */
async function commit(context: ServerContext, record: UploadRecord, outputs: JobFile[]): Promise<UploadRecord> {
  const { store, config } = context
  const patch = { outputs, completedAt: new Date().toISOString(), expiresAt: expiryOf(config.uploadAgeMs) }
  try {
    return (await store.jobs.update(record.id, patch)) as UploadRecord
  } catch (error) {
    if (toMediaprocError(error).code !== 'NOT_FOUND') throw error
    await removeResults(store, { ...record, outputs })
    await store.workspace.discard(record.id)
    throw notFound()
  }
}
