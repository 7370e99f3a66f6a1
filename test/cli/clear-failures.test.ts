/** User errors on the command line name their reason, and leave no files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { ENVIRONMENT } from '../../src/environment.ts'
import { ROOT } from '../../src/root.ts'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, run, start, resize } = here

describe('a data folder that does not exist', () => {
  test.each([
    ['user', 'list'],
    ['user', 'reset-password', 'ada'],
    ['admin', 'mfa-status'],
  ])('%s %s', async (...words) => {
    expect(await run([...words, '--data', 'TYPO'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/TYPO does not exist \(FILE_NOT_FOUND\)/),
    })
    expect(existsSync(at('TYPO'))).toBe(false)
  })

  test('a folder of other files does not become a data folder', async () => {
    const { code, stderr } = await run(['user', 'list', '--data', '.'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not the data folder of a server')])
    expect(namesIn(here.path)).toEqual(['a.jpg'])
  })
})

describe('an unreadable configuration: line, column and reason', () => {
  test.each([
    ['a.json', '{"jobs": 2,\n "force": tru\n}', ':2:14: This is not valid JSON: unexpected "\\n"'],
    ['b.json', '{"jobs": 2', ':1:11: The text ends unexpectedly: something is not closed'],
    ['c.yaml', 'jobs: 2\n  force: true\n', /:1:7: The indentation is too deep/],
    ['d.yaml', 'defaults: {a: 1\n', ':2:1: A { is not closed: expected a } before this'],
    ['e.yaml', 'name: "x\n', /:2:1: A " is not closed/],
  ])('%s', async (name, text, reason) => {
    writeFileSync(at(name), text)
    const { code, stderr } = await run(['config', '--config', name])
    expect(code).toBe(2)
    expect(stderr).toMatch(typeof reason === 'string' ? new RegExp(reason.replace(/[{}\\]/g, '\\$&')) : reason)
  })

  test('--settings reports the same', async () => {
    const { stderr } = await run(['image', 'resize', 'a.jpg', '--settings', '{"width": }'])
    expect(stderr).toContain('got text that is not valid. 1:11: This is not valid JSON: unexpected "}"')
  })
})

describe('errors in a pipeline', () => {
  const mistakes = async (text: string): Promise<string[]> => {
    writeFileSync(at('p.yaml'), text)
    const { code, stdout } = await run(['pipeline', 'validate', 'p.yaml', '--json'])
    expect(code).toBe(2)
    type Mistake = { line: number; column: number; message: string; hint: string }
    return (JSON.parse(stdout).mistakes as Mistake[]).map(({ line, column, message, hint }) =>
      `${line}:${column} ${message} ${hint}`.trim(),
    )
  }

  test('an unclosed brace, and wrong indentation', async () => {
    expect(await mistakes('steps:\n  - image/resize: { width: 800\n')).toEqual([
      '3:1 A { is not closed: expected a } before this',
    ])
    expect(await mistakes('steps:\n  - image/resize:\n      width: 800\n     height: 3\n')).toEqual([
      '4:1 Expected the same indentation as the other lines of the block',
    ])
  })

  test('an alias without its anchor is reported as such, not as a missing value', async () => {
    expect(await mistakes('x-a: &small 80\nsteps:\n  - image/resize: { width: *smal }\n')).toEqual([
      '3:28 There is no anchor &smal before *smal Did you mean *small?',
    ])
  })

  test('two variants with the same output', async () => {
    const two = (output: string, b = 'angle: 180') =>
      `variants:\n - name: a\n   steps: [{ image/rotate: { angle: 90 } }]\n - name: b\n   steps: [{ image/rotate: { ${b} } }]\noutput: "${output}"\n`
    expect(await mistakes(two('dist/{stem}.{ext}'))).toEqual([
      '6:9 The variants a and b would both write dist/{stem}.{ext} Distinguish them with {variant}.',
    ])
    for (const apart of ['{stem}-{variant}.{ext}', '{stem}-{angle}.{ext}']) {
      writeFileSync(at('p.yaml'), two(apart))
      expect((await run(['pipeline', 'validate', 'p.yaml'])).code).toBe(0)
    }
    // Another type has another name.
    writeFileSync(
      at('p.yaml'),
      two('{stem}.{ext}').replace('image/rotate: { angle: 180 }', 'image/convert: { format: png }'),
    )
    expect((await run(['pipeline', 'validate', 'p.yaml'])).code).toBe(0)
  })
})

describe('names and folders for outputs', () => {
  test.each([[['-d', 'a.jpg']], [['-d', 'a.jpg', '--force']], [['-d', 'a.jpg/x', '--force']], [['-o', 'a.jpg/x.jpg']]])(
    '%j: a file is not a folder, and --force is not suggested',
    async (more) => {
      const { code, stderr } = await resize('a.jpg', ...more)
      expect(code).toBeGreaterThan(0)
      expect(stderr).toMatch(/a\.jpg is a file/)
      expect(stderr).not.toContain('--force')
      expect(namesIn(here.path)).toEqual(['a.jpg'])
    },
  )

  const long = `${'x'.repeat(300)}.jpg`
  test.each([
    ['an input', [long]],
    ['-o', ['a.jpg', '-o', long]],
    ['-d', ['a.jpg', '-d', long]],
    ['a folder in -d', ['a.jpg', '-d', `y/${long}`]],
  ])('reports %s that is too long for the file system', async (_what, args) => {
    const { code, stderr } = await resize(...args)
    expect([code, stderr]).toEqual([1, expect.stringContaining('A name is longer than the file system allows')])
    expect(stderr).toContain('(NAME_TOO_LONG)')
    rmSync(at('y'), { recursive: true, force: true })
    expect(namesIn(here.path)).toEqual(['a.jpg'])
  })

  // Node's own recursive mkdir does not end in this case.
  test.runIf(existsSync('/proc/self'))('a folder that cannot contain folders', { timeout: 20_000 }, async () => {
    for (const more of [
      ['-d', '/proc/x'],
      ['-o', '/proc/x/y.jpg'],
      ['-o', '/proc/y.jpg'],
    ])
      expect(await resize('a.jpg', ...more)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('No folder can be created in /proc (PERMISSION_DENIED)'),
      })
    const nowhere = { environment: { MEDIAPROC_CACHE_DIR: '/proc/x' } }
    expect((await start(['image', 'resize', 'a.jpg', '--width', '5'], nowhere)).code).toBe(0)
  })

  test('a current folder that was removed', { timeout: 20_000 }, async () => {
    mkdirSync(at('gone'))
    const { spawnSync } = await import('node:child_process')
    const program = fileURLToPath(new URL('bin/mediaproc.js', ROOT))
    const script = `cd gone && rmdir ../gone && '${process.execPath}' '${program}' image resize '${at('a.jpg')}' --width 5 -d out`
    const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: here.path, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('The current folder no longer exists')
  })
})

/** Contents of all files in a folder of the program. */
const sources = (folder: string): [string, string][] => {
  const root = fileURLToPath(new URL(`${folder}/`, ROOT))
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [`${folder}/${name}`, readFileSync(`${root}${name}`, 'utf8')])
}

