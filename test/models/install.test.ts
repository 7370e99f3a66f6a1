import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { MediaprocError } from '../../src/errors.ts'
import { type InstallOptions, install, type Requirement } from '../../src/models/install/install.ts'
import { damagedFile } from '../../src/models/store/checked-file.ts'
import { installedModel } from '../../src/models/store/installed.ts'
import { readRecords } from '../../src/models/store/records.ts'
import { type ModelSource, sampleBytes, serveModels } from '../helpers/model-source.ts'

const one = (...models: string[]): Requirement[] => [{ tier: 'light', models }]
const options = (extra: Partial<InstallOptions> = {}): InstallOptions => ({
  signal: new AbortController().signal,
  acceptLicence: true,
  pauseMs: 1,
  ...extra,
})
const failure = (work: Promise<unknown>): Promise<MediaprocError> =>
  work.then(
    () => expect.fail('this was to fail'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(MediaprocError)
      return error as MediaprocError
    },
  )
const blobs = ({ store }: ModelSource): string[] =>
  existsSync(join(store, 'blobs')) ? readdirSync(join(store, 'blobs')) : []

const WEIGHTS = { name: 'weights.bin', bytes: sampleBytes('weights') }
const DATA = { name: 'weights.bin.data', bytes: sampleBytes('data') }

test('installs files from addresses and packages, whole, compressed and in pieces, next to each other', async () => {
  const packed = { name: 'words.txt', bytes: sampleBytes('words'), package: '@some/words', unpack: 'gzip' as const }
  const pieces = { name: 'large.bin', bytes: sampleBytes('large'), package: '@some/words', pieces: 9000 }
  const whole = { name: 'small.bin', bytes: sampleBytes('small', 10), package: 'plain' }
  const source = await serveModels({
    a: { files: [WEIGHTS, DATA] },
    b: { files: [packed, pieces] },
    c: { files: [whole] },
  })
  source.answers((request, response) => {
    const isPackage = request.url!.startsWith('/registry')
    if (!isPackage || request.headers.authorization === 'Bearer secret') return false
    response.writeHead(401).end()
    return true
  })
  const seen: number[] = []
  const plan = await install(one('a', 'b', 'c'), source.store, options({ onProgress: (done) => seen.push(done) }))
  expect(plan.bytes).toBe(160_010)
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
  expect(seen.at(-1)).toBe(160_010)
  for (const [id, files] of Object.entries({ a: [WEIGHTS, DATA], b: [packed, pieces], c: [whole] })) {
    const installed = (await installedModel(id))!
    for (const { name, bytes } of files) {
      expect(readFileSync(installed.files.get(name)!).equals(bytes)).toBe(true)
      expect(installed.files.get(name)!.endsWith(`/${name}`)).toBe(true)
    }
    expect(new Set([...installed.files.values()].map((path) => path.split('/').at(-2))).size).toBe(1)
  }
  // One package, one archive; only the files remain.
  expect(source.asked.filter((path) => path.includes('/-/')).length).toBe(2)
  expect(readdirSync(join(source.store, 'partial'))).toEqual([])
  expect(readdirSync(join(source.store, 'staging'))).toEqual([])
  // An installed file is not downloaded again.
  const before = source.asked.length
  expect((await install(one('a', 'b'), source.store, options())).bytes).toBe(0)
  expect(source.asked.length).toBe(before)
})

test('resumes an interrupted download, in the same run and in a later one', async () => {
  const source = await serveModels({ a: { files: [WEIGHTS] } })
  source.breakOff(5000, 3)
  await install(one('a'), source.store, options())
  expect(source.asked).toEqual([
    '/files/weights.bin',
    ...[5000, 10_000, 15_000].map((from) => `/files/weights.bin bytes=${from}-`),
  ])
  expect(readFileSync((await installedModel('a'))!.files.get('weights.bin')!).equals(WEIGHTS.bytes)).toBe(true)
})

test('a silent server ends the install, and the next one resumes', async () => {
  const source = await serveModels({ a: { files: [WEIGHTS] } })
  const stop = new AbortController()
  source.breakOff(7000, 1)
  source.answers((_request, response) => {
    if (source.asked.length < 2) return false
    stop.abort(new MediaprocError('CANCELED'))
    response.destroy()
    return true
  })
  expect((await failure(install(one('a'), source.store, options({ signal: stop.signal })))).code).toBe('CANCELED')
  expect(await installedModel('a')).toBeUndefined()
  expect((await readRecords(source.store)).single).toEqual([])
  source.answers(() => false)
  const seen: number[] = []
  await install(one('a'), source.store, options({ onProgress: (done) => seen.push(done) }))
  expect(source.asked.at(-1)).toBe('/files/weights.bin bytes=7000-')
  expect(seen[0]).toBe(7000)
  expect(await installedModel('a')).toBeDefined()
})

