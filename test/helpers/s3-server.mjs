/**
 * An S3 server for tests: `node s3-server.mjs FOLDER PORT BUCKET`. s3rver speaks the protocol; the objects are kept here, because its own
 * store replaces them in place. An object is a file that never changes and a record that is replaced by a rename.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'

const require = createRequire(import.meta.url)
const S3rver = require('s3rver')
const S3Object = require('s3rver/lib/models/object')

const [, , folder, port, bucket] = process.argv
const [records, contents, uploads] = ['records', 'contents', 'uploads'].map((name) => join(folder, name))
for (const path of [records, contents, uploads]) mkdirSync(path, { recursive: true })

const known = new Map()
for (const name of readdirSync(records)) {
  if (!name.endsWith('.json')) continue
  const record = JSON.parse(readFileSync(join(records, name), 'utf8'))
  known.set(record.key, record)
}
const recordOf = (key) => join(records, `${createHash('sha256').update(key).digest('hex')}.json`)

/** Writes bytes to a new file; returns its size and checksums. */
async function written(path, content) {
  const md5 = createHash('md5')
  let [size, crc] = [0, 0]
  const counted = new Transform({
    transform(chunk, _encoding, done) {
      md5.update(chunk)
      size += chunk.length
      crc = crc32(chunk, crc)
      done(null, chunk)
    },
  })
  await pipeline(content, counted, createWriteStream(path))
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc)
  return { size, md5: md5.digest('hex'), crc: bytes.toString('base64') }
}

async function put(key, metadata, content) {
  const record = { key, name: randomUUID(), metadata, modified: new Date().toUTCString() }
  Object.assign(record, await written(join(contents, record.name), content))
  const temporary = join(records, randomUUID())
  await writeFile(temporary, JSON.stringify(record))
  await rename(temporary, recordOf(key))
  const former = known.get(key)
  known.set(key, record)
  if (former) await rm(join(contents, former.name), { force: true })
  return { size: record.size, md5: record.md5 }
}

const described = ({ key, metadata, md5, size, modified }, content = null) =>
  new S3Object(bucket, key, content, {
    ...metadata,
    etag: JSON.stringify(md5),
    'last-modified': modified,
    'content-length': size,
  })

const store = {
  getBucket: async (name) => (name === bucket ? { name, creationDate: new Date() } : null),
  listBuckets: async () => [],
  putBucket: async () => {},
  getSubresource: async () => null,
  existsObject: async (_bucket, key) => known.has(key),
  async listObjects(_bucket, { startAfter = '', prefix = '', maxKeys = 1000 }) {
    const keys = [...known.keys()].filter((key) => key > startAfter && key.startsWith(prefix)).sort()
    // A page may have fewer than the client wants.
    const most = Math.min(maxKeys, 100)
    const objects = keys.slice(0, most).map((key) => described(known.get(key)))
    return { objects, commonPrefixes: [], isTruncated: keys.length > most }
  },
  async getObject(_bucket, key, { start, end } = {}) {
    const record = known.get(key)
    if (!record) return null
    const last = record.size - 1
    const range = { start: start ?? 0, end: Math.min(end ?? last, last) }
    const isRange = start !== undefined
    if (isRange && range.start > last) return Object.assign(described(record), { range })
    // It is open, so a later object may replace it.
    const file = await open(join(contents, record.name))
    const object = described(record, record.size === 0 ? Readable.from([]) : file.createReadStream(range))
    if (record.size === 0) await file.close()
    if (isRange) object.range = range
    else object.metadata['x-amz-checksum-crc32'] = record.crc
    return object
  },
  putObject: ({ key, metadata, content }) =>
    put(key, metadata, Buffer.isBuffer(content) ? Readable.from([content]) : content),
  async deleteObject(_bucket, key) {
    const record = known.get(key)
    known.delete(key)
    await rm(recordOf(key), { force: true })
    if (record) await rm(join(contents, record.name), { force: true })
  },
  async initiateUpload(_bucket, key, id, metadata) {
    await mkdir(join(uploads, id))
    await writeFile(join(uploads, id, 'about.json'), JSON.stringify({ key, metadata }))
  },
  putPart: (_bucket, id, number, content) => written(join(uploads, id, String(number)), content),
  async putObjectMultipart(_bucket, id, parts) {
    const { key, metadata } = JSON.parse(await readFile(join(uploads, id, 'about.json'), 'utf8'))
    const paths = parts
      .map(({ number }) => number)
      .sort((one, other) => one - other)
      .map((number) => join(uploads, id, String(number)))
    const whole = Readable.from(
      (async function* () {
        for (const path of paths) yield* createReadStream(path)
      })(),
    )
    const stored = await put(key, metadata, whole)
    await rm(join(uploads, id), { recursive: true })
    return stored
  },
}

const server = new S3rver({
  address: '127.0.0.1',
  port: Number(port),
  silent: process.env.S3_LOUD === undefined,
  directory: folder,
  configureBuckets: [],
})
server.store = server.context.store = store
// s3rver cannot abort uploads, and S3 answers so to one that is complete.
server.middleware.unshift(async (context, next) => {
  const id = context.query.uploadId
  if (id === undefined) return next()
  const isKnown = existsSync(join(uploads, id))
  if (isKnown && context.method !== 'DELETE') return next()
  await rm(join(uploads, id), { recursive: true, force: true })
  context.status = isKnown ? 204 : 404
  if (isKnown) return
  context.type = 'application/xml'
  context.body =
    '<?xml version="1.0"?><Error><Code>NoSuchUpload</Code><Message>The upload does not exist.</Message></Error>'
})
await server.run()
process.stdout.write('ready\n')
