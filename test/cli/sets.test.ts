import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { namesIn, type Ran, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, run } = here

const split = (cols: number, rows: number, ...more: string[]): Promise<Ran> =>
  run(['image', 'split', 'a.jpg', '--cols', String(cols), '--rows', String(rows), ...more])

describe('before the work', () => {
  test('a dry run names the folder, and exits as the run does', async () => {
    expect((await split(2, 1, '--dry-run')).stdout).toContain('image/split a.jpg -> a_split/ ')
    expect((await split(2, 1, '--dry-run', '-d', 'out')).stdout).toContain('-> out/a_split/ ')
    expect((await split(2, 1, '--dry-run', '--zip')).stdout).toContain('-> a_split.zip ')
    await split(2, 1)
    for (const more of [[], ['--dry-run']])
      expect(await split(2, 1, ...more)).toMatchObject({
        ...{ code: 1, stdout: '' },
        stderr: expect.stringContaining('a_split is already there (OUTPUT_EXISTS)'),
      })
    const again = await split(3, 1, '--dry-run', '--newer', '--json')
    expect(JSON.parse(again.stdout).planned).toEqual([
      { path: 'a_split/', action: 'replace', reason: 'the setting cols was 2 and is 3' },
    ])
  })

  test('refuses two sets of one name', async () => {
    writeFileSync(at('a.jpeg'), readFileSync(at('a.jpg')))
    const ran = await run(['image', 'split', 'a.jpg', 'a.jpeg', '--cols', '2', '--rows', '1'])
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('would both write a_split') })
    expect(namesIn(here.path)).toEqual(['a.jpeg', 'a.jpg'])
  })
})

describe('a set into an existing folder', () => {
  test.each(['--force', '--newer'])('%s writes the set and changes nothing else', async (flag) => {
    mkdirSync(at('a_split/deep'), { recursive: true })
    for (const name of ['mine.txt', 'deep/mine.txt']) writeFileSync(at('a_split', name), 'mine')
    expect((await split(2, 1, flag)).code).toBe(0)
    for (const name of ['mine.txt', 'deep/mine.txt']) expect(readFileSync(at('a_split', name), 'utf8')).toBe('mine')
    expect(namesIn(at('a_split')).filter((name) => name.endsWith('.jpg')).length).toBe(2)
    expect(namesIn(here.path).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test.each(['--force', '--newer'])('%s keeps an input that is inside it', async (flag) => {
    mkdirSync(at('a_split'))
    writeFileSync(at('a_split/a.jpg'), readFileSync(at('a.jpg')))
    const ran = await run(['image', 'split', 'a_split/a.jpg', '--cols', '2', '--rows', '2', '-d', '.', flag])
    expect(ran.code).toBe(0)
    expect(readFileSync(at('a_split/a.jpg'))).toEqual(readFileSync(at('a.jpg')))
    expect(namesIn(at('a_split')).length).toBe(5)
  })

  test('refuses an input at the path of a member or its folder, and changes nothing', async () => {
    await split(2, 1)
    const [first] = readdirSync(at('a_split')).sort()
    renameSync(at('a.jpg'), at('a_split', first!))
    const before = readFileSync(at('a_split', first!))
    symlinkSync(`a_split/${first}`, at('a.jpg'))
    const ran = await split(3, 1, '--force')
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('(OUTPUT_IS_INPUT)') })
    expect(readFileSync(at('a_split', first!))).toEqual(before)
    expect(namesIn(at('a_split')).length).toBe(2)
  })

  test('keeps a link to a folder', async () => {
    mkdirSync(at('elsewhere'))
    writeFileSync(at('elsewhere/mine.txt'), 'mine')
    symlinkSync('elsewhere', at('a_split'))
    expect((await split(2, 1, '--force')).code).toBe(0)
    expect(lstatSync(at('a_split')).isSymbolicLink()).toBe(true)
    expect(namesIn(at('elsewhere')).length).toBe(3)
  })

  test('keeps a file at the path of the folder', async () => {
    writeFileSync(at('a_split'), 'mine')
    const ran = await split(2, 1, '--force')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('a_split exists and is not a folder') })
    expect(readFileSync(at('a_split'), 'utf8')).toBe('mine')
  })

  test('removes members of an earlier run of the same set, unless they were edited', async () => {
    await split(3, 2)
    const before = readdirSync(at('a_split')).sort()
    writeFileSync(at('a_split', before[4]!), 'changed by hand')
    writeFileSync(at('a_split/mine.txt'), 'mine')
    const { stdout } = await split(2, 1, '--force')
    const made = stdout
      .trim()
      .split('\n')
      .map((path) => path.replace('a_split/', ''))
    expect(namesIn(at('a_split'))).toEqual([...made, before[4], 'mine.txt'].sort())
  })

  test('keeps another set in the same folder', async () => {
    await here.picture('b.jpg', '#0040c0')
    await split(2, 1, '-o', 'tiles/')
    const first = namesIn(at('tiles'))
    const other = await run(['image', 'split', 'b.jpg', '--cols', '3', '--rows', '1', '-o', 'tiles/', '--force'])
    expect(other.code).toBe(0)
    for (const name of first) expect(existsSync(at('tiles', name))).toBe(true)
  })

  test('-d with --zip only replaces its archive', async () => {
    await split(2, 1, '--zip')
    writeFileSync(at('mine.txt'), 'mine')
    expect((await split(3, 1, '--zip', '--force')).code).toBe(0)
    expect(namesIn(here.path)).toEqual(['a.jpg', 'a_split.zip', 'mine.txt'])
  })
})

describe('a kill at every step', { timeout: 240_000 }, () => {
  const hook = pathToFileURL(fileURLToPath(new URL('../helpers/crash-injection.mjs', import.meta.url))).href
  const killedAt = (step: number, args: readonly string[]): Promise<Ran> =>
    here.start(args, { environment: { NODE_OPTIONS: `--import=${hook}`, KILL_AT: String(step) } })
  const contents = (): Map<string, string> =>
    new Map(readdirSync(at('a_split')).map((name) => [name, readFileSync(at('a_split', name)).toString('base64')]))

  test('loses neither old nor new files, and the next run completes the work', async () => {
    const wide = ['image', 'split', 'a.jpg', '--cols', '3', '--rows', '1', '--newer']
    await run(wide)
    const finished = contents()
    rmSync(at('a_split'), { recursive: true })
    let kills = 0
    for (;;) {
      await split(2, 2, '--force')
      writeFileSync(at('a_split/mine.txt'), 'mine')
      const old = contents()
      const { code } = await killedAt(kills + 1, wide)
      const now = contents()
      expect(readFileSync(at('a_split/mine.txt'), 'utf8')).toBe('mine')
      for (const [name, bytes] of now) expect([old.get(name), finished.get(name)]).toContain(bytes)
      for (const name of [...old.keys()].filter((one) => finished.has(one))) expect(now.has(name)).toBe(true)
      if (code === 0) break
      expect(code).toBe(137)
      kills += 1
      expect((await run(wide)).code).toBe(0)
      const after = contents()
      after.delete('mine.txt')
      expect(after).toEqual(finished)
    }
    // Three members, two leftovers, and the records before and after.
    expect(kills).toBeGreaterThan(6)
  })
})
