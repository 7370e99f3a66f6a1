import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { namesIn, PROGRAM, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, resize, run, widthOf } = here

describe('a first run', () => {
  test('writes the output next to the input, and only its path to standard output', async () => {
    mkdirSync(at('in'))
    await picture('in/b.png')
    const { code, stdout, stderr } = await resize('a.jpg', 'in/b.png')
    const bytesOf = (...names: string[]): number => names.reduce((sum, name) => sum + statSync(at(name)).size, 0)
    const [before, after] = [bytesOf('a.jpg', 'in/b.png'), bytesOf('a_resize.jpg', 'in/b_resize.png')]
    const totals = `2 files, ${before} B → ${after} B, −${Math.round((1 - after / before) * 100)} %`
    expect([before < 1000, after < before]).toEqual([true, true])
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'a_resize.jpg\nin/b_resize.png\n',
      stderr: `mediaproc: 2 done\nmediaproc: ${totals}\n`,
    })
    expect(namesIn(here.path)).toEqual(['a.jpg', 'a_resize.jpg', 'in', 'in/b.png', 'in/b_resize.png'])
    expect(await widthOf('a_resize.jpg')).toBe(10)
  })

  test('prints only the version, quickly', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    // Answered before the program is loaded.
    expect(await here.start(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('without arguments and without a terminal: prints help as an error', async () => {
    const { code, stdout, stderr } = await run([])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('Usage: mediaproc SECTION TOOL')
  })

  test('help goes to standard output and reads no input', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, stderr: '' })
    const { code, stdout } = await run(['image', 'resize', '--bogus', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('--[no-]without-enlargement')
    expect(stdout).toContain('mediaproc image resize photo.jpg --width 800')
    expect((await run(['image'])).stdout).toContain('resize')
  })
})

describe('usage errors exit with 2 and do nothing', () => {
  test.each<[string[], string, string]>([
    [['image', 'resize', 'a.jpg', '--widht', '5'], 'There is no option --widht (USAGE)', 'Did you mean --width?'],
    [
      ['image', 'resize', 'a.jpg', '--width', 'abc'],
      'Expected an integer from 1 to 16383 for --width, got abc (INVALID_SETTINGS)',
      '',
    ],
    [
      ['image', 'resize', 'a.jpg'],
      'Expected at least one of width, height, percentage and preset (INVALID_SETTINGS)',
      '',
    ],
    [
      ['image', 'resize', '--width', '5'],
      'image/resize needs an input file (NO_FILE)',
      'mediaproc image resize --help',
    ],
    [['image', 'resiz', 'a.jpg'], 'There is no tool image/resiz (UNKNOWN_TOOL)', 'Did you mean image/resize?'],
    [['imgae', 'resize'], 'There is no command imgae (USAGE)', 'Did you mean mediaproc image?'],
    [['resize', 'a.jpg'], 'There is no command resize (USAGE)', 'Did you mean mediaproc image resize?'],
    [
      ['merge', 'a.pdf'],
      'There is no command merge (USAGE)',
      'Did you mean mediaproc pdf merge-pdf, mediaproc files merge-csvs or mediaproc audio merge-audio?',
    ],
    [['pdf', 'merge', 'a.pdf'], 'There is no tool pdf/merge (UNKNOWN_TOOL)', 'Did you mean pdf/merge-pdf?'],
    [['search'], 'Expected words to search for, got nothing (USAGE)', 'Such as: mediaproc search merge'],
    [['search', 'zzzzz'], 'No tool matches zzzzz (UNKNOWN_TOOL)', 'mediaproc tools lists all tools.'],
    [['--width', '5'], 'There is no option --width before a command (USAGE)', 'Options come after the command'],
    [['image', 'resize', 'a.jpg', '--width', '5', '-o', 'a.jpg'], 'The output a.jpg is an input (OUTPUT_IS_INPUT)', ''],
    [
      ['image', 'resize', 'a.jpg', 'a.jpg', 'b.jpg', '--width', '5', '-o', 'x.jpg'],
      '-o names one output, but there are 2 inputs (USAGE)',
      '-d DIR',
    ],
    [
      ['image', 'resize', 'a.jpg', '--width', '5', '-o', 'x.jpg', '-d', 'y'],
      '-o and -d cannot be given together (USAGE)',
      '',
    ],
    [
      ['image', 'resize', 'a.jpg', '--width', '5', '--name', '{bogus}'],
      'There is no placeholder {bogus} for --name (USAGE)',
      'Known are {stem}',
    ],
    [
      ['image', 'resize', 'a.jpg', '--width', '5', '--zip'],
      'The tool gives one file, so there is nothing to put into a ZIP file',
      '',
    ],
    [
      ['image', 'resize', 'a.jpg', '--width', '5', '-j', '0'],
      'Expected an integer from 1 to 1024 for --jobs, got 0 (INVALID_SETTINGS)',
      '',
    ],
    [
      ['image', 'resize', 'a.jpg', '--settings', '{"width":'],
      'Expected an object of settings for --settings, got text that is not valid. 1:10: The text ends unexpectedly: something is not closed (USAGE)',
      '',
    ],
    [
      ['image', 'resize', 'a.jpg', '--settings', '{"widht":3}'],
      'There is no setting --widht (INVALID_SETTINGS)',
      'Did you mean --width?',
    ],
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
    expect(namesIn(here.path)).toEqual(['a.jpg'])
  })
})

