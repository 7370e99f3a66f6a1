import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildProgram, namesIn, PROGRAM, type Ran, runProgram, temporaryFolder } from '../helpers/program.ts'

let folder: ReturnType<typeof temporaryFolder>
const at = (...parts: string[]): string => join(folder.path, ...parts)

beforeAll(buildProgram, 180_000)
beforeEach(async () => {
  folder = temporaryFolder()
  await picture('a.jpg')
})
afterEach(() => folder.remove())

/** A picture of 40 x 20 pixels in one colour. */
async function picture(name: string, background = '#c04020'): Promise<Buffer> {
  const format = /\.(\w+)$/.exec(name)![1]!.toLowerCase() as 'jpg' | 'png' | 'webp' | 'tiff'
  const bytes = await sharp({ create: { width: 40, height: 20, channels: 3, background } }).toFormat(format).toBuffer()
  writeFileSync(at(name), bytes)
  return bytes
}

interface Extra {
  stdin?: string | Uint8Array
  environment?: Record<string, string>
}

const run = (args: readonly string[], extra: Extra = {}): Promise<Ran> => runProgram(args, { cwd: folder.path, ...extra })
/** A resize to a width of 10, with more options. */
const resize = (...args: string[]): Promise<Ran> => run(['image', 'resize', '--width', '10', ...args])
const widthOf = async (name: string): Promise<number> => (await sharp(readFileSync(at(name))).metadata()).width

describe('a first run', () => {
  test('the output stands beside the input, its path on standard output, and nothing else', async () => {
    mkdirSync(at('in'))
    await picture('in/b.png')
    const { code, stdout, stderr } = await resize('a.jpg', 'in/b.png')
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'a_resize.jpg\nin/b_resize.png\n', stderr: 'mediaproc: 2 done\n' })
    expect(namesIn(folder.path)).toEqual(['a.jpg', 'a_resize.jpg', 'in', 'in/b.png', 'in/b_resize.png'])
    expect(await widthOf('a_resize.jpg')).toBe(10)
  })

  test('the version, quickly and alone', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('without arguments and without a terminal: the help, as an error', async () => {
    const { code, stdout, stderr } = await run([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: mediaproc SECTION TOOL')
  })

  test('help goes to standard output and costs no input', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, stderr: '' })
    const { code, stdout } = await run(['image', 'resize', '--bogus', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('--[no-]without-enlargement')
    expect(stdout).toContain('mediaproc image resize photo.jpg --width 800')
    expect((await run(['image'])).stdout).toContain('resize')
  })
})

