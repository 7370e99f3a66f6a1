import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { namesIn, useBuiltScene } from '../helpers/program.ts'

const here = useBuiltScene()
const { at, picture, resize, run, widthOf } = here

describe('inputs', () => {
  test('names of every kind', async () => {
    const long = `${'n'.repeat(251)}.png`
    const names = [
      '-dash.png',
      '--width.png',
      'new\nline.png',
      `quo'te"s.png`,
      ' blank .png',
      '😀.png',
      '[x]*.png',
      '@at.png',
      '#;&|$(x).png',
      long,
    ]
    for (const name of names) await picture(name)
    const { code, stdout } = await resize('--json', '-d', 'out', '--', ...names)
    expect(code).toBe(0)
    const outputs = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).outputs[0].path as string)
    expect(outputs).toEqual([
      ...names.slice(0, -1).map((name) => join('out', name.replace('.png', '_resize.png'))),
      join('out', `${'n'.repeat(244)}_resize.png`),
    ])
    for (const output of outputs) expect(await widthOf(output)).toBe(10)
  })

  test('a missing file, a folder, an empty file, text named as a picture: each has its message, and the others run', async () => {
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

  test.skipIf(process.platform !== 'linux')('reports a name that is not UTF-8', async () => {
    writeFileSync(Buffer.concat([Buffer.from(at('b')), Buffer.from([0xff]), Buffer.from('.jpg')]), '')
    const { code, stderr } = await resize('*.jpg')
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('or its name is not UTF-8') })
  })

  test('escapes control characters in a name', async () => {
    const { stderr } = await resize('\u001b[31mx\n.jpg')
    expect(stderr).toContain('\\u001b[31mx\\n.jpg: does not exist, nor does a file match')
  })

  test('patterns, in natural order; an existing name takes precedence', async () => {
    for (const name of ['i10.png', 'i2.png', 'i1.png']) await picture(name)
    expect((await resize('i*.png', '-d', 'o1')).stdout).toBe('o1/i1_resize.png\no1/i2_resize.png\no1/i10_resize.png\n')
    await picture('i*.png')
    expect((await resize('i*.png', '-d', 'o2')).stdout).toBe('o2/i*_resize.png\n')
    const { code, stderr } = await resize('zz*.png')
    expect(code).toBe(1)
    expect(stderr).toContain('zz*.png: does not exist, nor does a file match it as a pattern (FILE_NOT_FOUND)')
  })

  test('-r selects the files that the tool accepts, and -d recreates the folders', async () => {
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
    expect(await here.start(['image', 'resize', '-', '--width', '10'], { stdin: bytes })).toMatchObject({
      code: 0,
      stdout: 'stdin_resize.jpg\n',
    })
    const empty = await run(['image', 'resize', '-', '--width', '10'], { stdin: '' })
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('(EMPTY_FILE)') })
  })

  test('lists, by lines and by NUL bytes', async () => {
    await picture('line\nend.png')
    writeFileSync(at('list.txt'), 'a.jpg\r\n\nabsent.png\n')
    const lines = await resize('@list.txt', '-d', 'o1')
    expect(lines).toMatchObject({
      code: 1,
      stdout: 'o1/a_resize.jpg\n',
      stderr: expect.stringContaining('absent.png: does not exist'),
    })
    const zeros = await run(['image', 'resize', '@-', '-0', '--width', '10', '-d', 'o2', '--json'], {
      stdin: 'a.jpg\0line\nend.png\0',
    })
    expect(zeros.stdout.split('\n').length).toBe(3)
    expect(namesIn(at('o2'))).toEqual(['a_resize.jpg', 'line\nend_resize.png'])
    expect(await resize('@absent.txt')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The list absent.txt cannot be read (FILE_NOT_FOUND)'),
    })
  })

  test('processes a file named twice once', async () => {
    expect((await resize('a.jpg', './a.jpg', at('a.jpg'))).stdout).toBe('a_resize.jpg\n')
  })

  test('refuses an address of this machine, and leaves nothing', async () => {
    const { code, stderr } = await resize('http://127.0.0.1:9/a.jpg')
    expect(code).toBe(1)
    expect(stderr).toContain('127.0.0.1 is not a host of the public Internet (URL_REFUSED)')
    expect(
      await run(['image', 'info', 'https://example.org/a.jpg'], { environment: { MEDIAPROC_OFFLINE: '1' } }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(OFFLINE)'),
    })
    expect(namesIn(here.path)).toEqual(['a.jpg'])
  })
})
