import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { namesIn, startProgram, statusOf, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()

const SMALL = 'steps:\n  - image/resize: { width: 10 }\n  - image/convert: { format: png }\n'
const VARIANTS = `steps:
  - image/rotate: { angle: 90 }
variants:
  - { name: full, steps: [{ image/convert: { format: png } }] }
  - { name: thumb, steps: [{ image/resize: { width: 5 } }, { image/convert: { format: webp } }] }
output: "dist/{variant}/{stem}.{ext}"
`

const pipeline = (name: string, text: string): void => writeFileSync(here.at(name), text)
const records = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('mediaproc run', () => {
  test('one input without a template: next to it, named after the pipeline', async () => {
    pipeline('small.yaml', SMALL)
    expect(await here.run(['run', 'small.yaml', 'a.jpg'])).toMatchObject({
      code: 0,
      stdout: 'a_small.png\n',
      stderr: '',
    })
    expect(await here.widthOf('a_small.png')).toBe(10)
    expect(namesIn(here.path)).toEqual(['a.jpg', 'a_small.png', 'small.yaml'])
  })

  test('from standard input, with files relative to the current folder', async () => {
    expect(await here.start(['run', '-', 'a.jpg'], { stdin: SMALL })).toMatchObject({
      code: 0,
      stdout: 'a_stdin.png\n',
    })
    expect(await here.widthOf('a_stdin.png')).toBe(10)
    const twice = await here.run(['run', '-', '-'], { stdin: SMALL })
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('can be read only once (USAGE)') })
    const wrong = await here.run(['pipeline', 'validate', '-'], { stdin: 'steps: [image/resiz]' })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no tool image/resiz') })
  })

  test('-o, -o -, -d and --name', async () => {
    pipeline('small.yaml', SMALL)
    expect((await here.run(['run', 'small.yaml', 'a.jpg', '-o', 'b.png'])).stdout).toBe('b.png\n')
    const { bytes } = await here.start(['run', 'small.yaml', 'a.jpg', '-o', '-'])
    expect(bytes.equals(readFileSync(here.at('b.png')))).toBe(true)
    expect(
      (await here.run(['run', 'small.yaml', 'a.jpg', '-d', 'out', '--name', '{pipeline}-{width}-{stem}'])).stdout,
    ).toBe('out/small-10-a.png\n')
    const wrong = await here.run(['run', 'small.yaml', 'a.jpg', '-o', 'b.jpg'])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('The output is PNG, and -o b.jpg says JPG (USAGE)')
  })

  test('variants use their template; records name them and the steps', async () => {
    pipeline('web.yaml', VARIANTS)
    await here.picture('b.png')
    const { code, stdout } = await here.run(['run', 'web.yaml', 'a.jpg', 'b.png', '--json'])
    expect(code).toBe(0)
    const [one, two] = records(stdout)
    expect(one).toMatchObject({
      tool: 'pipeline/web',
      input: 'a.jpg',
      ok: true,
      outputs: [
        { path: 'dist/full/a.png', type: 'image/png', variant: 'full' },
        { path: 'dist/thumb/a.webp', type: 'image/webp', variant: 'thumb' },
      ],
      steps: [
        { step: 1, tool: 'image/rotate', fused: 1 },
        { step: 2, tool: 'image/convert', variant: 'full', fused: 1 },
        { step: 2, tool: 'image/resize', variant: 'thumb', fused: 2 },
        { step: 3, tool: 'image/convert', variant: 'thumb', fused: 2 },
      ],
    })
    expect(two).toMatchObject({ input: 'b.png', ok: true })
    expect(await here.widthOf('dist/thumb/b.webp')).toBe(5)
    expect(await here.widthOf('dist/full/b.png')).toBe(20)
  })

  test('inputs of the pipeline itself are relative to it; its own outputs are not inputs', async () => {
    mkdirSync(here.at('deep/photos/x'), { recursive: true })
    for (const name of ['deep/photos/1.jpg', 'deep/photos/x/2.jpg']) await here.picture(name)
    pipeline(
      'deep/p.yaml',
      `inputs: ["photos/**/*.jpg"]\noutput: "deep/photos/out/{stem}.{ext}"\n${SMALL.replace('png', 'jpg')}`,
    )
    for (const force of [[], ['--force']])
      expect(await here.run(['run', 'deep/p.yaml', ...force])).toMatchObject({
        code: 0,
        stdout: 'deep/photos/out/1.jpg\ndeep/photos/out/2.jpg\n',
      })
    expect((await here.run(['run', 'deep/p.yaml', 'a.jpg', '--name', '{dir}/{stem}-x.{ext}'])).stdout).toBe('a-x.jpg\n')
    const named = await here.run(['run', 'deep/p.yaml', '-r', 'deep/photos/x', '--name', 'all/{dir}/{stem}.{ext}'])
    expect(named.stdout).toContain('all/deep/photos/x/2.jpg\n')
  })

  test('--newer skips up-to-date variants, and considers the pipeline and its files', async () => {
    pipeline('web.yaml', VARIANTS)
    const run = (...more: string[]) => here.run(['run', 'web.yaml', 'a.jpg', '--newer', '--json', ...more])
    expect(records((await run()).stdout)[0]).not.toHaveProperty('skipped')
    expect(records((await run()).stdout)[0]).toMatchObject({
      skipped: true,
      outputs: [{ path: 'dist/full/a.png' }, { path: 'dist/thumb/a.webp' }],
    })
    const past = new Date(Date.now() - 60_000)
    for (const name of ['a.jpg', 'web.yaml']) utimesSync(here.at(name), past, past)
    const before = statSync(here.at('dist/full/a.png')).mtimeMs
    writeFileSync(here.at('dist/thumb/a.webp'), 'old')
    utimesSync(here.at('dist/thumb/a.webp'), new Date(0), new Date(0))
    const [again] = records((await run()).stdout)
    expect(again).not.toHaveProperty('skipped')
    expect(statSync(here.at('dist/full/a.png')).mtimeMs).toBe(before)
    expect(await here.widthOf('dist/thumb/a.webp')).toBe(5)
    const future = new Date(Date.now() + 60_000)
    utimesSync(here.at('web.yaml'), future, future)
    expect(records((await run()).stdout)[0]).not.toHaveProperty('skipped')
  })

  test('--dry-run prints the planned outputs and writes nothing', async () => {
    pipeline('web.yaml', VARIANTS)
    expect(await here.run(['run', 'web.yaml', 'a.jpg', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: 'pipeline/web a.jpg -> dist/full/a.png, dist/thumb/a.webp\n',
    })
    expect(existsSync(here.at('dist'))).toBe(false)
  })

  test('--dry-run escapes control characters in names', async () => {
    pipeline('small.yaml', SMALL)
    await here.picture('\u001b[31mx.jpg')
    expect(await here.run(['run', 'small.yaml', '\u001b[31mx.jpg', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: 'pipeline/small \\u001b[31mx.jpg -> \\u001b[31mx_small.png\n',
    })
  })

  test('one invalid input does not stop the others, and leaves nothing', async () => {
    pipeline('web.yaml', VARIANTS)
    writeFileSync(here.at('bad.jpg'), readFileSync(here.at('a.jpg')).subarray(0, 200))
    const { code, stdout, stderr } = await here.run(['run', 'web.yaml', 'bad.jpg', 'a.jpg', 'none.jpg'])
    expect(code).toBe(1)
    expect(stdout).toBe('dist/full/a.png\ndist/thumb/a.webp\n')
    expect(stderr).toContain('bad.jpg: step 1 (image/rotate): bad.jpg cannot be read')
    expect(stderr).toContain('none.jpg: does not exist (FILE_NOT_FOUND)')
    expect(stderr).toContain('1 done, 2 failed')
    expect(namesIn(here.at('dist'))).toEqual(['full', 'full/a.png', 'thumb', 'thumb/a.webp'])
  })

  test('keeps existing files unless forced; refuses two outputs of one name before any work', async () => {
    pipeline('web.yaml', VARIANTS)
    mkdirSync(here.at('dist/thumb'), { recursive: true })
    writeFileSync(here.at('dist/thumb/a.webp'), 'precious')
    const { code, stderr } = await here.run(['run', 'web.yaml', 'a.jpg'])
    expect(code).toBe(1)
    expect(stderr).toContain('dist/thumb/a.webp is already there (OUTPUT_EXISTS)')
    expect(existsSync(here.at('dist/full'))).toBe(false)
    expect((await here.run(['run', 'web.yaml', 'a.jpg', '--force'])).code).toBe(0)
    const same = await here.run(['run', 'web.yaml', 'a.jpg', '--name', 'x.png', '-d', 'y'])
    expect(same.code).not.toBe(0)
    // By the pattern of the command line; that of the pipeline itself is checked before.
    pipeline('same.yaml', VARIANTS.replace('webp', 'png'))
    const collision = await here.run(['run', 'same.yaml', 'a.jpg', '--name', 'dist/{stem}.{ext}'])
    expect(collision.code).toBe(2)
    expect(collision.stderr).toContain('a.jpg (full) and a.jpg (thumb) would both write dist/a.png (OUTPUT_COLLISION)')
  })

  test('sets: a folder per input, or a ZIP', async () => {
    pipeline('icons.yaml', 'steps: [{ image/resize: { width: 32, height: 32 } }, { image/favicon: { sizes: [16] } }]')
    const { stdout } = await here.run(['run', 'icons.yaml', 'a.jpg'])
    expect(stdout.split('\n')).toContain('a_icons/favicon.ico')
    expect((await here.run(['run', 'icons.yaml', 'a.jpg', '--zip'])).stdout).toBe('a_icons.zip\n')
    expect((await here.run(['run', 'icons.yaml', 'a.jpg', '-o', 'site/'])).stdout).toContain('site/favicon.ico\n')
  })

  test('missing, superfluous and wrongly typed inputs', async () => {
    pipeline('small.yaml', SMALL)
    pipeline('qr.yaml', '[{ image/qr-generate: { text: hi } }]')
    expect((await here.run(['run', 'small.yaml'])).stderr).toContain('The pipeline needs an input file (NO_FILE)')
    expect((await here.run(['run', 'qr.yaml', 'a.jpg'])).stderr).toContain(
      'pipeline/qr takes no input file (TOO_MANY_FILES)',
    )
    expect((await here.run(['run', 'qr.yaml'])).stdout).toBe('qr.png\n')
    writeFileSync(here.at('t.jpg'), 'only text')
    expect((await here.run(['run', 'small.yaml', 't.jpg'])).stderr).toContain('UNSUPPORTED_FILE_TYPE')
    expect((await here.run(['run', 'none.yaml'])).stderr).toContain(
      'The pipeline none.yaml does not exist (FILE_NOT_FOUND)',
    )
  })

  test('Ctrl-C exits with 130 and leaves nothing', async () => {
    const size = { width: 2400, height: 1600, channels: 3 } as const
    const noise = sharp(randomBytes(size.width * size.height * 3), { raw: size })
    writeFileSync(here.at('big.png'), await noise.png({ compressionLevel: 0 }).toBuffer())
    pipeline(
      'slow.yaml',
      'variants:\n  - { name: quick, steps: [{ image/resize: { width: 9 } }] }\n  - { name: slow, steps: [{ image/convert: { format: avif } }] }\n',
    )
    const child = startProgram(['run', 'slow.yaml', 'big.png'], { cwd: here.path })
    const ended = statusOf(child)
    while (!namesIn(here.path).some((name) => name.includes('variant-1')))
      await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(namesIn(here.path)).toEqual(['a.jpg', 'big.png', 'slow.yaml'])
  }, 60_000)

  test('--timeout stops a job', async () => {
    pipeline('slow.yaml', '- image/convert: { format: avif }')
    const size = { width: 2400, height: 1600, channels: 3 } as const
    const noise = sharp(randomBytes(size.width * size.height * 3), { raw: size })
    writeFileSync(here.at('big.png'), await noise.png({ compressionLevel: 0 }).toBuffer())
    const { code, stderr } = await here.run(['run', 'slow.yaml', 'big.png', '--timeout', '0.2'])
    expect(code).toBe(1)
    expect(stderr).toContain('pipeline/slow was stopped after its time limit of 0.2 s (TIMEOUT)')
  })
})

describe('mediaproc pipeline', () => {
  test('validate prints every error with its position, and runs nothing', async () => {
    pipeline('bad.yaml', 'steps:\n  - image/resiz: { width: 1 }\n  - image/resize: { width: wide }\n')
    pipeline('good.yaml', SMALL)
    const { code, stdout, stderr } = await here.run(['pipeline', 'validate', 'good.yaml', 'bad.yaml'])
    expect(code).toBe(2)
    expect(stdout).toBe('good.yaml: valid\n')
    expect(stderr).toBe(
      [
        'bad.yaml:2:5: There is no tool image/resiz. Did you mean image/resize?',
        'bad.yaml:3:28: Expected an integer from 1 to 16383 for width, got wide',
        'mediaproc: bad.yaml has 2 mistakes (INVALID_SETTINGS)\n',
      ].join('\n'),
    )
    const json = await here.run(['pipeline', 'validate', 'bad.yaml', '--json'])
    expect(json.code).toBe(2)
    expect(records(json.stdout)[0]).toMatchObject({
      file: 'bad.yaml',
      ok: false,
      mistakes: [
        { line: 2, column: 5, hint: 'Did you mean image/resize?' },
        { line: 3, column: 28 },
      ],
    })
    expect(await here.run(['run', 'bad.yaml', 'a.jpg'])).toMatchObject({ code: 2, stdout: '' })
    expect((await here.run(['pipeline', 'explian', 'bad.yaml'])).stderr).toContain(
      'Did you mean mediaproc pipeline explain?',
    )
  })

  test('explain shows fused steps and their outputs, without secrets', async () => {
    pipeline('web.yaml', VARIANTS)
    const { stdout } = await here.run(['pipeline', 'explain', 'web.yaml'])
    expect(stdout).toBe(`web
├─ takes each input alone: image
├─ once for all variants
│  └─ image step on one open picture: decodes the input, writes nothing yet: the picture stays open
│     └─ 1. image/rotate {"angle":90}
├─ variant full
│  ├─ image step on one open picture: continues with the open picture, encodes once into the output
│  │  └─ 2. image/convert {"format":"png"}
│  └─ gives a file (png): dist/full/{stem}.{ext}
└─ variant thumb
   ├─ 2 image steps on one open picture: continues with the open picture, encodes once into the output
   │  ├─ 2. image/resize {"width":5}
   │  └─ 3. image/convert {"format":"webp"}
   └─ gives a file (webp): dist/thumb/{stem}.{ext}
`)
    pipeline('lock.yaml', '- pdf/rotate-pdf\n- pdf/protect-pdf: { userPassword: geheim }\n')
    const lock = await here.run(['pipeline', 'explain', 'lock.yaml', '--json'])
    expect(lock.stdout).not.toContain('geheim')
    expect(JSON.parse(lock.stdout)).toMatchObject({
      variants: [
        { groups: [{ medium: 'pdf', reads: 'input', writes: 'output', steps: [{ number: 1 }, { number: 2 }] }] },
      ],
    })
  })

  test('explain --newer shows what is up to date, and why the rest is redone', async () => {
    pipeline('two.yaml', VARIANTS)
    const lines = async (): Promise<string[]> => {
      const { code, stdout } = await here.run(['pipeline', 'explain', 'two.yaml', 'a.jpg', '--newer'])
      expect(code).toBe(0)
      const all = stdout.trimEnd().split('\n')
      return all.slice(all.indexOf('With --newer:') + 1)
    }
    expect(await lines()).toEqual(['  a.jpg -> dist/full/a.png (made)', '  a.jpg -> dist/thumb/a.webp (made)'])
    expect((await here.run(['run', 'two.yaml', 'a.jpg'])).code).toBe(0)
    expect(await lines()).toEqual([
      '  a.jpg -> dist/full/a.png (skipped: up to date)',
      '  a.jpg -> dist/thumb/a.webp (skipped: up to date)',
    ])
    pipeline('two.yaml', VARIANTS.replace('width: 5', 'width: 6'))
    expect(await lines()).toEqual([
      // As for Make, the pipeline itself is a source.
      '  a.jpg -> dist/full/a.png (replaced: two.yaml has changed)',
      expect.stringMatching(/^ {2}a\.jpg -> dist\/thumb\/a\.webp \(replaced: .*"width":5.* is .*"width":6/),
    ])
    const { stdout } = await here.run(['pipeline', 'explain', 'two.yaml', 'a.jpg', '--newer', '--json'])
    expect(JSON.parse(stdout).planned).toMatchObject([
      { path: 'dist/full/a.png', action: 'replace', variant: 'full', reason: 'two.yaml has changed' },
      { path: 'dist/thumb/a.webp', action: 'replace', variant: 'thumb' },
    ])
  })

  test('explain --newer resolves patterns like run', async () => {
    pipeline('all.yaml', `inputs: ["*.jpg", "gone.png"]\n${VARIANTS}`)
    const { code, stdout, stderr } = await here.run(['pipeline', 'explain', 'all.yaml', '--newer'])
    expect(stdout).toContain('  a.jpg -> dist/full/a.png (made)\n')
    // An input that the run refuses does not hide the others.
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('gone.png: does not exist') })
  })

  test('explain shows the one ffmpeg command of a chain', async () => {
    pipeline(
      'cut.yaml',
      '- video/trim-video: { startS: 1, endS: 2, precise: true }\n- video/resize-video: { width: 64 }\n',
    )
    const { stdout } = await here.run(['pipeline', 'explain', 'cut.yaml', '--json'])
    const [group] = JSON.parse(stdout).variants[0].groups
    expect(group).toMatchObject({ medium: 'av', assumed: true, commands: [{ steps: [1, 2] }] })
    const words = group.commands[0].arguments as string[]
    expect(words.slice(0, 4)).toEqual(['-ss', '1', '-to', '2'])
    expect(words.join(' ')).toContain('scale=64:')
    expect(words.at(-1)).toBe('OUTPUT.mp4')
    expect(join(...words)).not.toContain(here.path)
  })
})
