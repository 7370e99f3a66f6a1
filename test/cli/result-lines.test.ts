import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeVideo } from '../helpers/av.ts'
import { namesIn, useScene } from '../helpers/program.ts'

const here = useScene()
const PLAIN = { NO_COLOR: '1' }
const onTerminal = (args: readonly string[], width = 90, environment: Record<string, string> = PLAIN) =>
  here.run(args, { terminal: width, environment })
const resize = (...files: string[]) => ['image', 'resize', ...files, '--width', '10', '-d', 'out', '--force']

/** The columns at which the names begin. */
const startsOf = (text: string): number[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.indexOf('out/'))

beforeEach(() => here.picture('図面の写真.png'))

describe('results on a terminal', () => {
  test('one result: dimensions, size, saving and time, then the name', async () => {
    const { stdout } = await onTerminal(resize('a.jpg'))
    const size = readFileSync(here.at('out', 'a_resize.jpg')).length
    expect(stdout).toMatch(new RegExp(`^10 × 5  ${size} B  [−+±]\\d+ %  [\\d.]+ m?s  out/a_resize\\.jpg\\n$`))
  })

  test('several: aligned, whatever the width of the names', async () => {
    await here.picture('b.jpg')
    const { stdout, stderr } = await onTerminal(resize('a.jpg', '図面の写真.png', 'b.jpg'))
    expect(new Set(startsOf(stdout)).size).toBe(1)
    expect(stdout).toContain('  10 × 5  ')
    expect(stderr).toContain('3 done')
  })

  test('narrow terminals omit columns, not names', async () => {
    for (const [width, columns] of [
      [72, /^10 × 5 {2}\d+ B {2}\S+ % {2}.* m?s {2}out/],
      [60, /^\d+ B {2}\S+ % {2}.* m?s {2}out/],
      [50, /^\d+ B {2}\S+ % {2}out/],
      [40, /^\d+ B {2}out/],
    ] as const)
      expect((await onTerminal(resize('a.jpg'), width)).stdout).toMatch(columns)
  })

  test('sets have sizes; results without dimensions have no empty column', async () => {
    const set = (await onTerminal(['image', 'favicon', 'a.jpg', '-d', 'out'])).stdout.trimEnd().split('\n')
    expect(set[0]).toMatch(/^ {4}16 × 16 {2,}\d+ B {2,}[\d.]+ m?s {2}out\/favicons\/favicon-16x16\.png$/)
    expect(set.find((line) => line.endsWith('.html'))).toMatch(/^ +\d+ B +out/)
    expect((await onTerminal(['image', 'info', 'a.jpg', '-o', 'info.json'])).stdout).toMatch(
      /^\d+ B {2}.* m?s {2}info\.json\n$/,
    )
  })

  test('dimensions of a video', async () => {
    const clip = await makeVideo({ seconds: 1, rotation: 90, width: 64, height: 48, audio: true })
    const { stdout } = await onTerminal(['video', 'mute-video', clip, '-o', 'quiet.mp4'])
    expect(stdout).toMatch(/^48 × 64 {2}.*quiet\.mp4\n$/)
  })

  test('links and colours only where they are supported', async () => {
    const link = `\u001b]8;;file://${hostname()}${here.at('out', 'a_resize.jpg')}\u001b\\out/a_resize.jpg\u001b]8;;\u001b\\`
    expect((await onTerminal(resize('a.jpg'), 90, { FORCE_HYPERLINK: '1' })).stdout).toContain(link)
    const without: Record<string, string>[] = [
      { FORCE_HYPERLINK: '0' },
      { NO_COLOR: '1', FORCE_HYPERLINK: '1' },
      { TERM: 'dumb', FORCE_HYPERLINK: '1' },
    ]
    for (const environment of without)
      expect((await onTerminal(resize('a.jpg'), 90, environment)).stdout).not.toContain('\u001b]8')
    expect((await onTerminal(resize('a.jpg'), 90, { FORCE_HYPERLINK: '0' })).stdout).toContain('\u001b[2m')
    expect((await onTerminal(resize('a.jpg'))).stdout).not.toContain('\u001b')
  })

  test('control characters of a name are not interpreted', async () => {
    await here.picture('x\u001b[31m.png')
    const { stdout } = await onTerminal(resize('x\u001b[31m.png'), 90, { NO_COLOR: '1' })
    expect(stdout).toContain('out/x\\u001b[31m_resize.png\n')
    expect((await onTerminal(resize('x\u001b[31m.png'), 90, { FORCE_HYPERLINK: '1' })).stdout).toContain('%1B%5B31m')
  })
})

test('pipes have one path per line; --quiet and --json are the same everywhere', async () => {
  expect((await here.run(resize('a.jpg', '図面の写真.png'))).stdout).toBe(
    'out/a_resize.jpg\nout/図面の写真_resize.png\n',
  )
  expect((await onTerminal([...resize('a.jpg'), '--quiet'])).stdout).toBe('')
  const [line] = (await onTerminal([...resize('a.jpg'), '--json'])).stdout.split('\n')
  expect(JSON.parse(line ?? '')).toMatchObject({ ok: true, outputs: [{ path: 'out/a_resize.jpg' }] })
  expect(namesIn(here.at('out'))).toEqual(['a_resize.jpg', '図面の写真_resize.png'])
})
