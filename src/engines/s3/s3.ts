import { S3Bucket } from './bucket.ts'
import { startFailure } from './failure.ts'
import type { Limits, S3Options } from './options.ts'
import { loadPackages } from './packages.ts'

export type { S3Bucket } from './bucket.ts'
export type { PresignedOptions, S3Options } from './options.ts'

/**
 * Connects to a bucket, and checks that it can be listed, written and read.
 * @param limits replace the usual ones
 * @throws INVALID_CONFIG with what to check; STORE_UNAVAILABLE; ENGINE_UNAVAILABLE
 */
export async function openBucket(options: S3Options, limits: Partial<Limits> = {}): Promise<S3Bucket> {
  const bucket = new S3Bucket(options, await loadPackages(), limits)
  try {
    await bucket.check()
    return bucket
  } catch (error) {
    bucket.close()
    throw startFailure(
      error,
      options.accessKeyId ? 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY' : 'those of the machine',
    )
  }
}