describe('what is wrong with the command line: exit 2, nothing done', () => {
  test.each<[string[], string, string]>([
    [['image', 'resize', 'a.jpg', '--widht', '5'], 'There is no option --widht (USAGE)', 'Did you mean --width?'],
    [['image', 'resize', 'a.jpg', '--width', 'abc'], 'Expected an integer from 1 to 16383 for --width, got abc (INVALID_SETTINGS)', ''],
    [['image', 'resize', 'a.jpg'], 'Expected at least one of width, height, percentage and preset (INVALID_SETTINGS)', ''],
    [['image', 'resize', '--width', '5'], 'image/resize needs an input file (NO_FILE)', 'mediaproc image resize --help'],
    [['image', 'resiz', 'a.jpg'], 'There is no tool image/resiz (UNKNOWN_TOOL)', 'Did you mean image/resize?'],
    [['imgae', 'resize'], 'There is no command imgae (USAGE)', 'Did you mean mediaproc image?'],
    [['resize', 'a.jpg'], 'There is no command resize (USAGE)', 'Did you mean mediaproc image resize?'],
    [['--width', '5'], 'There is no option --width before a command (USAGE)', 'Options come after the command'],
    [['image', 'resize', 'a.jpg', '--width', '5', '-o', 'a.jpg'], 'The output a.jpg is an input (OUTPUT_IS_INPUT)', ''],
    [['image', 'resize', 'a.jpg', 'a.jpg', 'b.jpg', '--width', '5', '-o', 'x.jpg'], '-o names one output, but there are 2 inputs (USAGE)', '-d DIR'],
    [['image', 'resize', 'a.jpg', '--width', '5', '-o', 'x.jpg', '-d', 'y'], '-o and -d cannot be given together (USAGE)', ''],
    [['image', 'resize', 'a.jpg', '--width', '5', '--name', '{bogus}'], 'There is no placeholder {bogus} for --name (USAGE)', 'Known are {stem}'],
    [['image', 'resize', 'a.jpg', '--width', '5', '--zip'], 'The tool gives one file, so there is nothing to put into a ZIP file', ''],
    [['image', 'resize', 'a.jpg', '--width', '5', '-j', '0'], 'Expected an integer from 1 to 1024 for --jobs, got 0 (INVALID_SETTINGS)', ''],
    [['image', 'resize', 'a.jpg', '--settings', '{"width":'], 'Expected an object of settings for --settings, got text that is not valid (USAGE)', ''],
    [['image', 'resize', 'a.jpg', '--settings', '{"widht":3}'], 'There is no setting --widht (INVALID_SETTINGS)', 'Did you mean --width?'],
    [['convert', 'a.jpg', 'a.mp3'], 'There is no conversion from JPG to MP3 (USAGE)', 'JPG can become '],
    [['convert', 'a.jpg'], 'Expected an input and an output, or an input and --to EXT (USAGE)', ''],
    [['tools', 'bogus'], 'There is no section bogus (USAGE)', 'Sections are image'],
    [['help', 'exit-code'], 'There is no help topic exit-code (USAGE)', 'Did you mean exit-codes?'],
    [['completion', 'tcsh'], 'Expected bash, zsh or fish for the shell, got tcsh (USAGE)', ''],
  ])('%j', async (args, sentence, hint) => {
    const { code, stdout, stderr } = await run(args)
    expect(stderr).toContain(`mediaproc: ${sentence.replace(/ \(\w+\)$/, '')}`)
    expect(stderr).toContain(sentence)
    expect(stderr).toContain(hint)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })
})

