/** Picture formats of plugins, with the built program: they import `mediaproc/tool`, and run on threads, which only a build has. */
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../../src/root.ts'
import { usePluginScene } from '../helpers/plugin-scene.ts'
import { namesIn } from '../helpers/program.ts'

const scene = usePluginScene()
const PAGE = readFileSync(new URL('docs/plugins.md', ROOT), 'utf8')
const EXAMPLE = /```js\n(\/\/ formats\/grey8\.mjs[\s\S]*?)```/.exec(PAGE)?.[1] ?? ''
const PLUGIN = ['--plugin', './formats']
const { at, run, serve } = scene

/** A format with the content `ODD!` and any of its functions. */
const odd = (members: string): string => `
  import { defineFormat, MediaprocError } from 'mediaproc/tool'
  export default defineFormat({
    id: 'odd', extensions: ['odd'], mediaType: 'image/x-odd',
    detect: (head) => Buffer.from(head.subarray(0, 4)).toString() === 'ODD!',
    size: () => ({ width: 4, height: 2 }),
    decode: () => ({ width: 4, height: 2, channels: 3, bitDepth: 8, pixels: new Uint8Array(24).fill(7) }),
    ${members}
  })`

beforeEach(async () => {
  mkdirSync(at('formats'))
  writeFileSync(at('formats/grey8.mjs'), EXAMPLE)
  writeFileSync(at('a.grey8'), Buffer.concat([Buffer.from('GREY'), Buffer.of(0, 6, 0, 4), Buffer.alloc(24, 100)]))
  await sharp({ create: { width: 8, height: 8, channels: 3, background: '#c8c8c8' } })
    .png()
    .toFile(at('b.png'))
})

describe('the example of the page', () => {
  test('opens in image tools, is a choice of convert, and is listed', async () => {
    expect(EXAMPLE.trim().split('\n').length).toBeLessThanOrEqual(27)
    expect(run(['image', 'resize', 'a.grey8', '--width', '3', ...PLUGIN])).toMatchObject({
      ...{ code: 0, stdout: 'a_resize.png\n', stderr: '' },
    })
    expect(await sharp(at('a_resize.png')).metadata()).toMatchObject({ width: 3, height: 2, channels: 1 })
    expect(JSON.parse(run(['image', 'info', 'a.grey8', ...PLUGIN]).stdout)).toMatchObject({ format: 'grey8', width: 6 })
    // The content decides: the name of a renamed file does not matter.
    writeFileSync(at('renamed.png'), readFileSync(at('a.grey8')))
    expect(JSON.parse(run(['image', 'info', 'renamed.png', ...PLUGIN]).stdout)).toMatchObject({ format: 'grey8' })
    expect(run(['image', 'convert', 'b.png', '--format', 'grey8', ...PLUGIN]).stdout).toBe('b.grey8\n')
    expect(readFileSync(at('b.grey8'))).toEqual(
      Buffer.concat([Buffer.from('GREY'), Buffer.of(0, 8, 0, 8), Buffer.alloc(64, 200)]),
    )
    expect(run(['image', 'resize', 'b.png', '--width', '4', '-o', 'c.g8', ...PLUGIN]).code).toBe(0)
    expect(readFileSync(at('c.g8')).length).toBe(8 + 16)
    expect(run(['convert', 'a.grey8', 'd.webp', ...PLUGIN])).toMatchObject({ code: 0, stdout: 'd.webp\n' })
    writeFileSync(at('p.yaml'), 'steps:\n  - image/rotate: { angle: 90 }\n  - image/convert: { format: grey8 }\n')
    expect(run(['run', 'p.yaml', 'a.grey8', ...PLUGIN]).stdout).toBe('a_p.grey8\n')
    expect([...readFileSync(at('a_p.grey8')).subarray(4, 8)]).toEqual([0, 4, 0, 6])
  })

  test('is in help, completion, the list of tools and of plugins, and no longer there without the plugin', () => {
    const help = run(['image', 'convert', '--help', ...PLUGIN]).stdout
    expect(help.match(/grey8/g)?.length).toBeGreaterThan(1)
    expect(run(['__complete', ...PLUGIN, 'image', 'convert', '--format', 'grey']).stdout).toBe('grey8\n')
    const tools = JSON.parse(run(['tools', 'image', '--json', ...PLUGIN]).stdout) as {
      id: string
      settings: object[]
    }[]
    const format = tools
      .find(({ id }) => id === 'convert')
      ?.settings.find((one) => 'name' in one && one.name === 'format')
    expect(format).toMatchObject({ enum: expect.arrayContaining(['grey8']) })
    const { plugins } = JSON.parse(run(['plugins', '--json', ...PLUGIN]).stdout)
    expect(plugins[0].formats).toEqual([{ id: 'grey8', extensions: ['grey8', 'g8'], reads: true, writes: true }])
    const without = run(['image', 'convert', 'b.png', '--format', 'grey8'])
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--format')])
    expect(run(['image', 'info', 'a.grey8']).stderr).toContain('of no known type')
  })

  test('is offered by a server that is asked to', async () => {
    const child = serve(...PLUGIN)
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const base = line.toString().trim()
      const send = async (file: string, format: string): Promise<Buffer> => {
        const body = new FormData()
        body.set('file', new Blob([readFileSync(at(file))]), file)
        body.set('settings', JSON.stringify({ format }))
        const answer = await fetch(`${base}/api/v1/tools/image/convert`, { method: 'POST', body })
        const { downloadUrl, ...rest } = (await answer.json()) as { downloadUrl: string }
        expect([answer.status, rest]).toEqual([200, expect.anything()])
        return Buffer.from(await (await fetch(base + downloadUrl)).arrayBuffer())
      }
      expect(await sharp(await send('a.grey8', 'png')).metadata()).toMatchObject({ width: 6, height: 4 })
      expect((await send('b.png', 'grey8')).subarray(0, 4).toString()).toBe('GREY')
      expect(await (await fetch(`${base}/api/v1/openapi.yaml`)).text()).toContain('grey8')
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })

  test('a damaged file and one that is too large are errors, and the others are done', () => {
    writeFileSync(at('cut.grey8'), readFileSync(at('a.grey8')).subarray(0, 20))
    writeFileSync(at('huge.grey8'), Buffer.concat([Buffer.from('GREY'), Buffer.alloc(4, 255)]))
    const { code, stdout, stderr } = run([
      'image',
      'resize',
      'cut.grey8',
      'huge.grey8',
      'a.grey8',
      '--width',
      '3',
      ...PLUGIN,
    ])
    expect([code, stdout]).toEqual([1, 'a_resize.png\n'])
    expect(stderr).toContain('cut.grey8: The GREY8 file is cut off (INVALID_FILE)')
    expect(stderr).toMatch(/huge\.grey8: is 65535 x 65535 pixels .*\(LIMIT_EXCEEDED\)/)
  })
})

