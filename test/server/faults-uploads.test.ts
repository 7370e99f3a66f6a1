/** Uploads that continue at another server, with contents in a folder or in a bucket that both have. */
import { afterAll } from 'vitest'
import { startPostgres } from '../helpers/postgres.ts'
import { startRedis } from '../helpers/redis.ts'
import { startS3 } from '../helpers/s3.ts'
import { temporaryFolder } from '../helpers/tool.ts'
import { uploadSuite } from '../helpers/upload-suite.ts'

const started: { stop(): Promise<unknown> }[] = []
afterAll(async () => {
  for (const one of started) await one.stop()
})

async function ofSeveral(contents: Record<string, string>): Promise<Record<string, string>> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  started.push(postgres, redis)
  return { DATABASE_URL: await postgres.database(), REDIS_URL: redis.url, ...contents }
}

async function bucket(): Promise<Record<string, string>> {
  const s3 = await startS3()
  started.push(s3)
  const { bucket: S3_BUCKET, region: S3_REGION, endpoint = '', accessKeyId = '', secretAccessKey = '' } = s3.options()
  const keys = { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey }
  return ofSeveral({ S3_BUCKET, S3_REGION, S3_ENDPOINT: endpoint, ...keys })
}

uploadSuite({
  ...{ name: 'two servers with a shared folder', isShared: true },
  environment: () => ofSeveral({ SHARED_DIR: temporaryFolder() }),
})
uploadSuite({ name: 'two servers with a bucket', isShared: true, environment: bucket })
