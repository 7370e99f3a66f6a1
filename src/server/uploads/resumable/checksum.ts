import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Caller } from '../../../accounts/caller.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { resultPlace } from '../../jobs/results.ts'
import { contentOf } from '../sources.ts'
import { metadataOf } from './metadata.ts'
import { offsetOf, type UploadRecord, uploadsOf } from './upload.ts'

/**
 * Compares a complete upload with the SHA-256 that its client announced, and records that it is right. A wrong upload is
 * removed. Uploads without a checksum, or with missing bytes, are returned unchanged.
 * @throws INVALID_FILE
 */
export async function checkSha256(context: ServerContext, record: UploadRecord): Promise<UploadRecord> {
  const { sha256 } = metadataOf(record.upload.metadata)
  if (sha256 === undefined || record.upload.sha256 !== undefined || offsetOf(record) < record.upload.length)
    return record
  const { store, jobs } = context
  const hash = createHash('sha256')
  const parts = record.outputs.filter(({ bytes }) => bytes > 0)
  await pipeline(contentOf(parts.map((part) => resultPlace(store, record.id, part))), hash)
  if (hash.digest('hex') !== sha256) {
    await jobs.remove(record.id)
    throw new MediaprocError('INVALID_FILE', 'The upload does not have the SHA-256 that was announced', {
      hint: 'Upload the file again.',
    })
  }
  return (await store.jobs.update(record.id, { upload: { ...record.upload, sha256 } })) as UploadRecord
}

/** The caller's own verified uploads of these checksums: never those of others, so that the answer reveals nothing. */
export async function uploadsWith(
  context: ServerContext,
  caller: Caller,
  checksums: readonly string[],
): Promise<UploadRecord[]> {
  const wanted = new Set(checksums)
  return (await uploadsOf(context, caller)).filter(({ upload }) => wanted.has(upload.sha256 ?? ''))
}