test('only one module creates folders', () => {
  const others = [...sources('src'), ...sources('tools')].filter(
    ([path, text]) => path !== 'src/make-folder.ts' && /mkdir(Sync)?\([^\n]*recursive: true|mkdir: true/.test(text),
  )
  expect(others.map(([path]) => path)).toEqual([])
})

describe('limits', () => {
  test('every limit error says what to do, and names only existing variables', () => {
    const thrown = [...sources('src'), ...sources('tools')].flatMap(([path, text]) =>
      [
        ...text.matchAll(
          /(?:limitExceeded\(|MediaprocError\(\s*'(?:LIMIT_EXCEEDED|FILE_TOO_LARGE)',)[\s\S]*?(?=\n\s*\n|\n}\n)/g,
        ),
      ].map(([part]) => [path, part] as const),
    )
    expect(thrown.length).toBeGreaterThan(25)
    const own = ['src/limit-exceeded.ts', 'src/errors.ts']
    const silent = thrown.filter(([path, part]) => !own.includes(path) && !/hint\b|variable\b/.test(part))
    expect(silent.map(([path]) => path)).toEqual([])
    const named = thrown.flatMap(([, part]) => [...part.matchAll(/variable: '(\w+)'/g)].map(([, name]) => name!))
    expect(named.filter((name) => !(name in ENVIRONMENT))).toEqual([])
  })

  test('archives: each limit names its variable', async () => {
    for (const name of ['1.txt', '2.txt']) writeFileSync(at(name), 'x'.repeat(200_000))
    await run(['files', 'create-zip', '1.txt', '2.txt', '-o', 'z.zip'])
    const refused = async (name: string, value: string): Promise<string> =>
      (await run(['files', 'extract-zip', 'z.zip'], { environment: { [name]: value } })).stderr
    // 200 kB of one letter compress to less than a hundredth.
    expect(await refused('MAX_ARCHIVE_FILES', '1')).toContain('Raise the limit with MAX_ARCHIVE_FILES.')
    expect(await refused('MAX_UNPACKED_FILE_MB', '0.1')).toContain('Raise the limit with MAX_UNPACKED_FILE_MB.')
    expect(await refused('MAX_UNPACKED_SIZE_MB', '0.3')).toContain('Raise the limit with MAX_UNPACKED_SIZE_MB.')
    expect(await refused('MAX_UNPACKED_RATIO', '2')).toContain('Raise the limit with MAX_UNPACKED_RATIO.')
    const free = { environment: { MAX_UNPACKED_RATIO: '0' } }
    expect((await run(['files', 'extract-zip', 'z.zip'], free)).code).toBe(0)
    expect(readFileSync(at('z_extracted/1.txt')).length).toBe(200_000)
  })
})

test('a page beyond the document has one error code and one exit code in every tool', async () => {
  const pdf = await PDFDocument.create()
  for (let page = 0; page < 3; page += 1) pdf.addPage([100, 100])
  writeFileSync(at('d.pdf'), await pdf.save())
  const tools: [string, ...string[]][] = [
    ['extract-pages', '--range', '9'],
    ['ocr-pdf', '--pages', '9'],
    ['organize-pdf', '--order', '9'],
    ['pdf-to-image', '--pages', '9'],
    ['remove-pages', '--pages', '9'],
    ['rotate-pdf', '--range', '9'],
    ['split-pdf', '--range', '9'],
  ]
  for (const [tool, ...more] of tools) {
    const { code, stderr } = await run(['pdf', tool, 'd.pdf', ...more])
    expect([tool, code, stderr]).toEqual([
      tool,
      1,
      expect.stringContaining('Page 9 was requested, but the document has 3 pages (TARGET_UNREACHABLE)'),
    ])
  }
})

describe('search', () => {
  test.each([
    ['resze', 'image resize'],
    ['watrmark', 'image watermark-text'],
    ['imge resize', 'image resize'],
    ['pfd merge', 'pdf merge-pdf'],
  ])('%s', async (text, tool) => {
    const { code, stdout, stderr } = await run(['search', text])
    expect(code).toBe(0)
    expect(stdout).toContain(tool)
    expect(stderr).toMatch(/no tool matches .*; showing results for/)
  })

  test('words that are not typos find nothing', async () => {
    expect((await run(['search', 'zqxv'])).code).toBe(2)
    expect((await run(['search', 'resize'])).stderr).toBe('')
  })
})

describe.runIf(process.getuid?.() === 0)('doctor as root', () => {
  test('detects that Chromium without a sandbox is blocked', async () => {
    writeFileSync(at('chromium'), '#!/bin/sh\necho Chromium 120.0.0.0\n', { mode: 0o755 })
    const { stdout } = await start(['doctor'], { environment: { MEDIAPROC_CHROMIUM: at('chromium') } })
    const note = stdout.slice(stdout.indexOf('\nchromium\n'))
    expect(stdout).toMatch(/^chromium +blocked/m)
    expect(note).toMatch(/^\nchromium\n {2}found, but cannot be used/)
    expect(note.split('\n\n')[0]).not.toContain('install:')
    expect(note).toContain('MEDIAPROC_CHROMIUM_SANDBOX=false')
  })
})