describe('a format that breaks its contract is a clear error, and changes nothing else', () => {
  const big = 'const all = []; for (;;) all.push(new Uint8Array(2 ** 24).fill(1))'
  test.each<[string, string, RegExp, Record<string, string>?]>([
    [
      'no size',
      'size: () => ({ width: Number.NaN, height: 2 })',
      /plugin formats declares a picture of NaN × 2 pixels/,
    ],
    [
      'too few pixels',
      'decode: () => ({ width: 4, height: 2, channels: 3, bitDepth: 8, pixels: new Uint8Array(5) })',
      /returned a Uint8Array of 5 instead of a Uint8Array of 24/,
    ],
    [
      'another size',
      'decode: () => ({ width: 400, height: 2, channels: 3, bitDepth: 8, pixels: new Uint8Array(2400) })',
      /returned 400 × 2 pixels/,
    ],
    ['nothing', 'decode: () => undefined', /The format odd of the plugin formats returned/],
    [
      'an error',
      'decode: () => { throw new TypeError("oops") }',
      /The format odd of the plugin formats cannot work with the file: oops/,
    ],
    [
      'an error later',
      'decode: () => new Promise(() => setTimeout(() => { throw new Error("late") }))',
      /plugin formats stopped: late/,
    ],
    ['an end of the program', 'decode: () => process.exit(0)', /The format odd of the plugin formats stopped/],
    ['no end', 'decode: () => { for (;;); }', /took longer than 5 s \(TIMEOUT\)/, { MEDIAPROC_FORMAT_TIMEOUT_S: '5' }],
    [
      'too many buffers',
      `decode: () => { ${big} }`,
      /memory.*\(LIMIT_EXCEEDED\)/,
      { MEDIAPROC_FORMAT_MEMORY_MB: '200' },
    ],
    [
      'too large a heap',
      'decode: () => { const all = []; for (;;) all.push({ a: [1, 2] }) }',
      /memory.*\(LIMIT_EXCEEDED\)/,
      { MEDIAPROC_FORMAT_MEMORY_MB: '40' },
    ],
    [
      'an error of detect',
      'detect: () => { throw new Error("no") }',
      /warning: The format odd of the plugin formats cannot recognise files: no$/m,
    ],
  ])('%s', (_what, members, message, more = {}) => {
    writeFileSync(at('formats/odd.mjs'), odd(members))
    writeFileSync(at('x.odd'), 'ODD!')
    const { code, stdout, stderr } = run(['image', 'resize', 'x.odd', 'a.grey8', '--width', '3', ...PLUGIN], more)
    expect(stderr).toMatch(message)
    expect([code, stdout]).toEqual([1, 'a_resize.png\n'])
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test.each<[string, string, RegExp]>([
    ['nothing written', 'encode: () => undefined', /odd of the plugin formats returned no bytes/],
    ['another size written', 'encode: () => Buffer.from("ODD!")', /wrote a picture of another size: 4 × 2 pixels/],
    ['an error', 'encode: () => { throw new Error("full") }', /cannot work with the file: full/],
  ])('%s', (_what, members, message) => {
    writeFileSync(at('formats/odd.mjs'), odd(members))
    const { code, stderr } = run(['image', 'convert', 'b.png', '--format', 'odd', ...PLUGIN])
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringMatching(message)])
    expect(namesIn(scene.path)).not.toContain('b.odd')
  })

  test.each<[string, string, RegExp]>([
    ['no decode', "decode: undefined, mediaType: 'image/x'", /without the function decode/],
    ['a bad extension', "extensions: ['.odd']", /without a dot/],
    ['the id of a document', "id: 'pdf'", /pdf, which is a type of other files/],
    ['the id of a built-in format', "id: 'png'", /without encode, which mediaproc itself already reads/],
  ])('a declaration with %s', (_what, members, message) => {
    mkdirSync(at('bad'))
    writeFileSync(at('bad/odd.mjs'), odd(members))
    const { code, stderr } = run(['image', 'resize', 'a.grey8', '--width', '3', '--plugin', './bad', ...PLUGIN])
    expect(code).toBe(0)
    expect(stderr).toMatch(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

test('formats with the name of a built-in one only add an encoder, and animations have their frames', async () => {
  const frame = 'pixels: new Uint8Array(24).fill'
  writeFileSync(
    at('formats/odd.mjs'),
    odd(`size: () => ({ width: 4, height: 2, frames: 3 }),
      decode: () => ({ width: 4, height: 2, channels: 3, bitDepth: 8, ${frame}(10), delay: 50,
        frames: [{ ${frame}(100), delay: 70 }, { ${frame}(200), delay: 90 }] })`),
  )
  writeFileSync(
    at('formats/png.mjs'),
    `${odd("id: 'png', size: () => ({ width: 8, height: 8 }), encode: () => Buffer.from(PNG, 'base64')")}
    const PNG = '${readFileSync(at('b.png')).toString('base64')}'`,
  )
  writeFileSync(at('x.odd'), 'ODD!')
  expect(run(['image', 'convert', 'x.odd', '--format', 'webp', ...PLUGIN])).toMatchObject({ code: 0, stderr: '' })
  const { pages, delay } = await sharp(at('x.webp'), { animated: true }).metadata()
  expect([pages, delay]).toEqual([3, [50, 70, 90]])
  expect(run(['image', 'convert', 'x.odd', '--format', 'jpg', ...PLUGIN]).stderr).toContain('3 frames')
  expect((await sharp(at('x.jpg')).stats()).channels[0]?.mean).toBeLessThan(12)
  const made = run(['image', 'convert', 'b.png', '--format', 'formats.png', '-o', 'own.png', ...PLUGIN])
  expect(made).toMatchObject({ code: 0, stdout: 'own.png\n' })
})

test('a configuration names the plugin of this repository', async () => {
  writeFileSync(at('mediaproc.config.yaml'), `plugins: [${fileURLToPath(new URL('plugins/formats', ROOT))}]\n`)
  const config = ['--config', 'mediaproc.config.yaml']
  expect(run(['image', 'convert', 'b.png', '--format', 'sgi', ...config])).toMatchObject({ code: 0, stdout: 'b.sgi\n' })
  expect(run(['convert', 'b.sgi', 'c.pfm', ...config])).toMatchObject({ code: 0, stdout: 'c.pfm\n' })
  // Reading float maps with 16 bits is the plugin's; mediaproc itself reads them with 8.
  expect(JSON.parse(run(['image', 'info', 'c.pfm', ...config]).stdout)).toMatchObject({ bitDepth: '16', format: 'pfm' })
  expect(JSON.parse(run(['image', 'info', 'c.pfm']).stdout)).toMatchObject({ bitDepth: '8' })
})
