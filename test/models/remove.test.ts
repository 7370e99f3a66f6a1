import { createReadStream, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { MediaprocError } from '../../src/errors.ts'
import { bundleState, storeBytes } from '../../src/models/bundles.ts'
import { type InstallOptions, install, type Requirement } from '../../src/models/install/install.ts'
import { installedModel } from '../../src/models/store/installed.ts'
import { type Removal, remove, removeAll } from '../../src/models/store/remove.ts'
import { verify } from '../../src/models/store/verify.ts'
import { sampleBytes, serveModels } from '../helpers/model-source.ts'

const turn = { signal: new AbortController().signal }
const options: InstallOptions = { ...turn, acceptLicence: true, pauseMs: 1 }
const WEIGHTS = { name: 'weights.bin', bytes: sampleBytes('weights') }
const DATA = { name: 'data.bin', bytes: sampleBytes('data') }
const MODELS = { a: { files: [WEIGHTS, DATA] }, b: { files: [WEIGHTS] }, c: { files: [DATA] } }
const BUNDLES = { one: { light: ['b'], standard: ['a', 'b'], onDemand: ['c'] }, two: { light: ['b'] } }
const requirement = (bundle: string, ...models: string[]): Requirement => ({ bundle, tier: 'light', models })
const blobs = (store: string): number => readdirSync(join(store, 'blobs')).length

test('keeps shared files and models that others need', async () => {
  const { store } = await serveModels(MODELS, BUNDLES)
  await install(
    [requirement('one', 'a', 'b'), requirement('two', 'b'), { tier: 'light', models: ['c'] }],
    store,
    options,
  )
  expect(blobs(store)).toBe(2)
  await remove([{ bundle: 'one' }], store, turn)
  expect([await installedModel('a'), blobs(store)]).toEqual([undefined, 2])
  expect(await installedModel('b')).toBeDefined()
  await remove([{ bundle: 'two' }], store, turn)
  expect([await installedModel('b'), blobs(store)]).toEqual([undefined, 1])
  await remove([{ model: 'c' }], store, turn)
  expect([await storeBytes(store), blobs(store)]).toEqual([0, 0])
})

test('does not remove a model that is missing, in a bundle or shipped, and nothing else either', async () => {
  const { store } = await serveModels(MODELS, BUNDLES)
  await install([requirement('one', 'b')], store, options)
  const refusals: [Removal, string][] = [
    [{ bundle: 'two' }, 'The bundle two is not installed'],
    [{ model: 'b' }, 'b belongs to the bundle one, which is installed'],
    [{ model: 'a' }, 'The model a is not installed'],
  ]
  for (const [removal, message] of refusals) {
    const failure = await remove([{ bundle: 'one' }, removal], store, turn).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'CONFLICT' })
    if ('bundle' in removal || removal.model === 'a') expect((failure as MediaprocError).message).toBe(message)
    expect(await installedModel('b')).toBeDefined()
  }
  const failure = await remove([{ model: 'b' }], store, turn).catch((error: unknown) => error)
  expect((failure as MediaprocError).message).toBe('b belongs to the bundle one, which is installed')
})

test('a reader of a model completes after its removal', async () => {
  const { store } = await serveModels(MODELS, BUNDLES)
  await install([requirement('one', 'b')], store, options)
  const path = (await installedModel('b'))!.files.get('weights.bin')!
  const reading = createReadStream(path, { encoding: 'latin1', highWaterMark: 100 })
  await new Promise<void>((resolve) => reading.once('readable', resolve))
  await remove([{ bundle: 'one' }], store, turn)
  expect(existsSync(path)).toBe(false)
  expect(await text(reading)).toBe(WEIGHTS.bytes.toString('latin1'))
})

test('removes everything at once, including partial downloads', async () => {
  const source = await serveModels(MODELS, BUNDLES)
  await install([requirement('one', 'a', 'b')], source.store, options)
  writeFileSync(join(source.store, 'partial', 'begun'), 'begun')
  expect(await storeBytes(source.store)).toBe(80_005)
  await removeAll(source.store, turn)
  expect([await storeBytes(source.store), await installedModel('a')]).toEqual([0, undefined])
  expect((await bundleState('one', source.store))?.installed).toBe(false)
})

test('a bundle is installed with its minimum, and reports its tier and what is missing', async () => {
  const { store } = await serveModels(MODELS, BUNDLES)
  const state = async () => {
    const { installed, tier, downloadBytes, installedBytes } = (await bundleState('one', store))!
    return [installed, tier, downloadBytes, installedBytes]
  }
  expect(await state()).toEqual([false, undefined, 80_000, 0])
  await install([requirement('one', 'b')], store, options)
  expect(await state()).toEqual([true, 'light', 40_000, 40_000])
  // The other bundle needs the same.
  expect((await bundleState('two', store))!.installed).toBe(true)
  await install([{ bundle: 'one', tier: 'standard', models: ['a', 'b'] }], store, options)
  expect(await state()).toEqual([true, 'standard', 0, 80_000])
})

test('verify detects a changed byte and a missing file, disables both, and install repairs them', async () => {
  const { store, asked } = await serveModels(MODELS, BUNDLES)
  await install([requirement('one', 'a', 'b')], store, options)
  expect((await verify(store, turn)).map(({ state }) => state)).toEqual(['good', 'good', 'good'])
  const files = (await installedModel('a'))!.files
  const changed = readFileSync(files.get('weights.bin')!)
  changed[20_000]! ^= 1
  writeFileSync(files.get('weights.bin')!, changed)
  rmSync(files.get('data.bin')!)
  expect(await installedModel('a')).toBeUndefined()
  const found = await verify(store, turn)
  // Both models have the file, and it is on disk once.
  expect(found.filter(({ state }) => state !== 'good')).toEqual([
    { model: 'a', file: 'weights.bin', state: 'damaged' },
    { model: 'a', file: 'data.bin', state: 'missing' },
    { model: 'b', file: 'weights.bin', state: 'damaged' },
  ])
  expect([await installedModel('a'), await installedModel('b')]).toEqual([undefined, undefined])
  asked.length = 0
  await install([requirement('one', 'a', 'b')], store, options)
  expect(asked).toEqual(['/files/weights.bin'])
  expect((await verify(store, turn)).every(({ state }) => state === 'good')).toBe(true)
})
