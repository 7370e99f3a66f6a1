import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findConfigFile, findConfigProgram, loadConfig } from '../../src/cli/input/config.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'

let folder = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'config-')))
  // The root of a repository, so that folders above the current one count.
  for (const name of ['deep/er', '.git']) mkdirSync(join(folder, name), { recursive: true })
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const put = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

describe('finding the file', () => {
  test('the nearest one in the parent folders', () => {
    const outer = put('mediaproc.config.json', '{}')
    expect(findConfigFile(join(folder, 'deep', 'er'))).toBe(outer)
    const inner = put('deep/.mediaprocrc', '')
    expect(findConfigFile(join(folder, 'deep', 'er'))).toBe(inner)
  })

  test('not above the repository root or the home folder, and not in unrelated folders', () => {
    const path = put('.mediaprocrc', '')
    mkdirSync(join(folder, 'deep', '.git'))
    expect(findConfigFile(join(folder, 'deep', 'er'))).toBeUndefined()
    rmSync(join(folder, 'deep', '.git'), { recursive: true })
    expect(findConfigFile(join(folder, 'deep', 'er'))).toBe(path)
    rmSync(join(folder, '.git'), { recursive: true })
    expect(findConfigFile(join(folder, 'deep', 'er'))).toBeUndefined()
    expect(findConfigFile(folder)).toBe(path)
    vi.stubEnv('HOME', folder)
    expect(findConfigFile(join(folder, 'deep', 'er'))).toBe(path)
    vi.stubEnv('HOME', join(folder, 'deep'))
    expect(findConfigFile(join(folder, 'deep', 'er'))).toBeUndefined()
  })

  test('ignores a package.json without our key', () => {
    put('package.json', '{"name":"x"}')
    expect(findConfigFile(folder)).toBeUndefined()
    const path = put('package.json', '{"name":"x", "mediaproc": {}}')
    expect(findConfigFile(folder)).toBe(path)
  })
})

describe('effective configuration', () => {
  test.each([
    ['mediaproc.config.json', '{"jobs": 3, "outputDir": "out"}'],
    ['mediaproc.config.yaml', 'jobs: 3\noutputDir: out\n'],
    ['.mediaprocrc', 'jobs: 3\noutputDir: out\n'],
    ['package.json', '{"mediaproc": {"jobs": 3, "outputDir": "out"}}'],
  ])('from %s', async (name, content) => {
    const path = put(name, content)
    const config = await loadConfig(join(folder, 'deep'))
    expect(config).toMatchObject({ jobs: 3, outputDir: join(folder, 'out'), force: false })
    expect(config.sources).toMatchObject({ jobs: path, outputDir: path, force: 'default' })
  })

  test.each([
    ['mediaproc.config.mjs', 'export default { jobs: 3, outputDir: "out" }'],
    ['mediaproc.config.cjs', 'module.exports = { jobs: 3, outputDir: "out" }'],
    ['any.yaml', 'jobs: 3\noutputDir: out\n'],
  ])('from %s, only if it is named', async (name, content) => {
    const path = put(name, content)
    expect((await loadConfig(folder)).jobs).toBeUndefined()
    const config = await loadConfig(join(folder, 'deep'), path)
    expect(config).toMatchObject({ jobs: 3, outputDir: join(folder, 'out'), sources: { jobs: path } })
  })

  test('never runs code that was not named, even where the library would search for it', async () => {
    const ran = join(folder, 'ran')
    const code = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, ''); module.exports = { jobs: 2 }`
    mkdirSync(join(folder, 'deep/.config'))
    for (const name of ['mediaproc.config.js', 'mediaproc.config.cjs', '.mediaprocrc.js', 'deep/.config/config.js'])
      put(name, code)
    put('deep/.mediaprocrc', 'jobs: 5')
    expect(findConfigProgram(join(folder, 'deep'))).toBe(join(folder, 'mediaproc.config.js'))
    const before = process.cwd()
    process.chdir(join(folder, 'deep'))
    try {
      expect((await loadConfig('.')).jobs).toBe(5)
    } finally {
      process.chdir(before)
    }
    expect(existsSync(ran)).toBe(false)
  })

  test('the environment overrides the file', async () => {
    put('.mediaprocrc', 'jobs: 3\nname: "{stem}.{ext}"\n')
    vi.stubEnv('MEDIAPROC_JOBS', '5')
    vi.stubEnv('MEDIAPROC_FORCE', '1')
    const config = await loadConfig(folder)
    expect(config).toMatchObject({ jobs: 5, force: true, name: '{stem}.{ext}' })
    expect(config.sources).toMatchObject({ jobs: 'MEDIAPROC_JOBS', force: 'MEDIAPROC_FORCE' })
  })

  test('nothing gives the defaults', async () => {
    expect(await loadConfig(folder)).toMatchObject({ force: false, quiet: false, defaults: {} })
  })
})

describe('refused', () => {
  const refused = (message: RegExp | string, hint?: string) =>
    expect(loadConfig(folder)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(message),
      ...(hint && { hint }),
    })

  test('unknown keys, with a suggestion', async () => {
    put('.mediaprocrc', 'jobbs: 3')
    await refused(/There is no setting jobbs/, 'Did you mean jobs?')
    put('.mediaprocrc', 'default: {}')
    await refused(/There is no setting default/, 'Did you mean defaults?')
  })

  test('values of the wrong type, and files that are not a configuration', async () => {
    put('.mediaprocrc', 'jobs: many')
    await refused(/Expected an integer from 1 to 1024 for jobs, got many/)
    put('.mediaprocrc', '- 1\n- 2')
    await refused(/must hold an object/)
    put('.mediaprocrc', '{ "jobs": ')
    await refused(/\.mediaprocrc:1:\d+: A \{ is not closed/)
    put('.mediaprocrc', 'jobs: 1')
    vi.stubEnv('MEDIAPROC_JOBS', 'x')
    await refused(/MEDIAPROC_JOBS, got x/)
  })

  test('defaults for unknown tools and settings', async () => {
    await useScannedCatalogue()
    put('.mediaprocrc', 'defaults: { image/resiz: { width: 3 } }')
    await refused(/There is no tool image\/resiz/, 'Did you mean image/resize?')
    put('.mediaprocrc', 'defaults: { image/resize: { widht: 3 } }')
    await refused(/There is no setting image\/resize\.widht/)
    put('.mediaprocrc', 'defaults: { image/resize: { width: 300 } }')
    expect((await loadConfig(folder)).defaults).toEqual({ 'image/resize': { width: 300 } })
  })
})
