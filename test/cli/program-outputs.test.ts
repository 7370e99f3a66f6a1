import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { hasExiftool } from '../../src/engines/exiftool.ts'
import { infoOf, makeAudio } from '../helpers/av.ts'
import { namesIn, type Ran, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, resize, run, widthOf } = here

describe('outputs', () => {
  test('keeps existing files unless forced', async () => {
    writeFileSync(at('a_resize.jpg'), 'precious')
    const { code, stderr } = await resize('a.jpg')
    expect(code).toBe(1)
    expect(stderr).toContain('a_resize.jpg is already there (OUTPUT_EXISTS)')
    expect(readFileSync(at('a_resize.jpg'), 'utf8')).toBe('precious')
    expect((await resize('a.jpg', '--force')).code).toBe(0)
    expect(await widthOf('a_resize.jpg')).toBe(10)
    expect(namesIn(here.path)).toEqual(['a.jpg', 'a_resize.jpg'])
  })

  test('-o replaces its file atomically, and keeps a link', async () => {
    writeFileSync(at('real.jpg'), 'old')
    symlinkSync('real.jpg', at('link.jpg'))
    expect(await resize('a.jpg', '-o', 'link.jpg')).toMatchObject({ code: 0, stdout: 'link.jpg\n' })
    expect(readlinkSync(at('link.jpg'))).toBe('real.jpg')
    expect(await widthOf('real.jpg')).toBe(10)
  })

  test.skipIf(process.platform === 'win32')('keeps the read permissions of a replaced file', async () => {
    const modeOf = (name: string): number => statSync(at(name)).mode & 0o777
    const usual = modeOf('a.jpg')
    for (const [name, ...args] of [
      ['private.jpg', '-o', 'private.jpg'],
      ['a_resize.jpg', '--force'],
      ['icons/favicon.ico', '-o', 'icons/'],
    ] as const) {
      mkdirSync(at('icons'), { recursive: true })
      writeFileSync(at(name), 'old', { mode: 0o600 })
      const ran = name.startsWith('icons') ? run(['image', 'favicon', 'a.jpg', ...args]) : resize('a.jpg', ...args)
      expect((await ran).code).toBe(0)
      expect([name, modeOf(name)]).toEqual([name, 0o600])
    }
    expect((await resize('a.jpg', '-o', 'new.jpg')).code).toBe(0)
    expect(modeOf('new.jpg')).toBe(usual)
  })

  test('-o creates a missing folder; a failed run keeps the old file', async () => {
    expect((await resize('a.jpg', '-o', 'deep/er/x.jpg')).code).toBe(0)
    const before = readFileSync(at('deep/er/x.jpg'))
    writeFileSync(at('cut.jpg'), readFileSync(at('a.jpg')).subarray(0, 150))
    expect((await resize('cut.jpg', '-o', 'deep/er/x.jpg')).code).toBe(1)
    expect(readFileSync(at('deep/er/x.jpg'))).toEqual(before)
    expect(namesIn(at('deep'))).toEqual(['er', 'er/x.jpg'])
  })

  test('a switch that selects another tool runs that tool, from a flag, --settings or the configuration', async () => {
    for (const flags of [
      ['--width', '8', '--content-aware'],
      ['--settings', '{"contentAware": true, "width": 8}'],
    ]) {
      const { code, stdout } = await run(['image', 'resize', 'a.jpg', '--force', ...flags])
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^a_seam\.\w+\n$/)])
      expect(await widthOf(stdout.trim())).toBe(8)
    }
    const { code, stderr } = await run(['image', 'resize', 'a.jpg', '--content-aware', '--fit', 'cover'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no setting --fit')])
  })

  test('the input is never the output: by its name, a link, a hard link, a pattern, another input', async () => {
    const before = readFileSync(at('a.jpg'))
    symlinkSync('a.jpg', at('soft.jpg'))
    linkSync(at('a.jpg'), at('hard.jpg'))
    for (const output of ['a.jpg', './a.jpg', 'soft.jpg', 'hard.jpg']) {
      const { code, stderr } = await resize('a.jpg', '-o', output)
      expect(code).toBe(2)
      expect(stderr).toContain('(OUTPUT_IS_INPUT)')
    }
    expect((await resize('a.jpg', '--name', '{name}', '--force')).stderr).toContain('(OUTPUT_IS_INPUT)')
    await picture('b.jpg')
    expect((await resize('b.jpg', 'a.jpg', '--name', 'a.{ext}', '--force', '-j', '1')).stderr).toMatch(
      /OUTPUT_(IS_INPUT|COLLISION)/,
    )
    expect(readFileSync(at('a.jpg'))).toEqual(before)
  })

  test('refuses a mismatching extension before any work', async () => {
    for (const [name, type] of [
      ['x.mp4', 'MP4'],
      ['x.pdf', 'PDF'],
    ]) {
      const { code, stderr } = await resize('a.jpg', '-o', name!)
      expect(code).toBe(2)
      expect(stderr).toContain(`The output is JPG, and -o ${name} says ${type} (USAGE)`)
      expect(stderr).toContain('mediaproc convert')
    }
    expect(namesIn(here.path)).toEqual(['a.jpg'])
  })

  test('-o sets the format of a tool that keeps the type: converted in the same run', async () => {
    expect(await resize('a.jpg', '-o', 'x.webp')).toMatchObject({ code: 0, stdout: 'x.webp\n', stderr: '' })
    expect(await sharp(readFileSync(at('x.webp'))).metadata()).toMatchObject({ format: 'webp', width: 10 })
    const boxes = ['--text-boxes', '[{"id":"top","text":"x"}]']
    expect(await run(['image', 'meme-generator', 'a.jpg', ...boxes, '-o', 'x.gif'])).toMatchObject({
      ...{ code: 0, stdout: 'x.gif\n' },
    })
    expect((await sharp(readFileSync(at('x.gif'))).metadata()).format).toBe('gif')
    // A quality of the tool itself is meant for the final encode.
    const noise = { width: 64, height: 64, channels: 3, background: '#808080' } as const
    await sharp({ create: { ...noise, noise: { type: 'gaussian', mean: 128, sigma: 60 } } }).toFile(at('n.png'))
    const sizeAt = async (quality: string): Promise<number> => {
      const ran = await run(['image', 'compress', 'n.png', '--quality', quality, '-o', 'n.webp'])
      expect(ran.code).toBe(0)
      return readFileSync(at('n.webp')).length
    }
    expect(await sizeAt('10')).toBeLessThan((await sizeAt('95')) / 2)
    // An unchanged type needs no second encode: JPEG's quality follows the input's.
    await resize('a.jpg', '-o', 'kept.jpg')
    await resize('a.jpg', '-d', 'out')
    expect(readFileSync(at('kept.jpg'))).toEqual(readFileSync(at('out/a_resize.jpg')))
  })

  test('-o sets the container and the codec of a video', async () => {
    const audio = await makeAudio({ seconds: 1, sampleRate: 8000 })
    expect(await run(['audio', 'reverse-audio', audio, '-o', 's.flac'])).toMatchObject({ code: 0, stdout: 's.flac\n' })
    expect((await infoOf(at('s.flac'))).streams).toMatchObject([{ codec: 'flac', sampleRate: 8000 }])
  })

  test('-o sets the format of a tool that has one', async () => {
    expect((await run(['image', 'convert', 'a.jpg', '-o', 'x.webp'])).code).toBe(0)
    expect((await sharp(readFileSync(at('x.webp'))).metadata()).format).toBe('webp')
    expect((await run(['image', 'convert', 'a.jpg', '--format', 'png', '-o', 'y.webp'])).stderr).toContain(
      'The output is PNG, and -o y.webp says WEBP',
    )
  })

  test('-o - writes only the file to standard output', async () => {
    const { code, bytes, stderr } = await resize('a.jpg', '-o', '-')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 10, height: 5 })
    expect(namesIn(here.path)).toEqual(['a.jpg'])
    expect(JSON.parse((await run(['image', 'info', 'a.jpg', '-o', '-'])).stdout)).toMatchObject({
      width: 40,
      height: 20,
    })
  })

  test.skipIf(!existsSync('/dev/full'))(
    'reports a full disk, and writes to a device instead of replacing it',
    async () => {
      expect(await resize('a.jpg', '-o', '/dev/full')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('a.jpg: The disk is full (DISK_FULL)'),
      })
      expect(await resize('a.jpg', '-o', '/dev/null')).toMatchObject({ code: 0 })
      expect(statSync('/dev/full').isCharacterDevice() && statSync('/dev/null').isCharacterDevice()).toBe(true)
    },
  )

  test('a dry run names outputs that tools name themselves, and exits as the run does', async () => {
    writeFileSync(at('t.csv'), 'a,b\n1,2\n')
    writeFileSync(at('u.csv'), 'a,b\n3,4\n')
    const cases: [string[], string][] = [
      [['files', 'csv-json', 't.csv'], 't.json'],
      [['files', 'merge-csvs', 't.csv', 'u.csv'], 'merged.csv'],
      [['image', 'qr-generate', '--data', 'x'], 'qrcode.png'],
      [['image', 'compare', 'a.jpg', 'a.jpg', '--mode', 'overlay'], 'overlay.png'],
    ]
    if (await hasExiftool()) cases.push([['image', 'edit-metadata', 'a.jpg', '--title', 'x'], 'a_edit-metadata.jpg'])
    for (const [line, output] of cases) {
      const before = await run([...line, '--dry-run', '--json'])
      expect(JSON.parse(before.stdout).planned).toEqual([{ path: output, action: 'write' }])
      expect(await run(line)).toMatchObject({ code: 0, stdout: `${output}\n` })
      for (const more of [[], ['--dry-run']])
        expect(await run([...line, ...more])).toMatchObject({
          ...{ code: 1, stdout: '' },
          stderr: expect.stringContaining(`${output} is already there (OUTPUT_EXISTS)`),
        })
    }
    for (const line of [
      ['image', 'resize', 'a.jpg', '--width', '5', '-o', 'x.mp4'],
      ['image', 'info', 'a.jpg', '-o', 'x.txt'],
    ])
      expect((await run([...line, '--dry-run'])).code).toBe((await run(line)).code)
  })

  test('refuses two inputs for one output before any work', async () => {
    mkdirSync(at('x'))
    await picture('x/a.jpg')
    const { code, stdout, stderr } = await resize('a.jpg', 'x/a.jpg', '-d', 'out')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('a.jpg and x/a.jpg would both write out/a_resize.jpg (OUTPUT_COLLISION)')
    expect(existsSync(at('out'))).toBe(false)
    const reported = await resize('a.jpg', 'x/a.jpg', '-d', 'out', '--name', '{index}_{stem}_{width}.{ext}')
    expect(reported.stdout).toBe('out/1_a_10.jpg\nout/2_a_10.jpg\n')
  })

  test('a collision found during the run fails the second job and keeps the first output', async () => {
    // BMP becomes JPEG, which is not known beforehand.
    expect((await run(['convert', 'a.jpg', 'a.bmp'])).code).toBe(0)
    const { code, stdout, stderr } = await resize('a.jpg', 'a.bmp', '-d', 'out', '--force', '-j', '1')
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'out/a_resize.jpg\n' })
    expect(stderr).toContain('a.bmp: a.jpg and a.bmp would both write out/a_resize.jpg (OUTPUT_COLLISION)')
  })

  test('a report as a file', async () => {
    expect((await run(['image', 'info', 'a.jpg', '-o', 'r.json'])).stdout).toBe('r.json\n')
    expect(JSON.parse(readFileSync(at('r.json'), 'utf8'))).toMatchObject({ width: 40 })
    expect((await run(['image', 'info', 'a.jpg', '-d', 'out'])).stdout).toBe('out/a_info.json\n')
    expect((await run(['image', 'info', 'a.jpg', '-o', 'r.txt'])).stderr).toContain(
      'The output is JSON, and -o r.txt says TXT',
    )
  })
})

