import type { S3ClientConfig } from '@aws-sdk/client-s3'

/** How an S3-compatible object storage is reached. */
export interface S3Options {
  bucket: string
  region: string
  /** The address of the storage; Amazon's when absent. */
  endpoint?: string
  /** The beginning of all keys: empty, or ending with `/`. */
  prefix: string
  /** Both or none; by default the SDK's own sources are used, such as the role of the machine. */
  accessKeyId?: string
  secretAccessKey?: string
  /** Whether the bucket is in the path of addresses, and not in the host name. */
  forcePathStyle: boolean
  /** Whether downloads may be redirected to addresses that are valid for a short time. */
  presign: boolean
}

/** How a download that comes from the storage itself is presented. */
export interface PresignedOptions {
  /** The header Content-Disposition. */
  disposition: string
  /** The header Content-Type. */
  mime: string
  /** How long the address is valid. */
  seconds: number
}

/** How long requests may take, in milliseconds. */
export interface Limits {
  /** An attempt until its response begins: for a part of an upload, 30 s are 300 kB/s. */
  attemptMs: number
  /** A request that sends no content, until its response begins, with all attempts. */
  quickMs: number
  /** How long no byte of a download may arrive. */
  idleMs: number
  pingMs: number
}

export const LIMITS: Limits = { attemptMs: 30_000, quickMs: 10_000, idleMs: 30_000, pingMs: 3000 }

/** How long to wait for a connection, in milliseconds. */
const CONNECT_MS = 5000
const ATTEMPTS = 3
/** Downloads keep their connections for as long as the clients read. */
const MOST_CONNECTIONS = 500

/** The configuration of the SDK's client. */
export function clientConfig(options: S3Options, limits: Limits): S3ClientConfig {
  const { region, endpoint, forcePathStyle, accessKeyId, secretAccessKey } = options
  const agent = { maxSockets: MOST_CONNECTIONS, keepAlive: true }
  return {
    ...{ region, forcePathStyle, maxAttempts: ATTEMPTS },
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    requestHandler: {
      ...{ connectionTimeout: CONNECT_MS, requestTimeout: limits.attemptMs, throwOnRequestTimeout: true },
      ...{ httpAgent: agent, httpsAgent: agent },
    },
  }
}
