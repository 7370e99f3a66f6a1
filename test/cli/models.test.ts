import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleBytes, serveModels } from '../helpers/model-source.ts'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()

const FACES = { name: 'faces.bin', bytes: sampleBytes('faces') }
const MODELS = {
  faces: { files: [FACES] },
  more: { files: [{ name: 'more.bin', bytes: sampleBytes('more', 90_000) }] },
  doubt: { files: [{ name: 'doubt.bin', bytes: sampleBytes('doubt', 100) }], commercial: 'care' as const },
}
// Bundle names are those that tools declare.
const BUNDLES = {
  'face-detection': { light: ['faces'], standard: ['faces', 'more'], onDemand: ['doubt'] },
  'upscale-enhance': { light: ['more'] },
}

async function scene() {
  const source = await serveModels(MODELS, BUNDLES)
  const { environment } = source
  return { source, run: (...args: string[]) => here.run(['models', ...args], { environment }) }
}

test('installs, lists, verifies and removes a tool by its name', async () => {
  const { source, run } = await scene()
  expect((await run()).stdout).toMatch(/^BUNDLE.*\nface-detection +no +0 B +40\.0 kB +130\.0 kB .*smart-crop/)
  const installed = await run('install', 'image/smart-crop', '--tier', 'light')
  expect([installed.code, installed.stdout]).toEqual([0, 'faces\n'])
  expect(installed.stderr).toMatch(/faces +40\.0 kB +MIT +a sample\n\n40\.0 kB to fetch, 40\.0 kB on the disk\n$/)
  expect((await run('install', 'smart-crop', '--tier', 'light')).stdout).toBe('Everything is installed already\n')
  const [path] = (await run('path', 'faces')).stdout.split('\n')
  expect(readFileSync(path!).equals(FACES.bytes)).toBe(true)
  expect((await run('path')).stdout).toBe(`${source.store}\n`)
  expect(JSON.parse((await run('path', 'faces', '--json')).stdout)).toEqual({
    store: source.store,
    models: { faces: { 'faces.bin': path } },
  })
  expect((await run('list')).stdout).toMatch(/face-detection +light +40\.0 kB/)
  expect((await run('list', 'face-detection')).stdout).toMatch(/faces +installed +40\.0 kB +light, standard +MIT/)
  expect((await run('verify')).stdout).toBe('1 files are intact\n')
  writeFileSync(path!, Buffer.alloc(40_000))
  const damaged = await run('verify')
  expect([damaged.code, damaged.stdout]).toEqual([1, 'faces: faces.bin is damaged\n'])
  expect((await run('install', 'face-detection', '-q', '--tier=light')).stdout).toBe('faces\n')
  const removed = await run('remove', 'image/smart-crop', '--json')
  expect([removed.code, JSON.parse(removed.stdout)]).toEqual([0, { removed: [{ bundle: 'face-detection' }] }])
  expect((await run('path', 'faces')).code).toBe(3)
})

test('a dry run downloads nothing, and prints what it would download', async () => {
  const { source, run } = await scene()
  const { code, stdout } = await run('install', 'face-detection', 'upscale-enhance', '--dry-run', '--json')
  const plan = JSON.parse(stdout)
  expect([code, plan.installed, plan.downloadBytes]).toEqual([0, false, 130_000])
  expect(plan.models.map(({ id }: { id: string }) => id)).toEqual(['faces', 'more'])
  expect(plan.models[0].files).toEqual([
    { name: 'faces.bin', bytes: 40_000, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
  expect(source.asked).toEqual([])
})

test('licences in doubt need --accept-licence in non-interactive use', async () => {
  const { source, run } = await scene()
  const refused = await run('install', 'doubt')
  expect([refused.code, refused.stdout, source.asked]).toEqual([2, '', []])
  expect(refused.stderr).toContain('--accept-licence')
  expect((await run('install', 'doubt', '--accept-licence')).stdout).toBe('doubt\n')
})

test('moves an archive from one store to another', async () => {
  const { source, run } = await scene()
  await run('install', 'upscale-enhance')
  expect((await run('export', 'upscale-enhance', '-o', 'up.tar.gz')).stdout).toBe('up.tar.gz\n')
  expect(namesIn(here.path)).toEqual(['a.jpg', 'up.tar.gz'])
  expect((await run('remove', '--all')).code).toBe(0)
  expect(readdirSync(join(source.store, 'models'))).toEqual([])
  const offline = { ...source.environment, MEDIAPROC_OFFLINE: '1' }
  const install = await here.run(['models', 'install', 'upscale-enhance'], { environment: offline })
  expect([install.code, install.stderr]).toEqual([1, expect.stringContaining('MEDIAPROC_OFFLINE')])
  const imported = await here.run(['models', 'import', 'up.tar.gz'], { environment: offline })
  expect([imported.code, imported.stdout]).toEqual([0, 'more\n'])
  const list = JSON.parse((await run('list', '--json')).stdout)
  expect(list.bundles.find(({ id }: { id: string }) => id === 'upscale-enhance')).toMatchObject({
    installed: true,
    tier: 'standard',
    installedBytes: 90_000,
    tools: expect.arrayContaining(['image/image-enhancement', 'image/upscale']),
  })
  expect((await run('import', 'a.jpg')).code).toBe(1)
})

test('unknown names and commands are usage errors with a suggestion', async () => {
  const { run } = await scene()
  const cases: [string[], string][] = [
    [['install'], 'Expected a bundle, a tool or a model to install'],
    [['install', 'face-detecton'], 'Did you mean face-detection?'],
    [['install', 'image/resize'], 'There is no bundle, no model and no tool with models called image/resize'],
    [['install', 'image/smart-corp'], 'smart-crop'],
    [['instal'], 'Expected list, install, remove'],
    [['remove'], 'Expected what to remove, or --all'],
    [['remove', 'faces', '--all'], 'Expected what to remove, or --all'],
    [['export', 'face-detection'], '--output FILE'],
    [['list', 'nothing'], 'There is no bundle nothing'],
    [['install', 'faces', '--tier', 'huge'], '--tier'],
  ]
  for (const [args, words] of cases) {
    const { code, stderr } = await run(...args)
    expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(words)])
  }
})