describe('inputs', () => {
  test('names of every kind', async () => {
    const long = `${'n'.repeat(251)}.png`
    const names = ['-dash.png', '--width.png', 'new\nline.png', `quo'te"s.png`, ' blank .png', '😀.png', '[x]*.png', '@at.png', '#;&|$(x).png', long]
    for (const name of names) await picture(name)
    const { code, stdout } = await resize('--json', '-d', 'out', '--', ...names)
    expect(code).toBe(0)
    const outputs = stdout.trimEnd().split('\n').map((line) => JSON.parse(line).outputs[0].path as string)
    expect(outputs).toEqual([...names.slice(0, -1).map((name) => join('out', name.replace('.png', '_resize.png'))), join('out', `${'n'.repeat(244)}_resize.png`)])
    for (const output of outputs) expect(await widthOf(output)).toBe(10)
  })

  test('a missing file, a folder, an empty file, text with the name of a picture: each has its sentence, the others are done', async () => {
    mkdirSync(at('folder'))
    writeFileSync(at('empty.jpg'), '')
    writeFileSync(at('text.jpg'), 'just words')
    writeFileSync(at('cut.jpg'), readFileSync(at('a.jpg')).subarray(0, 100))
    const { code, stdout, stderr } = await resize('absent.jpg', 'folder', 'empty.jpg', 'text.jpg', 'cut.jpg', 'a.jpg')
    expect(code).toBe(1)
    expect(stdout).toBe('a_resize.jpg\n')
    expect(stderr).toMatch(/^mediaproc: absent\.jpg: does not exist \(FILE_NOT_FOUND\)\n {2}Check the name/m)
    expect(stderr).toMatch(/^mediaproc: folder: is a folder, not a file \(IS_A_FOLDER\)\n {2}Add -r/m)
    expect(stderr).toMatch(/^mediaproc: empty\.jpg: is empty \(0 bytes\) \(EMPTY_FILE\)/m)
    expect(stderr).toMatch(/^mediaproc: text\.jpg: is plain text by its content.*\(UNSUPPORTED_FILE_TYPE\)/m)
    expect(stderr).toMatch(/^mediaproc: cut\.jpg: .*\(INVALID_FILE\)/m)
    expect(stderr).toMatch(/^mediaproc: 1 done, 5 failed$/m)
    expect(stderr).not.toMatch(/ at .*:\d+:\d+/)
  })

  test('a name with control characters is shown, not obeyed', async () => {
    const { stderr } = await resize('\u001b[31mx\n.jpg')
    expect(stderr).toContain('\\u001b[31mx\\n.jpg: does not exist')
  })

  test('patterns, in natural order; a name that exists wins', async () => {
    for (const name of ['i10.png', 'i2.png', 'i1.png']) await picture(name)
    expect((await resize('i*.png', '-d', 'o1')).stdout).toBe('o1/i1_resize.png\no1/i2_resize.png\no1/i10_resize.png\n')
    await picture('i*.png')
    expect((await resize('i*.png', '-d', 'o2')).stdout).toBe('o2/i*_resize.png\n')
    const { code, stderr } = await resize('zz*.png')
    expect(code).toBe(1)
    expect(stderr).toContain('No file matches zz*.png (FILE_NOT_FOUND)')
  })

  test('-r takes what the tool takes, and -d repeats the folders', async () => {
    mkdirSync(at('in/x/y'), { recursive: true })
    for (const name of ['in/b.png', 'in/x/c.png', 'in/x/y/d.jpg', 'in/.hidden.png']) await picture(name)
    writeFileSync(at('in/notes.txt'), 'words')
    symlinkSync('..', at('in/x/loop'))
    const { code, stdout } = await resize('-r', 'in', '-d', 'in/out')
    expect(stdout).toBe('in/out/b_resize.png\nin/out/x/c_resize.png\nin/out/x/y/d_resize.jpg\n')
    expect(code).toBe(0)
    // A second run does not take its own outputs.
    expect((await resize('-r', 'in', '-d', 'in/out', '--force')).stdout).toBe(stdout)
    expect(await resize('-r', 'in/x', '--dry-run')).toMatchObject({ code: 0 })
    mkdirSync(at('bare'))
    expect((await resize('-r', 'bare')).stderr).toContain('bare: has no file that the tool takes (NO_FILE)')
  })

  test('standard input, named by its content', async () => {
    const bytes = readFileSync(at('a.jpg'))
    expect(await run(['image', 'resize', '-', '--width', '10'], { stdin: bytes })).toMatchObject({ code: 0, stdout: 'stdin_resize.jpg\n' })
    const empty = await run(['image', 'resize', '-', '--width', '10'], { stdin: '' })
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('(EMPTY_FILE)') })
    expect((await resize('-', '-')).code).toBe(0)
  })

  test('lists, by lines and by NUL bytes', async () => {
    await picture('line\nend.png')
    writeFileSync(at('list.txt'), 'a.jpg\r\n\nabsent.png\n')
    const lines = await resize('@list.txt', '-d', 'o1')
    expect(lines).toMatchObject({ code: 1, stdout: 'o1/a_resize.jpg\n', stderr: expect.stringContaining('absent.png: does not exist') })
    const zeros = await run(['image', 'resize', '@-', '-0', '--width', '10', '-d', 'o2', '--json'], { stdin: 'a.jpg\0line\nend.png\0' })
    expect(zeros.stdout.split('\n').length).toBe(3)
    expect(namesIn(at('o2'))).toEqual(['a_resize.jpg', 'line\nend_resize.png'])
    expect(await resize('@absent.txt')).toMatchObject({ code: 1, stderr: expect.stringContaining('The list absent.txt cannot be read (FILE_NOT_FOUND)') })
  })

  test('the same file named twice is processed once', async () => {
    expect((await resize('a.jpg', './a.jpg', at('a.jpg'))).stdout).toBe('a_resize.jpg\n')
  })

  test('an address of this machine is refused, and nothing is left behind', async () => {
    const { code, stderr } = await resize('http://127.0.0.1:9/a.jpg')
    expect(code).toBe(1)
    expect(stderr).toContain('127.0.0.1 is not a host of the public Internet (URL_REFUSED)')
    expect(await run(['image', 'info', 'https://example.org/a.jpg'], { environment: { MEDIAPROC_OFFLINE: '1' } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(OFFLINE)'),
    })
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })
})