describe('standard output and the exit code', () => {
  test("-q prints only errors; -v prints the engine's output", async () => {
    expect(await resize('a.jpg', '-q')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect((await resize('absent.jpg', '-q')).stderr).toContain('(FILE_NOT_FOUND)')
  })

  test('-q with a number is not a file: quality is -Q', async () => {
    expect(await run(['image', 'compress', 'a.jpg', '-q', '50'])).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringMatching(/-q is --quiet and takes no value, got 50 .*\n.*Did you mean -Q 50, --quality\?/),
    })
  })

  test('--fail-fast starts no further jobs', async () => {
    const { code, stderr, stdout } = await resize('absent.jpg', 'a.jpg', '--fail-fast', '-j', '1')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('0 done, 1 failed, 1 not started')
  })

  test('--timeout has its own exit code', async () => {
    const { code, stderr } = await resize('a.jpg', '--timeout', '0.001')
    expect(code).toBe(1)
    expect(stderr).toContain('image/resize was stopped after its time limit of 0.001 s (TIMEOUT)')
    expect(namesIn(here.path)).toEqual(['a.jpg'])
  })

  test('a closed pipe ends the program silently', () => {
    const command = `"${process.execPath}" "${PROGRAM}" tools --json | head -c 10; echo " \${PIPESTATUS[0]}"`
    const said = execFileSync('bash', ['-c', command], {
      cwd: here.path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(said).toMatch(/ 0\n$/)
  })

  test('completion', async () => {
    for (const [shell, file] of [
      ['bash', 'mediaproc.bash'],
      ['zsh', '_mediaproc'],
      ['fish', 'mediaproc.fish'],
    ]) {
      const shipped = readFileSync(new URL(`../../completions/${file}`, import.meta.url), 'utf8')
      expect(await run(['completion', shell!])).toMatchObject({ code: 0, stdout: shipped, stderr: '' })
    }
    expect((await run(['__complete', 'image', 'resize', '--fit', 'co'])).stdout).toBe('cover\ncontain\n')
    expect((await run(['__complete', 'im'])).stdout).toBe('image\n')
  })

  test('documents the exit codes', async () => {
    const { stdout } = await run(['help', 'exit-codes'])
    for (const code of [0, 1, 2, 3, 4, 130]) expect(stdout).toMatch(new RegExp(`^ {2}${code} `, 'm'))
  })
})
