import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readCluster } from '../../src/server/cluster-config.ts'
import { readConfig } from '../../src/server/config.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const DATABASE_URL = 'postgres://media@db/media'
const REDIS_URL = 'redis://:word@redis:6379/3'

afterEach(() => vi.unstubAllEnvs())

const NAMES =
  'DATABASE_URL REDIS_URL SHARED_DIR S3_BUCKET S3_REGION S3_ENDPOINT S3_PREFIX S3_ACCESS_KEY_ID S3_SECRET_ACCESS_KEY'.split(
    ' ',
  )

function read(environment: Record<string, string>) {
  for (const name of NAMES) vi.stubEnv(name, '')
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  return readCluster()
}

function refusal(environment: Record<string, string>): string {
  try {
    read(environment)
    return 'accepted'
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint: string }
    return `${code} ${message}. ${hint}`.trim()
  }
}

test('nothing set, or a database alone, is one server', () => {
  expect([read({}), read({ DATABASE_URL }), read({ REDIS_URL: 'false' })]).toEqual([undefined, undefined, undefined])
  expect(readConfig({ dataFolder: folder }).cluster).toBeUndefined()
})

test('a database, Redis and a shared folder are a cluster', () => {
  expect(read({ DATABASE_URL, REDIS_URL, SHARED_DIR: folder })).toEqual({
    redis: { url: REDIS_URL },
    contents: { kind: 'folder', folder },
  })
  expect(readConfig({ dataFolder: folder }).cluster).toBeDefined()
})

test('a bucket takes the place of the folder, with defaults for Amazon', () => {
  expect(read({ DATABASE_URL, REDIS_URL, S3_BUCKET: 'media' })?.contents).toEqual({
    kind: 's3',
    s3: { bucket: 'media', region: 'us-east-1', prefix: '', forcePathStyle: false, presign: false },
  })
})

test('all of a bucket, with secrets in files', () => {
  const path = join(folder, 'secret')
  writeFileSync(path, 'geheim\n')
  const s3 = {
    ...{ S3_BUCKET: 'media', S3_REGION: 'eu-1', S3_ENDPOINT: 'https://s3.example.com:9000', S3_PREFIX: '/a/b/' },
    ...{ S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY_FILE: path, S3_PRESIGN: 'true' },
  }
  const contents = {
    ...{ bucket: 'media', region: 'eu-1', endpoint: 'https://s3.example.com:9000', prefix: 'a/b/' },
    ...{ accessKeyId: 'id', secretAccessKey: 'geheim', forcePathStyle: true, presign: true },
  }
  expect(read({ DATABASE_URL, REDIS_URL, ...s3 })?.contents).toEqual({ kind: 's3', s3: contents })
  expect(read({ DATABASE_URL, REDIS_URL, ...s3, S3_FORCE_PATH_STYLE: 'false' })?.contents).toEqual({
    kind: 's3',
    s3: { ...contents, forcePathStyle: false },
  })
})

describe('every other combination is refused', () => {
  const SHARED_DIR = '/mnt/media'
  const whole = { DATABASE_URL, REDIS_URL, S3_BUCKET: 'media' }
  test.each([
    [
      { SHARED_DIR },
      'SHARED_DIR needs REDIS_URL. Several servers need DATABASE_URL, REDIS_URL, and SHARED_DIR or S3_BUCKET; one server needs none of them.',
    ],
    [
      { DATABASE_URL, S3_BUCKET: 'media' },
      'S3_BUCKET needs REDIS_URL. Several servers need DATABASE_URL, REDIS_URL, and SHARED_DIR or S3_BUCKET; one server needs none of them.',
    ],
    [
      { REDIS_URL, SHARED_DIR },
      'REDIS_URL needs DATABASE_URL. Several servers share a PostgreSQL database; one server needs no Redis.',
    ],
    [
      { DATABASE_URL, REDIS_URL },
      'REDIS_URL needs SHARED_DIR or S3_BUCKET. Several servers share their files: name a folder that all have mounted, or a bucket.',
    ],
    [{ ...whole, SHARED_DIR }, 'SHARED_DIR and S3_BUCKET are both set. Contents are in one of them: unset the other.'],
    [{ S3_ENDPOINT: 'https://x' }, 'S3_ENDPOINT needs S3_BUCKET. Name the bucket, or unset it.'],
    [{ S3_SECRET_ACCESS_KEY: 'x' }, 'S3_SECRET_ACCESS_KEY needs S3_BUCKET. Name the bucket, or unset it.'],
    [{ S3_PRESIGN: 'true' }, 'S3_PRESIGN needs S3_BUCKET. Name the bucket, or unset it.'],
    [
      { ...whole, S3_ACCESS_KEY_ID: 'x' },
      'S3_ACCESS_KEY_ID needs S3_SECRET_ACCESS_KEY. Without both, the credentials of the machine are used.',
    ],
    [
      { ...whole, S3_SECRET_ACCESS_KEY: 'x' },
      'S3_SECRET_ACCESS_KEY needs S3_ACCESS_KEY_ID. Without both, the credentials of the machine are used.',
    ],
    [
      { ...whole, REDIS_URL: 'localhost:6379' },
      'Expected an address such as redis://user:password@host:6379 for REDIS_URL. rediss:// is the same over TLS.',
    ],
    [
      { ...whole, S3_ENDPOINT: 'storage:9000' },
      'Expected an address such as https://storage.example.com for S3_ENDPOINT, got storage:9000. It begins with http:// or https://.',
    ],
    [
      { ...whole, S3_BUCKET: 's3://media' },
      'Expected the name of a bucket for S3_BUCKET, got s3://media. The address is in S3_ENDPOINT, folders are in S3_PREFIX.',
    ],
    [
      { ...whole, S3_PREFIX: 'a b' },
      'Expected letters, digits, dots, hyphens and slashes for S3_PREFIX, got a b. Keys begin with it, such as media/.',
    ],
    [
      { ...whole, S3_PREFIX: 'a/../b' },
      'Expected letters, digits, dots, hyphens and slashes for S3_PREFIX, got a/../b. Keys begin with it, such as media/.',
    ],
    [
      { ...whole, FILES_STORAGE_PATH: '/files' },
      'FILES_STORAGE_PATH has no effect with S3_BUCKET. Unset it: the library is in S3_BUCKET.',
    ],
    [
      { ...whole, S3_FORCE_PATH_STYLE: 'yes' },
      'Expected true or false for the environment variable S3_FORCE_PATH_STYLE, got yes. mediaproc config shows the effective configuration and its sources.',
    ],
  ])('%j', (environment, sentence) => {
    expect(refusal(environment)).toBe(`INVALID_CONFIG ${sentence}`)
  })

  test('the secrets of an address are not printed', () => {
    expect(refusal({ ...whole, REDIS_URL: 'http://:hidden@host' })).not.toContain('hidden')
  })
})
