import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, run, start } = here

/** Runs a tool with --newer; returns whether it was skipped. */
async function isSkipped(
  args: readonly string[],
  environment: Record<string, string> = {},
  program = run,
): Promise<boolean> {
  const { code, stdout, stderr } = await program([...args, '--newer', '--json'], { environment })
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout).skipped === true
}

const future = 4_000_000_000

describe('--newer by the record of the run', () => {
  const resize = (width: number, ...more: string[]) => ['image', 'resize', 'a.jpg', '--width', String(width), ...more]

  test('other settings', async () => {
    for (const more of [[], ['-o', 'x.jpg'], ['-d', 'out', '--name', '{stem}.{ext}']]) {
      expect(await isSkipped(resize(10, ...more))).toBe(false)
      expect(await isSkipped(resize(10, ...more))).toBe(true)
      expect(await isSkipped(resize(12, ...more))).toBe(false)
      expect(await isSkipped(resize(12, ...more))).toBe(true)
    }
    expect(await here.widthOf('out/a.jpg')).toBe(12)
  })

  test('reports the reason for a single input', async () => {
    const once = () => run([...resize(10), '--newer'])
    expect((await once()).stdout).toBe('a_resize.jpg\n')
    expect(await once()).toMatchObject({ stdout: '', stderr: 'mediaproc: a.jpg: a_resize.jpg is up to date\n' })
    expect((await run([...resize(10), '--newer', '--quiet'])).stderr).toBe('')
  })

  test('another secondary file, and one that changed', async () => {
    for (const [name, colour] of [
      ['w.png', '#000000'],
      ['v.png', '#ffffff'],
    ] as const)
      await picture(name, colour)
    const watermark = (name: string) => ['image', 'watermark-image', 'a.jpg', '--watermark', name]
    expect(await isSkipped(watermark('w.png'))).toBe(false)
    expect(await isSkipped(watermark('w.png'))).toBe(true)
    expect(await isSkipped(watermark('v.png'))).toBe(false)
    const { atime, mtime } = statSync(at('v.png'))
    // Older than the output, like a file that was moved here.
    copyFileSync(at('w.png'), at('v.png'))
    utimesSync(at('v.png'), atime, new Date(mtime.getTime() - 60_000))
    expect(await isSkipped(watermark('v.png'))).toBe(false)
  })

  test('a new modification time with the same content is no change, unless it is newer than the output', async () => {
    expect(await isSkipped(resize(10))).toBe(false)
    utimesSync(at('a.jpg'), 1_000_000_000, 1_000_000_000)
    expect(await isSkipped(resize(10))).toBe(true)
    utimesSync(at('a.jpg'), future, future)
    expect(await isSkipped(resize(10))).toBe(false)
  })

  test('a run without --newer does not read its inputs twice; the first run with it skips by size and time', async () => {
    // A process determines the folder of its records once.
    const cache = { MEDIAPROC_CACHE_DIR: at('cache') }
    const inputs = (): string[][] =>
      namesIn(at('cache', 'records', 'jobs'))
        .filter((name) => name.endsWith('.json'))
        .map((name) => readFileSync(at('cache', 'records', 'jobs', name), 'utf8').split('\n')[0] ?? '')
        .flatMap((record) => JSON.parse(record).inputs.map(Object.keys))
    expect((await start(resize(10), { environment: cache })).code).toBe(0)
    expect(inputs()).toEqual([['path', 'bytes', 'mtimeMs', 'ctimeMs', 'inode']])
    expect(await isSkipped(resize(10), cache, start)).toBe(true)
    expect(await isSkipped(resize(12), cache, start)).toBe(false)
    expect(inputs()).toEqual([['path', 'bytes', 'mtimeMs', 'ctimeMs', 'inode', 'hash']])
  })

  test('after a run without --newer, a new modification time is a change once', async () => {
    // Every run hashes the content of a file written at this moment.
    await setTimeout(50)
    expect((await run(resize(10))).code).toBe(0)
    utimesSync(at('a.jpg'), 1_000_000_000, 1_000_000_000)
    expect(await isSkipped(resize(10))).toBe(false)
    utimesSync(at('a.jpg'), 1_000_000_001, 1_000_000_001)
    expect(await isSkipped(resize(10))).toBe(true)
  })

  test('other inputs of a tool with several inputs, or in another order', async () => {
    await picture('b.jpg', '#00ff00')
    await picture('c.jpg', '#0000ff')
    for (const name of ['b.jpg', 'c.jpg']) utimesSync(at(name), 1_000_000_000, 1_000_000_000)
    const join = (...names: string[]) => ['image', 'stitch', ...names, '-o', 'x.jpg']
    expect(await isSkipped(join('a.jpg', 'b.jpg'))).toBe(false)
    expect(await isSkipped(join('a.jpg', 'b.jpg'))).toBe(true)
    expect(await isSkipped(join('a.jpg', 'c.jpg'))).toBe(false)
    expect(await isSkipped(join('c.jpg', 'a.jpg'))).toBe(false)
    expect(await isSkipped(join('c.jpg', 'a.jpg', 'b.jpg'))).toBe(false)
    // The first output was replaced.
    expect(await isSkipped(join('a.jpg', 'b.jpg'))).toBe(false)
  })

  test('another file at the same path, written by another run', async () => {
    await picture('b.jpg', '#00ff00')
    utimesSync(at('b.jpg'), 1_000_000_000, 1_000_000_000)
    const from = (name: string) => ['image', 'resize', name, '--width', '10', '-o', 'x.jpg']
    expect(await isSkipped(from('a.jpg'))).toBe(false)
    expect(await isSkipped(from('b.jpg'))).toBe(false)
    expect(await isSkipped(from('a.jpg'))).toBe(false)
    expect(await isSkipped(from('a.jpg'))).toBe(true)
  })

  test('a variable that selects an engine', async () => {
    expect(await isSkipped(resize(10))).toBe(false)
    expect(await isSkipped(resize(10), { MEDIAPROC_PERL: '/usr/bin/perl' })).toBe(false)
    expect(await isSkipped(resize(10), { MEDIAPROC_PERL: '/usr/bin/perl' })).toBe(true)
    expect(await isSkipped(resize(10), { MEDIAPROC_DEBUG: '1', MEDIAPROC_PERL: '/usr/bin/perl' })).toBe(true)
    // Other models create other pictures.
    expect(await isSkipped(resize(10), { MEDIAPROC_MODELS: at('m'), MEDIAPROC_PERL: '/usr/bin/perl' })).toBe(false)
  })

  test('a variable in a pipeline', async () => {
    writeFileSync(at('p.yaml'), `steps:\n  - image/text-overlay: { text: "\${WHO}" }\n`)
    const steps = ['run', 'p.yaml', 'a.jpg']
    expect(await isSkipped(steps, { WHO: 'Ada' })).toBe(false)
    expect(await isSkipped(steps, { WHO: 'Ada' })).toBe(true)
    expect(await isSkipped(steps, { WHO: 'Eva' })).toBe(false)
  })

  test('a set in its default folder, and a tool without inputs', async () => {
    const split = (cols: number) => ['image', 'split', 'a.jpg', '--cols', String(cols), '--rows', '1']
    expect(await isSkipped(split(2))).toBe(false)
    expect(await isSkipped(split(2))).toBe(true)
    const { stdout } = await run([...split(2), '--newer', '--json'])
    expect(JSON.parse(stdout).outputs.map(({ path }: { path: string }) => path)).toEqual([
      'a_split/a_r1_c1.jpg',
      'a_split/a_r1_c2.jpg',
    ])
    rmSync(at('a_split/a_r1_c2.jpg'))
    expect(await isSkipped(split(2))).toBe(false)
    expect(await isSkipped(split(3))).toBe(false)
    const code = ['image', 'qr-generate', '--data', 'x', '-o', 'q.png']
    expect(await isSkipped(code)).toBe(false)
    expect(await isSkipped(code)).toBe(true)
  })

  test('does not record a password', async () => {
    await run(['image', 'image-to-pdf', 'a.jpg', '-o', 'a.pdf'])
    const protect = ['pdf', 'protect-pdf', 'a.pdf', '--user-password', 'swordfish']
    const cache = { MEDIAPROC_CACHE_DIR: at('cache') }
    expect(await isSkipped(protect, cache, start)).toBe(false)
    expect(await isSkipped(protect, cache, start)).toBe(false)
    const kept = namesIn(at('cache')).filter((name) => name.endsWith('.json'))
    expect(kept.length).toBeGreaterThan(1)
    for (const name of kept) expect(readFileSync(at('cache', name), 'utf8')).not.toContain('swordfish')
  })

  test.each(['current', 'current/deep'])('%s through a link whose target changed, in one process', async (folder) => {
    for (const name of ['one', 'two', 'one']) {
      mkdirSync(at(name), { recursive: true })
      rmSync(at('current'), { force: true })
      symlinkSync(name, at('current'))
      const isThere = existsSync(at(folder, 'a_resize.jpg'))
      expect(await isSkipped(resize(10, '-d', folder))).toBe(isThere)
      expect(existsSync(at(folder, 'a_resize.jpg'))).toBe(true)
    }
  })

  test('a set whose folder is a link whose target changed', async () => {
    for (const name of ['one', 'two', 'one']) {
      mkdirSync(at(name), { recursive: true })
      rmSync(at('current'), { force: true })
      symlinkSync(name, at('current'))
      const isThere = namesIn(at('current')).length > 0
      expect(await isSkipped(['image', 'split', 'a.jpg', '--cols', '2', '-o', 'current'])).toBe(isThere)
      expect(namesIn(at('current'))).toHaveLength(6)
    }
  })

  test('without a folder for records, redoes everything', async () => {
    writeFileSync(at('file'), '')
    const nowhere = { MEDIAPROC_CACHE_DIR: at('file', 'cache') }
    expect(await isSkipped(resize(10), nowhere, start)).toBe(false)
    expect(await isSkipped(resize(10), nowhere, start)).toBe(false)
    expect(await isSkipped(resize(12), nowhere, start)).toBe(false)
    expect(await here.widthOf('a_resize.jpg')).toBe(12)
  })

  test('many processes at once, as started by make -j', async () => {
    const names = ['b.jpg', 'c.jpg', 'd.jpg', 'e.jpg']
    for (const name of names) await picture(name)
    const one = (name: string) => ['image', 'resize', name, '--width', '10', '-d', 'out']
    expect(await Promise.all(names.map((name) => isSkipped(one(name), {}, start)))).toEqual(names.map(() => false))
    expect(await Promise.all(names.map((name) => isSkipped(one(name), {}, start)))).toEqual(names.map(() => true))
  })
})
