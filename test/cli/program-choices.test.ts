import { mkdirSync, readFileSync, realpathSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, resize, run } = here

describe('--newer and --dry-run', () => {
  const touch = (name: string, seconds: number): void => utimesSync(at(name), seconds, seconds)

  test('skips up-to-date outputs, and replaces those older than an input', async () => {
    await resize('a.jpg', '--newer')
    touch('a_resize.jpg', 2_000_000_000)
    const before = statSync(at('a_resize.jpg')).ino
    const record = JSON.parse((await resize('a.jpg', '--newer', '--json')).stdout)
    expect(record).toMatchObject({ ok: true, skipped: true, outputs: [{ path: 'a_resize.jpg', type: 'image/jpeg' }] })
    expect(statSync(at('a_resize.jpg')).ino).toBe(before)
    touch('a.jpg', 4_000_000_000)
    expect(await resize('a.jpg', '--newer')).toMatchObject({
      stdout: 'a_resize.jpg\n',
      stderr: 'mediaproc: a.jpg: made again: is newer than the output\n',
    })
    expect(statSync(at('a_resize.jpg')).ino).not.toBe(before)
  })

  test('an existing output without a record does not prove that the input is readable', async () => {
    writeFileSync(at('broken.jpg'), 'no picture')
    writeFileSync(at('x.jpg'), 'made earlier')
    touch('broken.jpg', 1_000_000_000)
    expect((await resize('broken.jpg', '--newer', '-o', 'x.jpg')).code).toBe(1)
    expect(readFileSync(at('x.jpg'), 'utf8')).toBe('made earlier')
  })

  test('a batch counts them', async () => {
    await picture('b.png')
    await resize('a.jpg')
    expect((await resize('a.jpg', 'b.png', 'absent.png', '--newer')).stderr).toContain(
      'mediaproc: 1 done, 1 failed, 1 skipped\n',
    )
  })

  test('a dry run prints and does nothing', async () => {
    const { code, stdout } = await resize('a.jpg', '-o', 'x/y.jpg', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^image\/resize a\.jpg -> x\/y\.jpg \{.*"width":10.*\}\n$/)
    // With the exit code of the run itself.
    expect(await resize('absent.jpg', '--dry-run')).toMatchObject({ code: 1, stdout: '' })
    expect(namesIn(here.path)).toEqual(['a.jpg'])
  })

  test('a dry run shows what would be skipped, replaced and written, and why', async () => {
    await resize('a.jpg')
    const line = async (...args: string[]): Promise<string> => (await resize(...args, '--dry-run')).stdout
    expect(await line('a.jpg', '--newer')).toMatch(/ -> a_resize\.jpg \{.*\} \(skipped: up to date\)\n$/)
    expect(await line('a.jpg', '--newer', '--height', '5')).toMatch(
      / -> a_resize\.jpg \{.*\} \(replaced: the setting height is new: 5\)\n$/,
    )
    expect(await line('a.jpg', '--force')).toMatch(/ -> a_resize\.jpg \{.*\} \(replaced\)\n$/)
    await run(['image', 'split', 'a.jpg', '--cols', '3', '--rows', '2'])
    const split = await run(['image', 'split', 'a.jpg', '--cols', '3', '--rows', '2', '--newer', '--dry-run'])
    expect(split.stdout).toMatch(/ -> a_split\/a_r1_c1\.jpg, .*, 3 more \{.*\} \(skipped: up to date\)\n$/)
  })

  test('a dry run as records, with the exit code of the run', async () => {
    await picture('b\u001b.jpg')
    await resize('a.jpg')
    writeFileSync(at('empty.jpg'), '')
    const names = ['a.jpg', 'b\u001b.jpg', 'empty.jpg', 'absent.jpg']
    const ran = await resize(...names, '--dry-run', '--json')
    const records = ran.stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(records).toMatchObject([
      { ok: false, error: { code: 'OUTPUT_EXISTS' } },
      { ok: true, outputs: [], planned: [{ path: 'b\u001b_resize.jpg', action: 'write' }] },
      { ok: false, error: { code: 'EMPTY_FILE' } },
      { ok: false, error: { code: 'FILE_NOT_FOUND' } },
    ])
    expect(ran.stdout).not.toContain('\u001b')
    expect(namesIn(here.path)).toEqual([...names.filter((name) => name !== 'absent.jpg'), 'a_resize.jpg'].sort())
    const real = await resize(...names, '--json')
    expect(real.code).toBe(ran.code)
    const codes = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one).error?.code)
    expect(codes(real.stdout)).toEqual(codes(ran.stdout))
  })
})