describe('sets', () => {
  const favicon = (...args: string[]): Promise<Ran> => run(['image', 'favicon', 'a.jpg', ...args])

  test('a folder next to the input, atomically', async () => {
    const { code, stdout } = await favicon()
    expect(code).toBe(0)
    const [first] = stdout.split('\n')
    const set = first!.split('/')[0]!
    expect(stdout.trimEnd().split('\n').sort()).toEqual(namesIn(at(set)).map((name) => join(set, name)))
    const again = await favicon()
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is already there (OUTPUT_EXISTS)') })
    expect((await favicon('--force')).code).toBe(0)
    expect(namesIn(here.path).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('-o DIR/ adds to a folder and keeps its files', async () => {
    mkdirSync(at('icons'))
    writeFileSync(at('icons/mine.txt'), 'mine')
    const { code, stdout } = await favicon('-o', 'icons/')
    expect(code).toBe(0)
    expect(stdout).toContain('icons/favicon.ico\n')
    expect(readFileSync(at('icons/mine.txt'), 'utf8')).toBe('mine')
  })

  test('-o FILE.zip and --zip', async () => {
    expect(await favicon('-o', 'x.zip')).toMatchObject({ code: 0, stdout: 'x.zip\n' })
    expect(readFileSync(at('x.zip')).subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
    expect(readFileSync(at('x.zip')).includes('favicon.ico')).toBe(true)
    const { stdout } = await favicon('--zip', '-d', 'z')
    expect(stdout).toMatch(/^z\/[\w-]+\.zip\n$/)
    const piped = await favicon('--zip', '-o', '-')
    expect(piped.bytes.equals(readFileSync(at('x.zip')))).toBe(true)
  })

  test('refuses one output file for a set', async () => {
    expect(await favicon('-o', 'x.png')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The tool gave a set of files'),
    })
    expect(namesIn(here.path)).toEqual(['a.jpg'])
  })
})
