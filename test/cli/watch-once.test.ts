// biome-ignore-all lint/suspicious/noTemplateCurlyInString: parameters of pipelines look like that
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { toolFlags } from '../../src/cli/input/flags.ts'
import { WATCH_SETTINGS, WATCH_TOOL_OPTIONS } from '../../src/cli/input/watch-options.ts'
import { RECORD_SCHEMA } from '../../src/cli/output/record-schema.ts'
import { catalogue } from '../../src/tool/registry.ts'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()
const { at, picture, widthOf } = here

const ONCE = ['--once', '--settle', '20']
const watch = (...args: string[]) => here.run(['watch', ...args, ...ONCE])
const resize = (...args: string[]) => watch('image', 'resize', 'in', '--width', '10', ...args)
const linesOf = (text: string): string[] => text.trimEnd().split('\n').sort()

beforeEach(() => {
  mkdirSync(at('in', 'sub'), { recursive: true })
  renameSync(at('a.jpg'), at('in', 'a.jpg'))
})

describe('watch --once', () => {
  test('processes what is not yet done, mirrors folders, and notes other files once', async () => {
    await picture('in/sub/b.png')
    for (const name of ['notes.txt', 'more.txt', '.hidden.jpg', 'c.jpg.part', 'd.jpg~', '~$e.jpg'])
      writeFileSync(at('in', name), 'text')
    const first = await resize('-d', 'out')
    expect([first.code, linesOf(first.stdout)]).toEqual([0, ['out/a_resize.jpg', 'out/sub/b_resize.png']])
    expect(linesOf(first.stderr)).toEqual([
      'mediaproc: 2 done',
      expect.stringMatching(/^mediaproc: 2 files, .* → /),
      'mediaproc: in/more.txt is skipped: image/resize does not take files of this type; so are others',
    ])
    expect(await widthOf('out/sub/b_resize.png')).toBe(10)
    await picture('in/new.jpg')
    const second = await resize('-d', 'out')
    expect([second.code, second.stdout]).toEqual([0, 'out/new_resize.jpg\n'])
    expect(second.stderr).toContain('1 done, 2 skipped')
    expect(namesIn(at('out'))).toEqual(['a_resize.jpg', 'new_resize.jpg', 'sub', 'sub/b_resize.png'])
  })

  test('the tool may follow --, and its options are those of the tool', async () => {
    const ran = await watch('in', '-d', 'out', '--json', '--', 'image', 'resize', '--width', '12')
    expect(JSON.parse(ran.stdout)).toMatchObject({ tool: 'image/resize', input: 'in/a.jpg', ok: true })
    expect(await widthOf('out/a_resize.jpg')).toBe(12)
    expect((await watch('image/convert', 'in', '-d', 'out', '--format', 'png')).stdout).toBe('out/a.png\n')
  })

  test.each([
    ['next to the inputs', []],
    ['in the watched folder', ['-d', 'in']],
    ['in a subfolder of it', ['-d', 'in/out']],
    ['above it, by name', ['-d', '.', '--name', '{dir}/{stem}_x.{ext}']],
  ])('outputs are no inputs: %s', async (_where, options) => {
    expect((await resize(...options)).stdout.trimEnd().split('\n')).toHaveLength(1)
    const before = namesIn(here.path)
    for (const again of [await resize(...options), await resize(...options)]) {
      expect([again.code, again.stdout]).toEqual([0, ''])
      expect(again.stderr).toBe('')
    }
    expect(namesIn(here.path).filter((name) => !name.startsWith('.cache'))).toEqual(
      before.filter((name) => !name.startsWith('.cache')),
    )
  })

  test('an output that was edited is an input, and an output that moved away is made again', async () => {
    await resize('-d', 'in')
    await picture('in/a_resize.jpg', '#0000ff')
    expect((await resize('-d', 'in')).stdout).toContain('in/a_resize_resize.jpg')
  })

  test('runs a pipeline on its own inputs, with parameters', async () => {
    const steps = 'params: { width: 5 }\nsteps: [{ image/resize: { width: "${width}" } }]\n'
    writeFileSync(at('web.yaml'), `inputs: ["in/*.jpg"]\n${steps}output: "in/web/{stem}-w.{ext}"\n`)
    await picture('in/sub/no.jpg')
    expect((await watch('web.yaml')).stdout).toBe('in/web/a-w.jpg\n')
    expect(await widthOf('in/web/a-w.jpg')).toBe(5)
    const again = await watch('web.yaml', '--set', 'width=7')
    expect([again.stdout, await widthOf('in/web/a-w.jpg')]).toEqual(['in/web/a-w.jpg\n', 7])
    expect((await watch('web.yaml', 'in', '-d', 'o', '--name', '{stem}.{ext}')).code).toBe(0)
    expect(namesIn(at('o'))).toEqual(['a.jpg', 'sub', 'sub/no.jpg', 'sub/no.jpg'].slice(0, 3))
  })

  test('two files with the same output: the first one has it until it is deleted', async () => {
    await picture('in/a.png')
    const { code, stdout, stderr } = await watch('image', 'convert', 'in', '-d', 'out', '--format', 'webp', '-j', '1')
    expect([code, stdout]).toEqual([1, 'out/a.webp\n'])
    expect(stderr).toContain('in/a.jpg and in/a.png would both write out/a.webp (OUTPUT_COLLISION)')
  })

  test('does not follow links out of the folder', async () => {
    await picture('secret.jpg')
    mkdirSync(at('other'))
    copyFileSync(at('secret.jpg'), at('other', 'x.jpg'))
    symlinkSync('../secret.jpg', at('in', 'link.jpg'))
    symlinkSync('../other', at('in', 'folder'))
    symlinkSync('circle.jpg', at('in', 'circle.jpg'))
    symlinkSync('a.jpg', at('in', 'same.jpg'))
    const { stdout, stderr } = await resize('-d', 'out')
    expect(linesOf(stdout)).toEqual(['out/a_resize.jpg', 'out/same_resize.jpg'])
    expect(stderr).toContain('mediaproc: in/link.jpg is skipped: it is a link to a file outside in; so are others\n')
  })

  test('leaves files that are empty or still being written to the next run', async () => {
    writeFileSync(at('in', 'empty.jpg'), '')
    const whole = readFileSync(at('in', 'a.jpg'))
    writeFileSync(at('in', 'growing.jpg'), whole)
    let running = true
    const writer = (async () => {
      while (running) {
        appendFileSync(at('in', 'growing.jpg'), 'x')
        await setTimeout(2)
      }
    })()
    const ran = await here.run([
      'watch',
      'image',
      'resize',
      'in',
      '--width',
      '9',
      '-d',
      'out',
      '--once',
      '--settle',
      '150',
    ])
    running = false
    await writer
    expect([ran.code, ran.stdout]).toEqual([0, 'out/a_resize.jpg\n'])
    expect(ran.stderr).toBe('mediaproc: 2 files are still being written; the next run processes them\n')
    copyFileSync(at('in', 'a.jpg'), at('in', 'empty.jpg'))
    expect(linesOf((await resize('-d', 'out')).stdout)).toContain('out/empty_resize.jpg')
  })
})

