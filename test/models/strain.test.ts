/** Installs that are killed, two concurrent installs, a full disk. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { bundleState } from '../../src/models/bundles.ts'
import { type InstallOptions, install } from '../../src/models/install/install.ts'
import { installedModel } from '../../src/models/store/installed.ts'
import { readRecords } from '../../src/models/store/records.ts'
import { type ModelSource, sampleBytes, serveModels } from '../helpers/model-source.ts'
import { buildProgram, PROGRAM } from '../helpers/program.ts'
import { seededRandom } from '../helpers/random.ts'
import { fillDisk, mountSmallDisk } from '../helpers/small-disk.ts'

const options: InstallOptions = { signal: new AbortController().signal, acceptLicence: true, pauseMs: 1 }
const disk = mountSmallDisk()

const FILES = ['one', 'two', 'three'].map((name) => ({ name: `${name}.bin`, bytes: sampleBytes(name, 200_000) }))
const PACKED = { name: 'packed.bin', bytes: sampleBytes('packed', 200_000), package: 'packed', pieces: 30_000 }
const MODELS = { a: { files: FILES }, b: { files: [PACKED, FILES[0]!] } }
const BUNDLES = { ocr: { light: ['a', 'b'] } }

const start = ({ environment }: ModelSource) => {
  buildProgram()
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment }
  return spawn(process.execPath, [PROGRAM, 'models', 'install', 'ocr', '-q'], { env, stdio: 'ignore' })
}

async function expectWhole({ store }: ModelSource): Promise<void> {
  for (const [id, { files }] of Object.entries(MODELS)) {
    const installed = await installedModel(id)
    for (const { name, bytes } of files) expect(readFileSync(installed!.files.get(name)!).equals(bytes)).toBe(true)
  }
  expect((await bundleState('ocr', store))!.installed).toBe(true)
}

test('two concurrent installs succeed, and each file is downloaded once', async () => {
  const source = await serveModels(MODELS, BUNDLES)
  const ends = [start(source), start(source)].map((child) => once(child, 'close'))
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0])
  await expectWhole(source)
  expect(source.asked.filter((path) => path.startsWith('/files/') || path.includes('/-/')).length).toBe(4)
})

test('a killed process leaves nothing half installed, and the next one continues', async () => {
  const random = seededRandom()
  const source = await serveModels(MODELS, BUNDLES)
  // Slow enough for kills in every phase.
  source.answers((request, response) => {
    response.socket?.setNoDelay(true)
    return request.url === '/never'
  })
  for (let round = 0; round < 8; round += 1) {
    const child = start(source)
    const killAfter = random.between(1, 6)
    const before = source.asked.length
    const ended = once(child, 'close')
    const killed = vi.waitUntil(() => child.exitCode !== null || source.asked.length >= before + killAfter, {
      timeout: 20_000,
      interval: 1,
    })
    await killed
    child.kill('SIGKILL')
    await ended
    for (const id of Object.keys(MODELS)) {
      const installed = await installedModel(id)
      if (!installed) continue
      for (const { name, bytes } of MODELS[id as 'a' | 'b'].files)
        expect(readFileSync(installed.files.get(name)!).equals(bytes)).toBe(true)
    }
    await readRecords(source.store)
  }
  await install([{ bundle: 'ocr', tier: 'light', models: ['a', 'b'] }], source.store, options)
  await expectWhole(source)
  // Bytes from before a kill were not downloaded again: at most each file once, and once more for each kill.
  const whole = source.asked.filter((path) => path.startsWith('/files/') && !path.includes('bytes='))
  expect(whole.length).toBeLessThanOrEqual(FILES.length + 8)
  expect(readdirSync(join(source.store, 'staging'))).toEqual([])
})

test('Ctrl-C exits with 130, and downloaded bytes are not downloaded again', async () => {
  const source = await serveModels(MODELS, BUNDLES)
  let answers = 0
  source.answers(({ url }) => {
    if (url?.startsWith('/files/')) answers += 1
    return answers > 1
  })
  const child = start(source)
  const ended = once(child, 'close')
  await vi.waitUntil(() => answers > 1, { timeout: 20_000 })
  child.kill('SIGINT')
  expect((await ended)[0]).toBe(130)
  expect(await installedModel('a')).toBeUndefined()
  source.answers(() => false)
  source.asked.length = 0
  await install([{ bundle: 'ocr', tier: 'light', models: ['a', 'b'] }], source.store, options)
  expect(source.asked).toEqual(['/files/two.bin', '/files/three.bin'])
  await expectWhole(source)
})

// Needs permission to mount a disk: root on Linux.
describe.skipIf(!disk)('a disk that is full', () => {
  test('is detected before any download', async () => {
    const large = { name: 'large.bin', bytes: sampleBytes('large', 100_000), says: { bytes: 20_000_000 } }
    const source = await serveModels({ large: { files: [large] } })
    const store = join(disk!, 'before')
    const failure = await install([{ tier: 'light', models: ['large'] }], store, options).catch(
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ code: 'INSUFFICIENT_STORAGE', status: 507 })
    expect((failure as Error).message).toMatch(/^The install needs 20\.0 MB on the disk, and \d+\.\d MB are free$/)
    expect(source.asked).toEqual([])
  })

  test('and one that fills up meanwhile: removes the partial file, keeps complete ones, and a later run continues', async () => {
    const files = ['first', 'second'].map((name) => ({ name, bytes: sampleBytes(name, 400_000) }))
    const source = await serveModels({ large: { files } })
    const store = join(disk!, 'meanwhile')
    let empty = (): void => {}
    source.answers((request) => {
      if (request.url === '/files/second') empty = fillDisk(disk!, 100_000)
      return false
    })
    const requirements = [{ tier: 'light' as const, models: ['large'] }]
    const failure = await install(requirements, store, options).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'DISK_FULL', status: 507 })
    expect(readdirSync(join(store, 'partial'))).toEqual([])
    expect(existsSync(join(store, 'installed.json'))).toBe(false)
    empty()
    source.answers(() => false)
    await install(requirements, store, options)
    expect(source.asked).toEqual(['/files/first', '/files/second', '/files/second'])
    expect(await installedModel('large', store)).toBeDefined()
  })
})
