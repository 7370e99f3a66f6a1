import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withPacks } from '../../src/cli/engines/with-packs.ts'
import { engineUnavailable } from '../../src/engines/engine.ts'
import { readTar } from '../../src/engines/tar.ts'
import { MediaprocError } from '../../src/errors.ts'
import { type PlannedJob, type PlannedRun, runOne } from '../../src/local/planned-run.ts'
import { servePacks } from '../helpers/pack-source.ts'
import { useScene } from '../helpers/program.ts'

const here = useScene()

async function scene() {
  const source = await servePacks({ 'pack-main': {}, 'pack-other': {} }, { one: ['pack-main'], two: ['pack-other'] })
  const { environment } = source
  return { source, run: (...args: string[]) => here.run(['engines', ...args], { environment }) }
}

test('lists, installs and removes packs', async () => {
  const { source, run } = await scene()
  expect((await run()).stdout).toMatch(/^PACK .*\none +no +\d+ B +100\.0 kB +MIT +testing one\ntwo +no /)
  const planned = await run('install', 'one', '--dry-run', '--json')
  expect(JSON.parse(planned.stdout)).toMatchObject({ installed: false, packs: [{ name: 'one', state: 'missing' }] })
  expect(source.asked).toEqual([])
  const installed = await run('install', '--all')
  expect([installed.code, installed.stdout]).toEqual([0, 'one\ntwo\n'])
  expect(installed.stderr).toMatch(/^mediaproc: \d+ B to fetch, 200\.0 kB on the disk\n$/)
  expect((await run('install', 'one', '-q')).stdout).toBe('Everything is installed already\n')
  expect((await run('list', 'one')).stdout).toMatch(/one +installed/)
  expect((await run('remove', 'one', '--json')).stdout).toBe('{"removed":["one"]}\n')
  const again = await run('remove', 'one')
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('The engine pack one is not installed')])
  expect((await run('remove', '--all')).code).toBe(0)
  expect(readdirSync(`${source.folder}/packs`)).toEqual([])
})

test('wrong use is explained', async () => {
  const { run } = await scene()
  for (const [args, message] of [
    [['install'], 'Expected the packs to install, or --all'],
    [['install', 'one', '--all'], 'Expected the packs to install, or --all'],
    [['install', 'three'], 'There is no engine pack three for this machine'],
    [['export', 'one'], 'Expected --output FILE'],
    [['import'], 'Expected one archive'],
    [['clean'], 'Expected list, install, remove, export, import, got clean'],
  ] as const) {
    const { code, stderr } = await run(...args)
    expect([code, stderr], args.join(' ')).toEqual([2, expect.stringContaining(message)])
  }
})

test('an archive installs packs on a machine without a network', async () => {
  const { source, run } = await scene()
  const file = here.at('packs.tar.gz')
  expect((await run('export', 'one', '-o', file)).stdout).toBe(`${file}\n`)
  expect(readdirSync(here.path).sort()).toEqual(['a.jpg', 'packs.tar.gz'])
  const names: string[] = []
  await readTar(file, new AbortController().signal, async ({ path }) => void names.push(path))
  expect(names).toEqual(['engines.json', 'packages/pack-main@1.0.0.tgz'])
  source.asked.length = 0
  const offline = { ...source.environment, MEDIAPROC_OFFLINE: '1' }
  const imported = await here.run(['engines', 'import', file], { environment: offline })
  expect([imported.code, imported.stdout]).toEqual([0, 'one\n'])
  expect((await run('list')).stdout).toMatch(/one +installed.*\ntwo +no/)
  expect(source.asked).toEqual([])
})

test('refuses archives that are damaged, or of another release', async () => {
  const { run } = await scene()
  const file = here.at('packs.tar.gz')
  await run('export', 'one', '-o', file)
  writeFileSync(here.at('half.tar.gz'), readFileSync(file).subarray(0, 300))
  writeFileSync(here.at('text.tar.gz'), 'hello')
  for (const name of ['half.tar.gz', 'text.tar.gz', 'a.jpg'])
    expect([(await run('import', here.at(name))).code, name]).toEqual([1, name])
  const other = await servePacks({ 'pack-main': { code: 'export const other = 1' } }, { one: ['pack-main'] })
  const { code, stderr } = await here.run(['engines', 'import', file], { environment: other.environment })
  expect([code, stderr]).toEqual([1, expect.stringContaining('does not have the checksum that this release requires')])
  expect(existsSync(other.folder) ? readdirSync(`${other.folder}/packs`) : []).toEqual([])
})

const job = (index: number): PlannedJob => ({ index, items: [], given: String(index) })
const planned = (run: PlannedRun['run']): PlannedRun => ({
  ...{ name: 'image/x', jobs: [job(0), job(1)], concurrency: 2, preview: async () => [], close: async () => {}, run },
})
const missing = (pack: string) => engineUnavailable({ id: pack, install: `get ${pack}`, pack }, 'This')
const attempt = (run: PlannedRun, index: number) => runOne(run, job(index), () => {})

test('a run installs a missing pack once for all its jobs, and repeats them', async () => {
  const [present, asked] = [new Set<string>(), [] as string[]]
  const needs = planned(async (_job, _progress, warn) => {
    warn('a warning')
    for (const pack of ['one', 'two']) if (!present.has(pack)) throw missing(pack)
    return { outputs: [] }
  })
  const run = withPacks(needs, async (pack) => {
    asked.push(pack)
    await new Promise((resolve) => setTimeout(resolve, 5))
    present.add(pack)
    return true
  })
  const outcomes = await Promise.all([attempt(run, 0), attempt(run, 1)])
  expect(outcomes.map(({ ok, warnings }) => [ok, warnings])).toEqual([
    [true, ['a warning']],
    [true, ['a warning']],
  ])
  expect(asked).toEqual(['one', 'two'])
})

test('a pack that stays missing is the error of the tool, and a failed install its own error', async () => {
  const needs = planned(async () => {
    throw missing('one')
  })
  const refused = await attempt(
    withPacks(needs, async () => false),
    0,
  )
  expect(refused).toMatchObject({ ok: false, error: { code: 'ENGINE_UNAVAILABLE', hint: 'Install it with: get one' } })
  // Installed, but still not found: no endless loop.
  expect(
    await attempt(
      withPacks(needs, async () => true),
      0,
    ),
  ).toMatchObject({ error: { code: 'ENGINE_UNAVAILABLE' } })
  const failing = withPacks(needs, async () => {
    throw new MediaprocError('OFFLINE', 'no network')
  })
  expect(await attempt(failing, 0)).toMatchObject({ ok: false, error: { code: 'OFFLINE' } })
  // Other errors pass.
  const other = planned(async () => {
    throw new MediaprocError('INVALID_FILE', 'damaged')
  })
  expect(
    await attempt(
      withPacks(other, async () => expect.fail('not asked')),
      0,
    ),
  ).toMatchObject({
    error: { code: 'INVALID_FILE' },
  })
})