describe('hot folders', () => {
  test('moves originals without overwriting, with the reason of a failure', async () => {
    for (const name of ['done', 'failed/sub']) mkdirSync(at(name), { recursive: true })
    for (const name of ['done/a.jpg', 'failed/sub/bad.jpg', 'failed/sub/bad_2.jpg.txt']) writeFileSync(at(name), 'mine')
    writeFileSync(at('in', 'sub', 'bad.jpg'), 'no picture')
    const ran = await resize('-d', 'out', '--done', 'done', '--failed', 'failed', '--json', '-j', '1')
    const records = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const known = Object.keys(RECORD_SCHEMA.properties)
    for (const record of records) expect(Object.keys(record).filter((key) => !known.includes(key))).toEqual([])
    expect([ran.code, records.map(({ ok, moved }) => [ok, moved])]).toEqual([
      1,
      [
        [true, 'done/a_2.jpg'],
        [false, 'failed/sub/bad_2.jpg'],
      ],
    ])
    expect(namesIn(at('in'))).toEqual(['sub'])
    expect(namesIn(at('done'))).toEqual(['a.jpg', 'a_2.jpg'])
    const reason = readFileSync(at('failed', 'sub', 'bad_2.jpg_2.txt'), 'utf8')
    expect(reason).toMatch(
      /^bad\.jpg was not processed by image\/resize, at 20.*\n\n.*plain text.*UNSUPPORTED_FILE_TYPE/,
    )
    for (const name of ['done/a.jpg', 'failed/sub/bad.jpg', 'failed/sub/bad_2.jpg.txt'])
      expect(readFileSync(at(name), 'utf8')).toBe('mine')
  })

  test('folders inside the watched one are no inputs, and a file can be dropped again', async () => {
    const args = ['-d', 'in/out', '--done', 'in/done', '--failed', 'in/failed']
    writeFileSync(at('in', 'bad.jpg'), 'no picture')
    expect((await resize(...args)).code).toBe(1)
    const again = await resize(...args)
    expect([again.code, again.stdout, again.stderr]).toEqual([0, '', ''])
    renameSync(at('in', 'done', 'a.jpg'), at('in', 'a.jpg'))
    expect((await resize(...args)).code).toBe(0)
    expect(readdirSync(at('in', 'done'))).toEqual(['a.jpg'])
  })

  test('an original stays if the machine is at fault', async () => {
    writeFileSync(at('in', 'a.wav'), 'RIFF\u0024\0\0\0WAVEfmt ')
    const ran = await here.run(['watch', 'audio', 'reverse-audio', 'in', '-d', 'out', '--failed', 'failed', ...ONCE], {
      environment: { MEDIAPROC_FFMPEG: at('none'), MEDIAPROC_FFPROBE: at('none') },
    })
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('INVALID_CONFIG')])
    expect([existsSync(at('failed')), existsSync(at('in', 'a.wav'))]).toEqual([false, true])
  })
})