test('a temporary failure of the source loses no bytes; a changed source is downloaded again', async () => {
  const source = await serveModels({ a: { files: [WEIGHTS] } })
  const part = join(source.store, 'partial', createHash('sha256').update(WEIGHTS.bytes).digest('hex'))
  source.breakOff(7000, 1)
  source.answers((_request, response) => {
    if (source.asked.length === 1) return false
    response.destroy()
    return true
  })
  expect((await failure(install(one('a'), source.store, options()))).code).toBe('DOWNLOAD_FAILED')
  expect(statSync(part).size).toBe(7000)
  source.answers(({ headers }, response) => {
    if (headers.range) response.writeHead(416).end()
    return headers.range !== undefined
  })
  await install(one('a'), source.store, options())
  expect(source.asked.slice(-2)).toEqual(['/files/weights.bin bytes=7000-', '/files/weights.bin'])
})

test('resumes the archive of a package as well, and downloads a damaged one again', async () => {
  const file = { name: 'x.bin', bytes: sampleBytes('x'), package: 'plain' }
  const source = await serveModels({ a: { files: [file] } })
  source.breakOff(9000, 1)
  await install(one('a'), source.store, options())
  expect(source.asked.filter((path) => path.includes('/-/'))).toEqual([
    '/registry/plain/-/x.tgz',
    '/registry/plain/-/x.tgz bytes=9000-',
  ])
  const other = await serveModels({ a: { files: [file] } })
  const stop = new AbortController()
  other.breakOff(9000, 1)
  other.answers(() => {
    if (other.asked.length < 3) return false
    stop.abort(new MediaprocError('CANCELED'))
    return false
  })
  await failure(install(one('a'), other.store, options({ signal: stop.signal })))
  const [part] = readdirSync(join(other.store, 'partial'))
  writeFileSync(join(other.store, 'partial', part!), Buffer.alloc(9000))
  other.answers(() => false)
  await install(one('a'), other.store, options())
  expect(await installedModel('a')).toBeDefined()
})

test('never uses wrong bytes: another hash, too few, too many, a web page', async () => {
  const says = { sha256: 'f'.repeat(64) }
  const source = await serveModels({
    wrong: { files: [{ ...WEIGHTS, says }] },
    short: { files: [{ ...DATA, says: { bytes: 50_000 } }] },
    long: { files: [{ name: 'long.bin', bytes: sampleBytes('long'), says: { bytes: 30_000 } }] },
    packed: { files: [{ name: 'y.bin', bytes: sampleBytes('y'), package: 'plain', says }] },
  })
  for (const id of ['wrong', 'short', 'long', 'packed']) {
    const error = await failure(install(one(id), source.store, options()))
    expect([id, error.code, error.exit]).toEqual([id, 'MODEL_DAMAGED', 1])
    expect(await installedModel(id)).toBeUndefined()
  }
  source.answers((_request, response) => {
    response.end('<html>Sign in to the Wi-Fi</html>')
    return true
  })
  expect((await failure(install(one('wrong'), source.store, options()))).code).toBe('MODEL_DAMAGED')
  expect(blobs(source)).toEqual([])
  expect((await readRecords(source.store)).folders).toEqual({})
})

test('names a missing source, and tries the second address', async () => {
  const source = await serveModels({ a: { files: [WEIGHTS] }, b: { files: [{ ...DATA, package: 'gone' }] } })
  source.answers((_request, response) => {
    response.writeHead(404).end()
    return true
  })
  const first = await failure(install(one('a'), source.store, options()))
  expect([first.code, first.message]).toEqual([
    'DOWNLOAD_FAILED',
    `${source.address}/files/weights.bin answered with the status 404`,
  ])
  const second = await failure(install(one('b'), source.store, options()))
  expect([second.code, second.message]).toEqual([
    'DOWNLOAD_FAILED',
    'The npm registry answered with the status 404 when asked for gone 1.0.0',
  ])
})

test('downloads through the proxy of the environment', async () => {
  const source = await serveModels({ a: { files: [WEIGHTS] }, b: { files: [DATA] } })
  const tunnels: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    tunnels.push(request.url!)
    const [host, port] = request.url!.split(':')
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const end of [socket, target]) end.on('error', () => {})
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.close()
    for (const name of ['http_proxy', 'no_proxy']) vi.stubEnv(name, undefined)
  })
  vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  await install(one('a'), source.store, options())
  expect(tunnels).toEqual([new URL(source.address).host])
  vi.stubEnv('no_proxy', '127.0.0.1')
  await install(one('b'), source.store, options())
  expect(tunnels.length).toBe(1)
})

