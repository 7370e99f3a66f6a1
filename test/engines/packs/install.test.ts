import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { importPackage, isAvailable, packageFolder, packageVersion } from '../../../src/engines/library.ts'
import { installPacks, type PackOptions } from '../../../src/engines/packs/install.ts'
import { allPacks, packNamed, packSize } from '../../../src/engines/packs/manifest.ts'
import { isInstalled, packFolder, removePacks } from '../../../src/engines/packs/store.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { type PackSource, servePacks } from '../../helpers/pack-source.ts'
import { namesIn } from '../../helpers/program.ts'

const options = (extra: Partial<PackOptions> = {}): PackOptions => ({
  signal: new AbortController().signal,
  pauseMs: 1,
  ...extra,
})
const install = ({ folder }: PackSource, names: string[], extra?: Partial<PackOptions>) =>
  installPacks(names.map(packNamed), folder, options(extra))
const failure = (work: Promise<unknown>): Promise<MediaprocError> =>
  work.then(
    () => expect.fail('this was to fail'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(MediaprocError)
      return error as MediaprocError
    },
  )
const archives = ({ asked }: PackSource): string[] => asked.filter((path) => path.includes('/-/'))
const left = ({ folder }: PackSource): string[] =>
  ['staging', 'packs'].flatMap((part) => (existsSync(join(folder, part)) ? readdirSync(join(folder, part)) : []))

const USER = "import { name } from 'pack-needed'\nexport const uses = name"

test('installs packages with what they depend on, from a registry with a token, and imports them', async () => {
  const source = await servePacks(
    { '@pack/user': { code: USER }, 'pack-needed': {} },
    { one: ['@pack/user', 'pack-needed'] },
  )
  expect(packageFolder('@pack/user')).toBeUndefined()
  const shares: number[] = []
  const installed = await install(source, ['one'], { onProgress: (done, total) => shares.push(done / total) })
  expect(installed.map(({ name }) => name)).toEqual(['one'])
  expect(shares).toEqual([...shares].sort((a, b) => a - b))
  expect(shares.at(-1)).toBe(1)
  expect(await importPackage('@pack/user')).toEqual(expect.objectContaining({ uses: 'pack-needed' }))
  expect(packageFolder('@pack/user')).toBe(join(packFolder(packNamed('one')), 'node_modules', '@pack', 'user'))
  expect([packageVersion('@pack/user'), isAvailable(packNamed('one'))]).toEqual(['1.0.0', true])
  // Nothing remains of the downloads, and nothing is downloaded again.
  expect(readdirSync(join(source.folder, 'partial'))).toEqual([])
  expect(await install(source, ['one'])).toEqual([])
  expect(archives(source)).toHaveLength(2)
  await removePacks(['one'], source.folder, options())
  expect(left(source)).toEqual([])
})

test('leaves out packages and packs of other machines', async () => {
  const source = await servePacks(
    {
      'pack-main': {},
      'pack-elsewhere': { says: { os: ['sunos'] } },
      'pack-anywhere': { says: { os: ['!sunos'], cpu: [process.arch] } },
    },
    { some: ['pack-main', 'pack-elsewhere', 'pack-anywhere'], none: ['pack-elsewhere'] },
  )
  expect(allPacks().map(({ name }) => name)).toEqual(['some'])
  await install(source, ['some'])
  expect(readdirSync(join(packFolder(packNamed('some')), 'node_modules')).sort()).toEqual([
    'pack-anywhere',
    'pack-main',
  ])
  expect((await failure(Promise.resolve().then(() => packNamed('none')))).hint).toBe('The packs are some.')
})

test('resumes an interrupted download, also of a process that was killed', async () => {
  const source = await servePacks({ 'pack-main': {} }, { one: ['pack-main'] })
  let broken = 0
  source.answers(({ url }, response) => {
    if (!url!.includes('/-/') || broken > 3) return false
    broken += 1
    return void response.destroy() === undefined
  })
  expect((await failure(install(source, ['one']))).code).toBe('DOWNLOAD_FAILED')
  expect(left(source)).toEqual([])
  // What a killed process leaves: a lock of no process, half a pack, half an archive.
  writeFileSync(join(source.folder, 'lock'), JSON.stringify({ pid: 999_999_999, mark: '' }))
  mkdirSync(join(source.folder, 'staging', 'one', 'node_modules'), { recursive: true })
  await install(source, ['one'])
  expect(await importPackage('pack-main')).toEqual(expect.objectContaining({ name: 'pack-main' }))
  expect(left(source)).toEqual([expect.stringMatching(/^one@/)])
})

test('uses nothing with another checksum than that of the manifest, whatever the registry lists', async () => {
  const source = await servePacks(
    { 'pack-main': { says: { integrity: `sha512-${Buffer.alloc(64, 1).toString('base64')}` } } },
    { one: ['pack-main'] },
  )
  const error = await failure(install(source, ['one']))
  expect([error.code, error.message]).toEqual([
    'MODEL_DAMAGED',
    expect.stringMatching(/\/pack-main\/-\/x.tgz does not have the checksum that this release of mediaproc requires$/),
  ])
  // It was downloaded again, in case the first was damaged on the way.
  expect(archives(source)).toHaveLength(2)
  expect([...left(source), ...readdirSync(join(source.folder, 'partial'))]).toEqual([])
})