describe('usage', () => {
  test.each([
    [[], 'Expected a pipeline or a tool directly after watch, got nothing'],
    [['image'], 'Expected a pipeline or a tool directly after watch, got image'],
    [['image', 'resize', '--width', '9'], 'Expected a folder to watch, got nothing'],
    [['image', 'resize', '-', '--width', '9'], 'Expected a folder to watch, got -'],
    [['image', 'resize', 'https://a.example/b.jpg', '--width', '9'], 'Expected a folder to watch, got https:'],
    [['image', 'resize', 'absent', '--width', '9'], 'absent does not exist'],
    [['image', 'resize', 'in'], 'INVALID_SETTINGS'],
    [['image', 'resize', 'in', '--width', '9', '-o', 'x.jpg'], 'There is no option -o'],
    [['image', 'resize', 'in', '--width', '9', '--setle', '4'], 'Did you mean --settle?'],
    [
      ['image', 'resize', 'in', '--width', '9', '--settle', '0'],
      'Expected an integer from 1 to 3600000 for --settle, got 0',
    ],
    [
      ['image', 'resize', 'in', '--width', '9', '--poll', '5ms'],
      'Expected an integer from 10 to 3600000 for --poll, got 5',
    ],
    [['image', 'resize', 'in', '--width', '9', '--name', '{index}.jpg'], 'A watch does not number its inputs'],
    [['image', 'resize', 'in', '--width', '9', '--done', '.'], '--done . contains the watched folder in'],
    [['image', 'resize', 'in', '--width', '9', '--failed', 'in'], '--failed in contains the watched folder in'],
    [['image', 'qr-generate', 'in', '--data', 'x'], 'takes no input file, so there is nothing to watch'],
    [['pdf', 'merge-pdf', 'in'], 'watch processes each file alone'],
    [['web.yaml', 'in'], 'web.yaml does not exist'],
  ])('%j', async (args, sentence) => {
    const { code, stderr, stdout } = await here.run(['watch', ...args])
    expect([[1, 2].includes(code), stdout]).toEqual([true, ''])
    expect(stderr).toContain(sentence)
    expect(namesIn(here.path)).toEqual(['in', 'in/a.jpg', 'in/sub'])
  })

  test('--poll alone, and as a number with its unit', async () => {
    for (const poll of [['--poll'], ['--poll', '1s'], ['--poll=500']])
      expect((await resize('-d', 'out', ...poll)).code).toBe(0)
  })

  test('no tool has a setting with the name of an option of watch', () => {
    for (const { id, settings, input } of catalogue())
      for (const name of Object.keys(WATCH_SETTINGS)) {
        const flags = toolFlags({ ...settings }, input.secondary ?? {}, WATCH_TOOL_OPTIONS)
        expect([id, flags.find(({ long }) => long === name)]).toEqual([id, undefined])
      }
  })
})