describe('outputs', () => {
  test('what is there stays, unless forced', async () => {
    writeFileSync(at('a_resize.jpg'), 'precious')
    const { code, stderr } = await resize('a.jpg')
    expect(code).toBe(1)
    expect(stderr).toContain('a_resize.jpg is already there (OUTPUT_EXISTS)')
    expect(readFileSync(at('a_resize.jpg'), 'utf8')).toBe('precious')
    expect((await resize('a.jpg', '--force')).code).toBe(0)
    expect(await widthOf('a_resize.jpg')).toBe(10)
    expect(namesIn(folder.path)).toEqual(['a.jpg', 'a_resize.jpg'])
  })

  test('-o replaces its file in one step, and leaves a link a link', async () => {
    writeFileSync(at('real.jpg'), 'old')
    symlinkSync('real.jpg', at('link.jpg'))
    expect(await resize('a.jpg', '-o', 'link.jpg')).toMatchObject({ code: 0, stdout: 'link.jpg\n' })
    expect(readlinkSync(at('link.jpg'))).toBe('real.jpg')
    expect(await widthOf('real.jpg')).toBe(10)
  })

  test('-o into a folder that is missing makes it; a failed run leaves the old file', async () => {
    expect((await resize('a.jpg', '-o', 'deep/er/x.jpg')).code).toBe(0)
    const before = readFileSync(at('deep/er/x.jpg'))
    writeFileSync(at('cut.jpg'), readFileSync(at('a.jpg')).subarray(0, 150))
    expect((await resize('cut.jpg', '-o', 'deep/er/x.jpg')).code).toBe(1)
    expect(readFileSync(at('deep/er/x.jpg'))).toEqual(before)
    expect(namesIn(at('deep'))).toEqual(['er', 'er/x.jpg'])
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
    expect((await resize('b.jpg', 'a.jpg', '--name', 'a.{ext}', '--force', '-j', '1')).stderr).toMatch(/OUTPUT_(IS_INPUT|COLLISION)/)
    expect(readFileSync(at('a.jpg'))).toEqual(before)
  })

  test('an extension that is not true is refused before the work', async () => {
    const { code, stderr } = await resize('a.jpg', '-o', 'x.webp')
    expect(code).toBe(2)
    expect(stderr).toContain('The output is JPG, and -o x.webp says WEBP (USAGE)')
    expect(stderr).toContain('mediaproc convert')
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })

  test('-o sets the format of a tool that has one', async () => {
    expect((await run(['image', 'convert', 'a.jpg', '-o', 'x.webp'])).code).toBe(0)
    expect((await sharp(readFileSync(at('x.webp'))).metadata()).format).toBe('webp')
    expect((await run(['image', 'convert', 'a.jpg', '--format', 'png', '-o', 'y.webp'])).stderr).toContain('The output is PNG, and -o y.webp says WEBP')
  })

  test('-o - is the bare file on standard output', async () => {
    const { code, bytes, stderr } = await resize('a.jpg', '-o', '-')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 10, height: 5 })
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
    expect(JSON.parse((await run(['image', 'info', 'a.jpg', '-o', '-'])).stdout)).toMatchObject({ width: 40, height: 20 })
  })

  test.skipIf(!existsSync('/dev/full'))('a full disk is said, and a device is written to, not replaced', async () => {
    expect(await resize('a.jpg', '-o', '/dev/full')).toMatchObject({ code: 1, stderr: expect.stringContaining('a.jpg: The disk is full (DISK_FULL)') })
    expect(await resize('a.jpg', '-o', '/dev/null')).toMatchObject({ code: 0 })
    expect(statSync('/dev/full').isCharacterDevice() && statSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  test('two inputs for one output are refused before any work', async () => {
    mkdirSync(at('x'))
    await picture('x/a.jpg')
    const { code, stdout, stderr } = await resize('a.jpg', 'x/a.jpg', '-d', 'out')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('a.jpg and x/a.jpg would both write out/a_resize.jpg (OUTPUT_COLLISION)')
    expect(existsSync(at('out'))).toBe(false)
    const told = await resize('a.jpg', 'x/a.jpg', '-d', 'out', '--name', '{index}_{stem}_{width}.{ext}')
    expect(told.stdout).toBe('out/1_a_10.jpg\nout/2_a_10.jpg\n')
  })

  test('a collision that only the work shows fails the second one and keeps the first', async () => {
    await picture('a.png', '#0000ff')
    const { code, stdout, stderr } = await run(['image', 'convert', 'a.jpg', 'a.png', '--format', 'webp', '-d', 'out', '--force'])
    expect(code === 2 ? existsSync(at('out')) : stdout === 'out/a.webp\n').toBe(code !== 2)
    expect(stderr).toContain('(OUTPUT_COLLISION)')
  })

  test('a report as a file', async () => {
    expect((await run(['image', 'info', 'a.jpg', '-o', 'r.json'])).stdout).toBe('r.json\n')
    expect(JSON.parse(readFileSync(at('r.json'), 'utf8'))).toMatchObject({ width: 40 })
    expect((await run(['image', 'info', 'a.jpg', '-d', 'out'])).stdout).toBe('out/a_info.json\n')
    expect((await run(['image', 'info', 'a.jpg', '-o', 'r.txt'])).stderr).toContain('The output is JSON, and -o r.txt says TXT')
  })
})

describe('sets', () => {
  const favicon = (...args: string[]): Promise<Ran> => run(['image', 'favicon', 'a.jpg', ...args])

  test('a folder beside the input, in one step', async () => {
    const { code, stdout } = await favicon()
    expect(code).toBe(0)
    const [first] = stdout.split('\n')
    const set = first!.split('/')[0]!
    expect(stdout.trimEnd().split('\n').sort()).toEqual(namesIn(at(set)).map((name) => join(set, name)))
    const again = await favicon()
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is already there (OUTPUT_EXISTS)') })
    expect((await favicon('--force')).code).toBe(0)
    expect(namesIn(folder.path).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('-o DIR/ adds to a folder and keeps what is there', async () => {
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

  test('one file for a set is refused', async () => {
    expect(await favicon('-o', 'x.png')).toMatchObject({ code: 2, stderr: expect.stringContaining('The tool gave a set of files') })
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })
})

describe('--newer and --dry-run', () => {
  const touch = (name: string, seconds: number): void => utimesSync(at(name), seconds, seconds)

  test('skips what is up to date, replaces what is older', async () => {
    await resize('a.jpg')
    touch('a_resize.jpg', 2_000_000_000)
    const before = statSync(at('a_resize.jpg')).ino
    const record = JSON.parse((await resize('a.jpg', '--newer', '--json')).stdout)
    expect(record).toMatchObject({ ok: true, skipped: true, outputs: [{ path: 'a_resize.jpg', type: 'image/jpeg' }] })
    expect(statSync(at('a_resize.jpg')).ino).toBe(before)
    touch('a_resize.jpg', 1_000_000_000)
    expect((await resize('a.jpg', '--newer')).stdout).toBe('a_resize.jpg\n')
    expect(statSync(at('a_resize.jpg')).ino).not.toBe(before)
  })

  test('with -o, nothing is even opened', async () => {
    writeFileSync(at('broken.jpg'), 'no picture')
    writeFileSync(at('x.jpg'), 'made earlier')
    touch('broken.jpg', 1_000_000_000)
    expect(await resize('broken.jpg', '--newer', '-o', 'x.jpg')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    touch('broken.jpg', 2_000_000_000)
    expect((await resize('broken.jpg', '--newer', '-o', 'x.jpg')).code).toBe(1)
  })

  test('a batch counts them', async () => {
    await picture('b.png')
    await resize('a.jpg')
    expect((await resize('a.jpg', 'b.png', 'absent.png', '--newer')).stderr).toContain('mediaproc: 1 done, 1 failed, 1 skipped\n')
  })

  test('a dry run prints and does nothing', async () => {
    const { code, stdout } = await resize('a.jpg', '-o', 'x/y.jpg', '--dry-run')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^image\/resize a\.jpg -> x\/y\.jpg \{.*"width":10.*\}\n$/)
    expect(await resize('absent.jpg', '--dry-run')).toMatchObject({ code: 2, stdout: '' })
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })
})

describe('settings from further places', () => {
  test('configuration, --settings and flags, in this order', async () => {
    writeFileSync(at('mediaproc.config.yaml'), 'outputDir: made\nname: "{stem}-{width}.{ext}"\ndefaults:\n  image/resize: { width: 12, fit: fill }\n')
    writeFileSync(at('s.yaml'), 'width: 13\n')
    expect((await run(['image', 'resize', 'a.jpg'])).stdout).toBe('made/a-12.jpg\n')
    expect((await run(['image', 'resize', 'a.jpg', '--settings', '@s.yaml'])).stdout).toBe('made/a-13.jpg\n')
    expect((await run(['image', 'resize', 'a.jpg', '--settings', '{"width":14}', '--width', '15', '-d', 'here'])).stdout).toBe('here/a-15.jpg\n')
    const shown = JSON.parse((await run(['config', '--json'])).stdout)
    const path = realpathSync(at('mediaproc.config.yaml'))
    expect(shown.file).toBe(path)
    expect(shown.settings).toContainEqual({ name: 'outputDir', value: join(realpathSync(folder.path), 'made'), source: path })
  })

  test('a wrong configuration stops the run', async () => {
    writeFileSync(at('.mediaprocrc'), 'quite: true')
    expect(await resize('a.jpg')).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no setting quite (INVALID_CONFIG)\n  Did you mean quiet?') })
  })
})

describe('convert', () => {
  test('IN OUT, and IN… --to EXT', async () => {
    await picture('b.png')
    expect(await run(['convert', 'a.jpg', 'x.webp', '--quality', '50'])).toMatchObject({ code: 0, stdout: 'x.webp\n' })
    expect((await sharp(readFileSync(at('x.webp'))).metadata()).format).toBe('webp')
    expect((await run(['convert', 'a.jpg', 'b.png', '--to', '.webp', '-d', 'out'])).stdout).toBe('out/a.webp\nout/b.webp\n')
    expect((await run(['convert', 'b.png', '-o', 'y.jpg'])).stdout).toBe('y.jpg\n')
  })

  test('a name without an extension is judged by its content', async () => {
    writeFileSync(at('noext'), readFileSync(at('a.jpg')))
    expect((await run(['convert', 'noext', 'x.png'])).code).toBe(0)
    expect((await sharp(readFileSync(at('x.png'))).metadata()).format).toBe('png')
  })
})

describe('standard output and the exit code', () => {
  test('-q prints only errors; -v what the engine said', async () => {
    expect(await resize('a.jpg', '-q')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect((await resize('absent.jpg', '-q')).stderr).toContain('(FILE_NOT_FOUND)')
  })

  test('--fail-fast starts nothing more', async () => {
    const { code, stderr, stdout } = await resize('absent.jpg', 'a.jpg', '--fail-fast', '-j', '1')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('0 done, 1 failed, 1 not started')
  })

  test('--timeout is a failure of its own', async () => {
    const { code, stderr } = await resize('a.jpg', '--timeout', '0.001')
    expect(code).toBe(1)
    expect(stderr).toContain('image/resize was stopped after its time limit of 0.001 s (TIMEOUT)')
    expect(namesIn(folder.path)).toEqual(['a.jpg'])
  })

  test('a missing engine is exit 3', async () => {
    const { code, stderr } = await run(['video', 'mute-video', 'a.mp4'], { environment: { PATH: '/nonexistent' } })
    writeFileSync(at('a.mp4'), Buffer.from('0000001866747970697' + '36f6d0000020069736f6d69736f32', 'hex'))
    expect(code).toBe(1)
    expect(stderr).toContain('(FILE_NOT_FOUND)')
  })

  test('a reader that goes away ends the program quietly', () => {
    const command = `"${process.execPath}" "${PROGRAM}" tools --json | head -c 10; echo " \${PIPESTATUS[0]}"`
    const said = execFileSync('bash', ['-c', command], { cwd: folder.path, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    expect(said).toMatch(/ 0\n$/)
  })

  test('completion', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) expect((await run(['completion', shell])).stdout).toContain('mediaproc __complete')
    expect((await run(['__complete', 'image', 'resize', '--fit', 'co'])).stdout).toBe('cover\ncontain\n')
    expect((await run(['__complete', 'im'])).stdout).toBe('image\n')
  })

  test('the exit codes are explained', async () => {
    const { stdout } = await run(['help', 'exit-codes'])
    for (const code of [0, 1, 2, 3, 4, 130]) expect(stdout).toMatch(new RegExp(`^ {2}${code} `, 'm'))
  })
})
