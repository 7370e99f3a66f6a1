import type { TestPostgres } from './postgres.ts'
import type { TestRedis } from './redis.ts'
import type { TestS3 } from './s3.ts'

/** The environment of servers that share a new database, events and objects. */
export async function sharedEnvironment(
  postgres: TestPostgres,
  redis: TestRedis,
  s3: TestS3,
): Promise<Record<string, string>> {
  const { bucket, endpoint = '', accessKeyId = '', secretAccessKey = '' } = s3.options()
  return {
    ...{ DATABASE_URL: await postgres.database(), REDIS_URL: redis.url, S3_BUCKET: bucket, S3_ENDPOINT: endpoint },
    ...{ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_PREFIX: `p${Date.now()}` },
  }
}
