import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MediaprocError, run, tools } from '../../src/index.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { namesIn, temporaryFolder } from '../helpers/program.ts'

let folder: ReturnType<typeof temporaryFolder>
const at = (...parts: string[]): string => join(folder.path, ...parts)

beforeAll(async () => void (await useScannedCatalogue()))
beforeEach(async () => {
  folder = temporaryFolder()
  const image = sharp({ create: { width: 40, height: 20, channels: 3, background: '#c04020' } })
  writeFileSync(at('a.jpg'), await image.jpeg().toBuffer())
})
afterEach(() => folder.remove())

describe('run', () => {
  test('writes a file next to the input', async () => {
    const fractions: number[] = []
    const { outputs, warnings, report, ms } = await run(
      'image/resize',
      at('a.jpg'),
      { width: 10 },
      {
        onProgress: (fraction) => fractions.push(fraction),
      },
    )
    const path = at('a_resize.jpg')
    expect(outputs).toEqual([{ name: 'a_resize.jpg', path, bytes: readFileSync(path).length, type: 'image/jpeg' }])
    expect((await sharp(readFileSync(path)).metadata()).width).toBe(10)
    expect({ warnings, report }).toEqual({ warnings: [], report: undefined })
    expect(Number.isInteger(ms)).toBe(true)
    expect(fractions.length).toBeGreaterThan(0)
  })

  test('a switch that selects another tool runs that tool', async () => {
    const { outputs } = await run('image/resize', at('a.jpg'), { width: 30, contentAware: true })
    expect(outputs.map(({ path }) => path)).toEqual([expect.stringMatching(/a_seam\.\w+$/)])
    await expect(run('image/resize', at('a.jpg'), { contentAware: true, fit: 'cover' })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringContaining('There is no setting fit'),
    })
  })

  test('into a folder, and again only with force', async () => {
    const options = { outputDir: at('out') }
    await run('image/resize', [at('a.jpg')], { width: 10 }, options)
    await expect(run('image/resize', [at('a.jpg')], { width: 10 }, options)).rejects.toMatchObject({
      code: 'OUTPUT_EXISTS',
    })
    await run('image/resize', [at('a.jpg')], { width: 12 }, { ...options, force: true })
    expect((await sharp(readFileSync(at('out', 'a_resize.jpg'))).metadata()).width).toBe(12)
    expect(namesIn(folder.path)).toEqual(['a.jpg', 'out', 'out/a_resize.jpg'])
  })

  test('returns a report without a file', async () => {
    const { outputs, report } = await run('image/info', at('a.jpg'))
    expect(outputs).toEqual([])
    expect(report).toMatchObject({ width: 40, height: 20 })
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })

  test.each<[string, string, string[], Record<string, unknown>]>([
    ['an unknown tool', 'UNKNOWN_TOOL', ['a.jpg'], { tool: 'image/resiz' }],
    ['a wrong setting', 'INVALID_SETTINGS', ['a.jpg'], { width: 0 }],
    ['an unknown setting', 'INVALID_SETTINGS', ['a.jpg'], { widht: 5 }],
    ['a rule that spans settings', 'INVALID_SETTINGS', ['a.jpg'], {}],
    ['no file', 'NO_FILE', [], { width: 5 }],
    ['too many files', 'TOO_MANY_FILES', ['a.jpg', 'a.jpg'], { width: 5 }],
    ['a missing file', 'FILE_NOT_FOUND', ['absent.jpg'], { width: 5 }],
    ['a folder', 'IS_A_FOLDER', ['folder'], { width: 5 }],
    ['an address of this machine', 'URL_REFUSED', ['http://127.0.0.1:9/a.jpg'], { width: 5 }],
  ])('refuses %s', async (_what, code, names, { tool = 'image/resize', ...settings }) => {
    mkdirSync(at('folder'))
    const inputs = names.map((name) => (name.includes(':') ? name : at(name)))
    const failure = await run(tool as string, inputs, settings).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(MediaprocError)
    expect(failure).toMatchObject({ code })
  })

  test('can be aborted', async () => {
    const controller = new AbortController()
    controller.abort()
    const running = run('image/resize', at('a.jpg'), { width: 10 }, { signal: controller.signal })
    await expect(running).rejects.toMatchObject({ code: 'CANCELED' })
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })
})

test('tools() describes every tool', () => {
  const resize = tools().find(({ id }) => id === 'resize')!
  expect(resize.settings.width).toMatchObject({ type: 'integer', min: 1, max: 16383 })
})
