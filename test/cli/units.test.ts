import { execFileSync } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { commandLine } from '../../src/cli/command-line.ts'
import { completions } from '../../src/cli/commands/complete.ts'
import { toolHelp } from '../../src/cli/help.ts'
import { main } from '../../src/cli/main.ts'
import { makeIo } from '../../src/cli/output/io.ts'
import { showProgress } from '../../src/cli/output/progress.ts'
import { readableReport } from '../../src/cli/output/report.ts'
import { twoColumns, wrap } from '../../src/cli/output/text.ts'
import { splitNames } from '../../src/cli/picker.ts'
import { shellQuote } from '../../src/shell-quote.ts'
import { catalogue, findEntry, useScannedCatalogue } from '../../src/tool/registry.ts'
import { boolean, integer, list, text } from '../../src/tool/settings.ts'

beforeAll(async () => void (await useScannedCatalogue()))

/** Runs the program inside this process, with buffers for streams. */
async function inProcess(args: string[], width?: number): Promise<{ code: number; out: string; err: string }> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const io = makeIo({ stdin: () => new PassThrough(), stdout, stderr, width })
  const code = await main(args, io)
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
}

describe('one-liners', () => {
  const words = [
    'plain',
    'a b',
    "it's",
    '$HOME',
    '',
    'new\nline',
    '*',
    '-x',
    '😀',
    '"q"',
    '\\',
    '#c',
    "\u001b[31m%d'\\012$(id)\ty",
  ]

  test('quotes words for a shell', () => {
    const line = `printf '%s\\0' ${words.map(shellQuote).join(' ')}`
    expect(execFileSync('sh', ['-c', line], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(words)
  })

  test('settings of every kind', () => {
    const table = {
      withoutEnlargement: boolean('x'),
      width: integer('x'),
      terms: list(text('x'), 'x'),
      password: text('x', { secret: true }),
    }
    const settings = { withoutEnlargement: false, width: -3, terms: ['a', 'b'], password: 'secret' }
    const parts = { tool: 'image x', inputs: ['a b.jpg'], settings, table, secondary: { backgroundImage: 'c.png' } }
    expect(commandLine(parts)).toBe(
      "mediaproc image x 'a b.jpg' --no-without-enlargement --width -3 --terms a,b --password-file FILE --background-image c.png",
    )
    expect(commandLine({ tool: 'image x', inputs: ['-a.jpg'], settings: { terms: ['a,b'] }, table })).toBe(
      `mediaproc image x --terms '["a,b"]' -- -a.jpg`,
    )
  })

  test('names entered at a prompt', () => {
    expect(splitNames(` a.jpg "b c.jpg"  'd"e.jpg' *.png`)).toEqual(['a.jpg', 'b c.jpg', 'd"e.jpg', '*.png'])
  })
})

describe('text', () => {
  test('wraps at spaces and never exceeds the width', () => {
    expect(wrap('aa bb cc dd', 5)).toEqual(['aa bb', 'cc dd'])
    expect(wrap('longerthanthat x', 5)).toEqual(['longerthanthat', 'x'])
    expect(
      twoColumns(
        [
          ['-a', 'one two three'],
          ['a-very-long-left-column-that-is-too-wide', 'x'],
        ],
        30,
      ),
    ).toBe('  -a        one two three\n  a-very-long-left-column-that-is-too-wide\n            x\n')
  })

  test('aligns and nests reports', () => {
    const report = {
      width: 40,
      colorSpace: 'srgb',
      exif: null,
      sizes: [1, 2],
      histogram: [{ min: 0 }],
      none: [],
      gps: { lat: 1 },
    }
    expect(readableReport(report)).toBe(
      'width       40\ncolorSpace  srgb\nexif        -\nsizes       1, 2\nhistogram\n  1\n    min  0\nnone        none\ngps\n  lat  1\n',
    )
    expect(readableReport({ title: 'a\u001b[2Jb' })).toBe('title  a\\u001b[2Jb\n')
  })
})

describe('help', () => {
  test('every tool has a page within the width, with its settings and examples', () => {
    for (const entry of catalogue()) {
      const page = toolHelp(entry, 80)
      expect(page).toContain(`Usage: mediaproc ${entry.section} ${entry.id}`)
      expect(page).not.toMatch(/undefined|\[object/)
      for (const { title } of entry.examples) expect(page).toContain(`# ${title}`)
      // Commands may be longer: they are to be pasted.
      const tooLong = page.split('\n').filter((line) => line.length > 80 && !line.startsWith('  mediaproc '))
      expect(tooLong).toEqual([])
    }
  })

  test('no setting has the name of a common option without a letter', () => {
    const common = ['name', 'zip', 'newer', 'dry-run', 'settings', 'timeout', 'fail-fast', 'json', 'config']
    const taken = catalogue()
      .flatMap(({ settings }) => Object.keys(settings))
      .filter((name) => common.includes(name))
    expect(taken).toEqual([])
  })

  test('the whole program with buffers', async () => {
    const { code, out } = await inProcess(['image', 'resize', '-h'], 60)
    expect(code).toBe(0)
    expect(
      Math.max(
        ...out
          .split('\n')
          .filter((line) => !line.startsWith('  mediaproc'))
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(60)
    expect(await inProcess(['help', 'environment'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('MEDIAPROC_OFFLINE'),
    })
    expect(await inProcess(['help', 'outputs'])).toMatchObject({ code: 0, out: expect.stringContaining('{stem}') })
    expect(await inProcess(['image/resize', '--help'])).toMatchObject({ code: 0 })
  })

  test('doctor knows every engine that a tool names', async () => {
    const { code, out } = await inProcess(['doctor', '--json'])
    expect(code).toBe(0)
    const engines = JSON.parse(out) as { id: string; available: boolean; install?: string }[]
    const named = new Set(catalogue().flatMap((entry) => entry.engines))
    expect([...named].filter((id) => !engines.some((engine) => engine.id === id))).toEqual([])
    for (const engine of engines) expect(engine.available || engine.install).toBeTruthy()
  })

  test('colours only on a terminal', () => {
    const streams = {
      stdin: () => new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      stdoutIsTerminal: true,
    }
    vi.stubEnv('TERM', 'xterm')
    vi.stubEnv('NO_COLOR', '')
    vi.stubEnv('FORCE_COLOR', '')
    expect(makeIo(streams).outColours.bold('x')).toBe('\u001b[1mx\u001b[22m')
    expect(makeIo(streams).errColours.bold('x')).toBe('x')
    vi.stubEnv('NO_COLOR', '1')
    expect(makeIo(streams).outColours.bold('x')).toBe('x')
    vi.unstubAllEnvs()
  })

  test('FORCE_COLOR forces colours in a pipe, or disables them; NO_COLOR takes precedence', () => {
    const colours = (force: string, stdoutIsTerminal: boolean, no = ''): boolean => {
      vi.stubEnv('TERM', 'dumb')
      vi.stubEnv('FORCE_COLOR', force)
      vi.stubEnv('NO_COLOR', no)
      const streams = { stdin: () => new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
      return makeIo({ ...streams, stdoutIsTerminal }).outColours.bold('x') !== 'x'
    }
    expect([colours('1', false), colours('true', true), colours('', true), colours('', false)]).toEqual([
      ...[true, true, false, false],
    ])
    expect([colours('0', true), colours('false', true), colours('1', true, '1')]).toEqual([false, false, false])
    vi.unstubAllEnvs()
  })

  test('progress only if the cursor can be moved', async () => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100 })
    const draws = async () => {
      const io = makeIo({ stdin: () => new PassThrough(), stdout: new PassThrough(), stderr, stderrIsTerminal: true })
      const progress = await showProgress(io, ['a', 'b'], false, 'x')
      progress.update(0, 0.5, 'reading')
      progress.stop()
      return stderr.read() !== null
    }
    vi.stubEnv('TERM', 'xterm')
    expect(await draws()).toBe(true)
    vi.stubEnv('TERM', 'dumb')
    expect(await draws()).toBe(false)
    vi.unstubAllEnvs()
  })
})

describe('a terminal', () => {
  const terminal = (columns: number) => Object.assign(new PassThrough(), { isTTY: true, columns })

  test('without a size is treated as 80 columns until its size is known', () => {
    const stderr = terminal(0)
    const io = makeIo({ stdin: () => new PassThrough(), stdout: terminal(100), stderr, stderrIsTerminal: true })
    expect([io.width, io.stdout, io.stderr]).toMatchObject([80, { columns: 100 }, { columns: 80 }])
    stderr.columns = 120
    expect(io.stderr).toMatchObject({ columns: 120 })
    stderr.columns = 0
    expect(io.stderr).toMatchObject({ columns: 80 })
  })
})

describe('completion', () => {
  test.each([
    [['ima'], ['image']],
    [['image', 'gif-tools/'], ['gif-tools/info']],
    [
      ['image', 'resize', '--wi'],
      ['--width', '--without-enlargement'],
    ],
    [['image', 'resize', '--fit', 'out'], ['outside']],
    [['image', 'resize', 'a'], []],
    [['help', 'exit'], ['exit-codes']],
    [['image', 'nothing', '--x'], []],
    [['convert', 'a.jpg', '--to', 'web'], ['webp']],
    // A picture cannot become audio.
    [['convert', 'a.jpg', '--to', 'mp3'], []],
    [['convert', 'a.jpg', '--t'], ['--to']],
  ])('%j', (words, expected) => {
    expect(completions(words)).toEqual(expected)
  })

  test('finds actions by their full name', () => {
    expect(findEntry('gif-tools', 'image').actions.map(({ id }) => id)).toContain('info')
  })
})
