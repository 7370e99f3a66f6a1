import type { RedisOptions } from '../../engines/redis/options.ts'
import type { S3Options } from '../../engines/s3/options.ts'

/** What a process does, of several. */
export interface ClusterRole {
  name: 'api' | 'worker' | 'all'
  version: string
  /** Jobs that run at the same time. */
  concurrentJobs: number
}

/** Where uploads, results, previews and the contents of the library are. */
export type SharedContents = { kind: 'folder'; folder: string } | { kind: 's3'; s3: S3Options }

/** What several servers share besides the database. */
export interface ClusterOptions {
  redis: RedisOptions
  contents: SharedContents
  role: ClusterRole
  /** Called with what the operator should know. */
  onWarning(message: string, error?: unknown): void
}
