import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { S3Bucket } from '../../engines/s3/s3.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'

/** The object that names the database whose contents a bucket has. */
const MARK = 'store.id'

/** Contents that a database has, and that are not where they should be. */
export const notThere = (place: string, variable: string): MediaprocError =>
  new MediaprocError('INVALID_CONFIG', `${place} lacks the files of the database`, {
    hint: { shell: `Check that it is mounted, and ${variable}.` },
  })

async function markOf(bucket: S3Bucket): Promise<string | undefined> {
  try {
    return await text((await bucket.get(MARK)).body)
  } catch (error) {
    if (toMediaprocError(error).code === 'NOT_FOUND') return undefined
    throw error
  }
}

/**
 * Marks a bucket, or a part of one, as that of a database. What the database has no record of is removed from it: with another
 * database, that would be everything.
 * @param isUsed whether the database has had contents in a shared place before
 * @throws MediaprocError INVALID_CONFIG
 */
export async function claimBucket(bucket: S3Bucket, id: string, isUsed: boolean): Promise<void> {
  const known = await markOf(bucket)
  if (known === id) return
  if (known === undefined && isUsed) throw notThere('The bucket of S3_BUCKET', 'S3_PREFIX')
  const others = known === undefined ? await bucket.keys('')[Symbol.asyncIterator]().next() : undefined
  // Another server of the database may have marked it meanwhile.
  if (known !== undefined || (!others?.done && (await markOf(bucket)) !== id))
    throw new MediaprocError('INVALID_CONFIG', 'The bucket of S3_BUCKET has the files of another database', {
      hint: { shell: 'Name that database in DATABASE_URL, or another place in S3_PREFIX.' },
    })
  await bucket.put(MARK, Readable.from([id]))
}