describe('sources of settings', () => {
  test('configuration, --settings and flags, in this order', async () => {
    writeFileSync(
      at('mediaproc.config.yaml'),
      'outputDir: made\nname: "{stem}-{width}.{ext}"\ndefaults:\n  image/resize: { width: 12, fit: fill }\n',
    )
    writeFileSync(at('s.yaml'), 'width: 13\n')
    expect((await run(['image', 'resize', 'a.jpg'])).stdout).toBe('made/a-12.jpg\n')
    expect((await run(['image', 'resize', 'a.jpg', '--settings', '@s.yaml'])).stdout).toBe('made/a-13.jpg\n')
    expect(
      (await run(['image', 'resize', 'a.jpg', '--settings', '{"width":14}', '--width', '15', '-d', 'here'])).stdout,
    ).toBe('here/a-15.jpg\n')
    const shown = JSON.parse((await run(['config', '--json'])).stdout)
    const path = realpathSync(at('mediaproc.config.yaml'))
    expect(shown.file).toBe(path)
    expect(shown.settings).toContainEqual({
      name: 'outputDir',
      value: join(realpathSync(here.path), 'made'),
      source: path,
    })
  })

  test('an invalid configuration stops the run', async () => {
    writeFileSync(at('.mediaprocrc'), 'quite: true')
    expect(await resize('a.jpg')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no setting quite (INVALID_CONFIG)\n  Did you mean quiet?'),
    })
  })
})

describe('convert', () => {
  test('IN OUT, and IN… --to EXT', async () => {
    await picture('b.png')
    expect(await run(['convert', 'a.jpg', 'x.webp', '--quality', '50'])).toMatchObject({ code: 0, stdout: 'x.webp\n' })
    expect((await sharp(readFileSync(at('x.webp'))).metadata()).format).toBe('webp')
    expect((await run(['convert', 'a.jpg', 'b.png', '--to', '.webp', '-d', 'out'])).stdout).toBe(
      'out/a.webp\nout/b.webp\n',
    )
    expect((await run(['convert', 'b.png', '-o', 'y.jpg'])).stdout).toBe('y.jpg\n')
  })

  test('keeps an existing OUT unless forced; -o replaces it', async () => {
    await picture('b.jpg', '#0000ff')
    const before = readFileSync(at('b.jpg'))
    // What a shell makes of `convert *.jpg`.
    expect(await run(['convert', 'a.jpg', 'b.jpg'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('b.jpg is already there (OUTPUT_EXISTS)'),
    })
    expect(readFileSync(at('b.jpg'))).toEqual(before)
    for (const args of [
      ['a.jpg', 'x.webp'],
      ['a.jpg', 'x.webp', '--force'],
      ['a.jpg', '-o', 'x.webp'],
      ['a.jpg', 'x.webp', '--newer', '--quality', '30'],
    ])
      expect(await run(['convert', ...args])).toMatchObject({ code: 0, stdout: 'x.webp\n' })
  })

  test('DIR/ after the inputs, or an existing folder, is the output folder', async () => {
    await picture('b.png')
    expect(await run(['convert', 'a.jpg', 'b.png', 'out/', '--to', 'webp'])).toMatchObject({
      code: 0,
      stdout: 'out/a.webp\nout/b.webp\n',
    })
    expect((await run(['convert', 'a.jpg', 'out', '--to', 'bmp'])).stdout).toBe('out/a.bmp\n')
    expect(await run(['convert', 'a.jpg', 'out/'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('mediaproc convert photo.heic out/ --to jpg'),
    })
  })

  test('-r accepts folders: their convertible files, in the same subfolders', async () => {
    mkdirSync(at('in/deep'), { recursive: true })
    await picture('in/b.png')
    await picture('in/deep/c.jpg')
    writeFileSync(at('in/drawing.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    writeFileSync(at('in/notes.txt'), 'no picture')
    const { code, stdout } = await run(['convert', 'in', '-r', '--to', 'webp', '-d', 'out'])
    expect(code).toBe(0)
    expect(stdout.trim().split('\n').sort()).toEqual(['out/b.webp', 'out/deep/c.webp', 'out/drawing.webp'])
    expect(await run(['convert', 'in', '--to', 'webp'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('in is a folder, not a file (IS_A_FOLDER)'),
    })
  })

  test('detects the type of a name without an extension from its content', async () => {
    writeFileSync(at('noext'), readFileSync(at('a.jpg')))
    expect((await run(['convert', 'noext', 'x.png'])).code).toBe(0)
    expect((await sharp(readFileSync(at('x.png'))).metadata()).format).toBe('png')
  })
})
