import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type InstallOptions, install } from '../../src/models/install/install.ts'
import { findModel } from '../../src/models/manifest.ts'
import { exportArchive } from '../../src/models/store/export-archive.ts'
import { importArchive } from '../../src/models/store/import-archive.ts'
import { installedModel } from '../../src/models/store/installed.ts'
import { readRecords } from '../../src/models/store/records.ts'
import { sampleBytes, serveModels, type TarMember, tarball } from '../helpers/model-source.ts'

const turn = { signal: new AbortController().signal }
const options: InstallOptions = { ...turn, acceptLicence: true, pauseMs: 1 }
const WEIGHTS = { name: 'weights.bin', bytes: sampleBytes('weights') }
const DATA = { name: 'data.bin', bytes: sampleBytes('data', 5000) }
const MODELS = { a: { files: [WEIGHTS, DATA] }, doubt: { files: [DATA], commercial: 'care' as const } }
const BUNDLES = { one: { light: ['a'], onDemand: ['doubt'] } }

const shaOf = (id: string, index = 0): string => findModel(id)!.files[index]!.sha256
const listOf = (models: Record<string, Record<string, string>>, extra: object = {}) => ({
  path: 'bundle.json',
  bytes: Buffer.from(
    JSON.stringify({ format: 1, bundleId: 'one', tier: 'light', version: '9.9.9', platform: 'any', models, ...extra }),
  ),
})
const whole = (): TarMember[] => [
  listOf({ a: { 'weights.bin': shaOf('a'), 'data.bin': shaOf('a', 1) } }),
  { path: `files/${shaOf('a')}`, bytes: WEIGHTS.bytes },
  { path: `files/${shaOf('a', 1)}`, bytes: DATA.bytes },
]

test('installs an archive exported on another machine without a network', async () => {
  const source = await serveModels(MODELS, BUNDLES)
  const archive = join(source.store, '..', 'one.tar.gz')
  const what = { bundle: 'one', tier: 'light' as const, models: ['a'] }
  await expect(exportArchive(what, archive, source.store, turn.signal)).rejects.toMatchObject({
    code: 'FEATURE_NOT_INSTALLED',
  })
  await install([what], source.store, options)
  await exportArchive(what, archive, source.store, turn.signal)
  expect(readdirSync(join(source.store, '..')).sort()).toEqual(['manifests', 'npmrc', 'one.tar.gz', 'store'])
  const other = join(source.store, '..', 'other')
  vi.stubEnv('MEDIAPROC_OFFLINE', '1')
  const { list } = await importArchive(archive, other, { ...turn, acceptLicence: false })
  expect(list).toMatchObject({ bundleId: 'one', tier: 'light' })
  expect((await installedModel('a', other))!.files.size).toBe(2)
  expect((await readRecords(other)).bundles.one).toMatchObject({ tier: 'light', models: ['a'] })
})

test('refuses hostile, damaged, outdated and incomplete archives, and leaves nothing', async () => {
  const source = await serveModels(MODELS, BUNDLES)
  const [list, weights, data] = whole() as [TarMember, TarMember, TarMember]
  const changed = Buffer.from(WEIGHTS.bytes)
  changed[7]! ^= 1
  const cases: [string, Buffer, string][] = [
    ['a path out of it', tarball([...whole(), { path: '../escaped', bytes: DATA.bytes }]), 'INVALID_FILE'],
    [
      'a path out of a folder',
      tarball([...whole(), { path: 'files/../../escaped', bytes: DATA.bytes }]),
      'INVALID_FILE',
    ],
    ['an absolute path', tarball([...whole(), { path: '/tmp/mediaproc-escaped', bytes: DATA.bytes }]), 'INVALID_FILE'],
    [
      'a link',
      tarball([{ path: `files/${shaOf('a')}`, type: 'SymbolicLink', linkpath: '/etc/passwd' }, ...whole()]),
      'INVALID_FILE',
    ],
    ['a hard link', tarball([{ path: 'files/x', type: 'Link', linkpath: '/etc/passwd' }, ...whole()]), 'INVALID_FILE'],
    ['a device', tarball([{ path: 'zero', type: 'CharacterDevice' }, ...whole()]), 'INVALID_FILE'],
    [
      'too many entries',
      tarball([...Array.from({ length: 10_001 }, (_, at) => ({ path: `x/${at}` })), ...whole()]),
      'INVALID_FILE',
    ],
    ['no list', tarball([weights, data]), 'INVALID_FILE'],
    ['a list that is none', tarball([{ path: 'bundle.json', bytes: Buffer.from('{"models":[]}') }]), 'INVALID_FILE'],
    ['a list of null', tarball([{ path: 'bundle.json', bytes: Buffer.from('null') }]), 'INVALID_FILE'],
    ['a list without end', tarball([{ path: 'bundle.json', bytes: Buffer.alloc(1_000_001, 32) }]), 'INVALID_FILE'],
    ['a bundle that there is not', tarball([listOf({}, { bundleId: 'constructor' }), weights]), 'INVALID_FILE'],
    ['another release', tarball([listOf({ a: { 'weights.bin': 'f'.repeat(64) } }), weights]), 'INVALID_FILE'],
    ['a model that there is not', tarball([listOf({ toString: {} }), weights]), 'INVALID_FILE'],
    ['a file short', tarball([list, weights]), 'INVALID_FILE'],
    ['a changed byte', tarball([list, { ...weights, bytes: changed }, data]), 'MODEL_DAMAGED'],
    ['another length', tarball([list, { ...weights, bytes: changed.subarray(1) }, data]), 'MODEL_DAMAGED'],
    ['cut off', tarball(whole()).subarray(0, 20_000), 'INVALID_FILE'],
    ['no archive', Buffer.from('<html>not found</html>'.repeat(100)), 'INVALID_FILE'],
    ['nothing', Buffer.alloc(0), 'INVALID_FILE'],
  ]
  for (const [what, bytes, code] of cases) {
    const archive = join(source.store, '..', 'hostile.tar.gz')
    const store = join(source.store, '..', `store of ${what}`)
    writeFileSync(archive, bytes)
    const error = await importArchive(archive, store, { ...turn, acceptLicence: true }).catch(
      (failure: unknown) => failure,
    )
    expect([what, (error as { code?: string }).code, (error as Error).message]).toEqual([
      what,
      code,
      expect.any(String),
    ])
    expect([what, await installedModel('a', store), (await readRecords(store)).folders]).toEqual([what, undefined, {}])
    expect([what, readdirSync(join(source.store, '..')).includes('escaped')]).toEqual([what, false])
  }
})

test('ignores unrequested files in an archive, and requires its licences', async () => {
  const source = await serveModels(MODELS, BUNDLES)
  const archive = join(source.store, '..', 'one.tar.gz')
  const mine = [
    { path: './', type: 'Directory' as const },
    { path: '._bundle.json', bytes: Buffer.from('mac') },
    ...whole(),
  ]
  writeFileSync(archive, tarball(mine))
  await importArchive(archive, source.store, { ...turn, acceptLicence: false })
  expect(await installedModel('a')).toBeDefined()
  writeFileSync(archive, tarball([listOf({ doubt: { 'data.bin': shaOf('doubt') } }), whole()[2]!]))
  await expect(importArchive(archive, source.store, { ...turn, acceptLicence: false })).rejects.toMatchObject({
    code: 'LICENCE_NOT_ACCEPTED',
  })
  expect(await installedModel('doubt')).toBeUndefined()
  await importArchive(archive, source.store, { ...turn, acceptLicence: true })
  expect(await installedModel('doubt')).toBeDefined()
})