test('names a licence in doubt and requires its acceptance, before any download', async () => {
  const source = await serveModels({ free: { files: [WEIGHTS] }, doubt: { files: [DATA], commercial: 'care' } })
  const error = await failure(install(one('free', 'doubt'), source.store, options({ acceptLicence: false })))
  expect([error.code, error.exit]).toEqual(['LICENCE_NOT_ACCEPTED', 2])
  expect(error.message).toContain('doubt')
  expect(source.asked).toEqual([])
  await install(one('free'), source.store, options({ acceptLicence: false }))
  await install(one('doubt'), source.store, options())
  // It was accepted once.
  await install(one('doubt'), source.store, options({ acceptLicence: false }))
})

test('bundles share files, and a separately installed model stays when its bundle is removed', async () => {
  const source = await serveModels({ a: { files: [WEIGHTS, DATA] }, b: { files: [WEIGHTS] } })
  await install([{ bundle: 'one', tier: 'light', models: ['a'] }], source.store, options())
  await install([{ bundle: 'two', tier: 'standard', models: ['b'] }], source.store, options())
  expect(source.asked.length).toBe(2)
  expect(blobs(source).length).toBe(2)
  const paths = await Promise.all(['a', 'b'].map(async (id) => (await installedModel(id))!.files.get('weights.bin')!))
  expect(new Set(paths.map((path) => statSync(path).ino)).size).toBe(1)
  const { bundles } = await readRecords(source.store)
  expect(Object.entries(bundles).map(([id, { tier, models }]) => [id, tier, models])).toEqual([
    ['one', 'light', ['a']],
    ['two', 'standard', ['b']],
  ])
})

test('an unreadable list of installed models is an error, and is not overwritten', async () => {
  const source = await serveModels({ a: { files: [WEIGHTS] } })
  mkdirSync(source.store, { recursive: true })
  for (const text of ['{', 'null', '{"format":2}', '{"format":1}']) {
    writeFileSync(join(source.store, 'installed.json'), text)
    expect((await failure(install(one('a'), source.store, options()))).code).toBe('INVALID_CONFIG')
    expect(readFileSync(join(source.store, 'installed.json'), 'utf8')).toBe(text)
  }
})

test('detects a flipped byte before a model is used, also if a valid file changed later', async () => {
  const source = await serveModels({ a: { files: [WEIGHTS] } })
  await install(one('a'), source.store, options())
  const installed = (await installedModel('a'))!
  expect(await damagedFile(installed)).toBeUndefined()
  expect(existsSync(join(source.store, 'checked.json'))).toBe(true)
  const path = installed.files.get('weights.bin')!
  const bytes = readFileSync(path)
  bytes[20_000]! ^= 1
  writeFileSync(path, bytes)
  expect(await damagedFile(installed)).toBe('weights.bin')
})

test('unpacks a package with many small files without a warning of Node', async () => {
  const files = Array.from({ length: 60 }, (_, at) => ({
    name: `part-${at}.bin`,
    bytes: sampleBytes(`part-${at}`, 200),
    package: 'many',
  }))
  const source = await serveModels({ a: { files } })
  const warnings: string[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning.name)
  process.on('warning', onWarning)
  await install(one('a'), source.store, options())
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
  expect((await installedModel('a'))!.files.size).toBe(60)
})

test('stops at an archive longer than in the manifest', async () => {
  const file = { name: 'small.bin', bytes: sampleBytes('small', 10), package: 'plain' }
  const source = await serveModels({ a: { files: [file] } })
  const sizes = join(source.environment.MEDIAPROC_MANIFESTS!, 'packages.json')
  writeFileSync(sizes, JSON.stringify({ 'plain@1.0.0': 1000 }))
  let sent = 0
  source.answers(({ url }, response) => {
    if (!url!.includes('/-/')) return false
    const part = Buffer.alloc(100_000)
    const more = (): void => {
      while (!response.destroyed && response.write(part)) sent += part.length
      response.once('drain', more)
    }
    more()
    return true
  })
  const error = await failure(install(one('a'), source.store, options()))
  expect(error).toMatchObject({
    code: 'MODEL_DAMAGED',
    message: expect.stringContaining('more than the 1001100 bytes'),
  })
  expect(sent).toBeLessThan(20_000_000)
})
