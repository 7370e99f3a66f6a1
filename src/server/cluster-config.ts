import { resolve } from 'node:path'
import type { RedisOptions } from '../engines/redis/redis.ts'
import type { S3Options } from '../engines/s3/s3.ts'
import {
  type EnvironmentName,
  environmentFlag,
  environmentSecret,
  environmentText,
  environmentWord,
} from '../environment.ts'
import { MediaprocError } from '../errors.ts'
import type { SharedContents } from '../store/cluster/options.ts'

/** What a process does: answer requests, run jobs, or both. */
export type ServerRole = 'api' | 'worker' | 'all'

/** What several servers share besides the database. */
export interface ClusterConfig {
  redis: RedisOptions
  /** Where uploads, results, previews and the contents of the library are. */
  contents: SharedContents
}

const refuse = (message: string, hint: string): never => {
  throw new MediaprocError('INVALID_CONFIG', message, { hint: { shell: hint } })
}

/** A secret; `false` counts as unset, as for DATABASE_URL. */
const address = (name: 'DATABASE_URL' | 'REDIS_URL'): string => {
  const given = environmentSecret(name).trim()
  return given === 'false' ? '' : given
}

const isAddress = (text: string, protocols: readonly string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol) && new URL(text).hostname !== ''

/** Variables that only matter with S3_BUCKET. */
const OF_BUCKET = ['S3_ENDPOINT', 'S3_PREFIX', 'S3_REGION', 'S3_FORCE_PATH_STYLE'] as const
const SECRETS_OF_BUCKET = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const

function readBucket(bucket: string): S3Options {
  if (!/^[a-z0-9][\w.-]{1,253}[a-z0-9]$/i.test(bucket))
    refuse(
      `Expected the name of a bucket for S3_BUCKET, got ${bucket}`,
      'The address is in S3_ENDPOINT, folders are in S3_PREFIX.',
    )
  const endpoint = environmentText('S3_ENDPOINT').trim()
  if (endpoint !== '' && !isAddress(endpoint, ['http:', 'https:']))
    refuse(
      `Expected an address such as https://storage.example.com for S3_ENDPOINT, got ${endpoint}`,
      'It begins with http:// or https://.',
    )
  const [accessKeyId, secretAccessKey] = SECRETS_OF_BUCKET.map((name) => environmentSecret(name).trim())
  if (!accessKeyId !== !secretAccessKey)
    refuse(
      `${accessKeyId ? 'S3_ACCESS_KEY_ID needs S3_SECRET_ACCESS_KEY' : 'S3_SECRET_ACCESS_KEY needs S3_ACCESS_KEY_ID'}`,
      'Without both, the credentials of the machine are used.',
    )
  const prefix = environmentText('S3_PREFIX')
    .trim()
    .replace(/^\/+|\/+$/g, '')
  if (prefix !== '' && (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(prefix) || /(?:^|\/)\.\.?(?:\/|$)/.test(prefix)))
    refuse(
      `Expected letters, digits, dots, hyphens and slashes for S3_PREFIX, got ${prefix}`,
      'Keys begin with it, such as media/.',
    )
  const style = environmentText('S3_FORCE_PATH_STYLE').trim()
  return {
    bucket,
    region: environmentWord('S3_REGION'),
    ...(endpoint !== '' && { endpoint }),
    prefix: prefix === '' ? '' : `${prefix}/`,
    ...(accessKeyId && secretAccessKey && { accessKeyId, secretAccessKey }),
    forcePathStyle: style === '' ? endpoint !== '' : environmentFlag('S3_FORCE_PATH_STYLE'),
    presign: environmentFlag('S3_PRESIGN'),
  }
}

/**
 * Reads what several servers share. Three configurations exist: files, one server with a database, and a cluster with a
 * database, Redis and one place for contents.
 * @throws MediaprocError INVALID_CONFIG for every other combination
 */
export function readCluster(): ClusterConfig | undefined {
  const url = address('REDIS_URL')
  const folder = environmentText('SHARED_DIR').trim()
  const bucket = environmentText('S3_BUCKET').trim()
  if (bucket === '') {
    const name = [...OF_BUCKET, ...SECRETS_OF_BUCKET].find((each) => isGiven(each))
    if (name) refuse(`${name} needs S3_BUCKET`, 'Name the bucket, or unset it.')
    if (environmentFlag('S3_PRESIGN')) refuse('S3_PRESIGN needs S3_BUCKET', 'Name the bucket, or unset it.')
  }
  if (folder !== '' && bucket !== '')
    refuse('SHARED_DIR and S3_BUCKET are both set', 'Contents are in one of them: unset the other.')
  const contents = bucket === '' ? 'SHARED_DIR' : 'S3_BUCKET'
  if (url === '') {
    if (folder === '' && bucket === '') return undefined
    refuse(
      `${contents} needs REDIS_URL`,
      'Several servers need DATABASE_URL, REDIS_URL, and SHARED_DIR or S3_BUCKET; one server needs none of them.',
    )
  }
  if (!isAddress(url, ['redis:', 'rediss:']))
    refuse(
      'Expected an address such as redis://user:password@host:6379 for REDIS_URL',
      'rediss:// is the same over TLS.',
    )
  if (address('DATABASE_URL') === '')
    refuse('REDIS_URL needs DATABASE_URL', 'Several servers share a PostgreSQL database; one server needs no Redis.')
  if (folder === '' && bucket === '')
    refuse(
      'REDIS_URL needs SHARED_DIR or S3_BUCKET',
      'Several servers share their files: name a folder that all have mounted, or a bucket.',
    )
  if (environmentText('FILES_STORAGE_PATH') !== '')
    refuse(`FILES_STORAGE_PATH has no effect with ${contents}`, `Unset it: the library is in ${contents}.`)
  // Two servers with one workspace would remove each other's files.
  if (environmentText('WORKSPACE_PATH') !== '')
    refuse(
      'WORKSPACE_PATH has no effect with REDIS_URL',
      'Unset it: running jobs are in DATA_DIR, which each server has.',
    )
  return {
    redis: { url },
    contents: bucket === '' ? { kind: 'folder', folder: resolve(folder) } : { kind: 's3', s3: readBucket(bucket) },
  }
}

const isGiven = (name: EnvironmentName): boolean =>
  environmentText(name).trim() !== '' ||
  ((SECRETS_OF_BUCKET as readonly string[]).includes(name) && environmentSecret(name) !== '')

/** @throws MediaprocError INVALID_CONFIG for a role that needs other processes */
export function roleOf(role: ServerRole = 'all', cluster: ClusterConfig | undefined): ServerRole {
  if (role === 'all' || cluster) return role
  throw new MediaprocError('INVALID_CONFIG', `The role ${role} needs REDIS_URL`, {
    hint: {
      shell: 'Several processes share DATABASE_URL, REDIS_URL, and SHARED_DIR or S3_BUCKET; one does everything.',
    },
  })
}