test.each([
  ['a path outside', { path: 'package/../../../../outside.js', bytes: Buffer.from('x') }],
  ['more than the manifest says', { path: 'package/large.bin', bytes: Buffer.alloc(1_200_000) }],
])('refuses an archive with %s, and leaves nothing', async (_what, member) => {
  const source = await servePacks({ 'pack-main': { members: [member] } }, { one: ['pack-main'] })
  expect((await failure(install(source, ['one']))).code).toBe('MODEL_DAMAGED')
  expect(left(source)).toEqual([])
  expect(namesIn(join(source.folder, '..')).filter((name) => name.includes('outside'))).toEqual([])
})

test('ignores links in an archive', async () => {
  const link = { path: 'package/link', type: 'SymbolicLink' as const, linkpath: '/etc/passwd' }
  const source = await servePacks({ 'pack-main': { members: [link] } }, { one: ['pack-main'] })
  await install(source, ['one'])
  expect(readdirSync(packageFolder('pack-main')!).sort()).toEqual(['evil.js', 'index.js', 'package.json'])
})

test('a full disk, an unreachable registry, a refused token and no network are errors that say so', async () => {
  const source = await servePacks(
    { 'pack-main': {}, 'pack-huge': { says: { bytes: 1e15 } } },
    { one: ['pack-main'], huge: ['pack-huge'] },
  )
  expect((await failure(install(source, ['huge']))).code).toBe('INSUFFICIENT_STORAGE')
  expect(source.asked).toEqual([])
  source.answers((_request, response) => response.writeHead(403).end() && true)
  const refused = await failure(install(source, ['one']))
  expect([refused.code, refused.hint]).toEqual([
    'DOWNLOAD_FAILED',
    'Sign in with npm login, or put a token into .npmrc.',
  ])
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/')
  vi.stubEnv('npm_config_fetch_retries', '0')
  expect((await failure(install(source, ['one']))).code).toBe('DOWNLOAD_FAILED')
  vi.stubEnv('npm_config_registry', undefined)
  vi.stubEnv('npm_config_fetch_retries', undefined)
  vi.stubEnv('MEDIAPROC_OFFLINE', '1')
  expect((await failure(install(source, ['one']))).code).toBe('OFFLINE')
  vi.stubEnv('MEDIAPROC_OFFLINE', '')
  expect(left(source)).toEqual([])
})

test('two installs at once download each package once; a canceled one stops and leaves nothing', async () => {
  const source = await servePacks({ 'pack-main': {}, 'pack-other': {} }, { one: ['pack-main'], two: ['pack-other'] })
  await Promise.all([install(source, ['one']), install(source, ['one', 'two'])])
  expect(archives(source).sort()).toEqual(['/pack-main/-/x.tgz', '/pack-other/-/x.tgz'])
  await removePacks(['one'], source.folder, options())
  expect([isInstalled(packNamed('one')), isInstalled(packNamed('two'))]).toEqual([false, true])
  const stop = new AbortController()
  source.answers(({ url }) => {
    if (url!.includes('/-/')) stop.abort()
    return false
  })
  expect((await failure(install(source, ['one'], { signal: stop.signal }))).code).toBe('CANCELED')
  expect(left(source)).toEqual([expect.stringMatching(/^two@/)])
})

test('a release with other packages never uses the old ones, and removes them when it has its own', async () => {
  const before = await servePacks({ 'pack-main': { code: 'export const old = true' } }, { one: ['pack-main'] })
  await install(before, ['one'])
  const { environment } = await servePacks(
    { 'pack-main': { code: 'export const old = false' } },
    { one: ['pack-main'] },
  )
  vi.stubEnv('MEDIAPROC_ENGINES', before.folder)
  expect(isInstalled(packNamed('one'))).toBe(false)
  expect(packageFolder('pack-main')).toBeUndefined()
  await installPacks([packNamed('one')], before.folder, options())
  const folder = packageFolder('pack-main') ?? ''
  expect(readFileSync(join(folder, 'index.js'), 'utf8')).toBe('export const old = false')
  expect(left(before)).toHaveLength(1)
  vi.stubEnv('MEDIAPROC_ENGINES', environment.MEDIAPROC_ENGINES)
})

test('the packs of this release are those of a checkout, and each fits its purpose', () => {
  expect(allPacks().map(({ name }) => name)).toEqual([
    'exiftool',
    'icodec',
    'keyring',
    'opentelemetry',
    'playwright',
    'postgres',
    'redis',
    's3',
    'vectorizer',
  ])
  for (const pack of allPacks()) {
    expect(isAvailable(pack), pack.name).toBe(true)
    const { fetched, kept } = packSize([pack])
    expect(fetched, pack.name).toBeLessThan(10_000_000)
    expect(kept, pack.name).toBeLessThan(30_000_000)
  }
})
