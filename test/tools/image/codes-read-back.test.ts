import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import barcode from '../../../tools/image/codes/barcode-generate.ts'
import qr from '../../../tools/image/codes/qr-generate.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** The result of an independent reader (Debian's zbar-tools) for a picture. */
const read = (path: string): string => spawnSync('zbarimg', ['-q', '--raw', path], { encoding: 'utf8' }).stdout.trim()
const hasReader = spawnSync('zbarimg', ['--version']).status === 0

const URL = 'https://example.com/a?b=1'

/** The picture as a phone may see it: small, blurred, on a page of this colour. */
async function seen(path: string, page = '#000000'): Promise<string> {
  const small = sharp(path).flatten({ background: '#ffffff' }).resize(120).blur(0.7)
  const edge = { top: 24, bottom: 24, left: 24, right: 24, background: page }
  const to = join(folder, 'seen.png')
  await sharp(await small.png().toBuffer())
    .extend(edge)
    .toFile(to)
  return to
}

describe('a QR code is read back before it is returned', () => {
  test.each([
    ['the default', {}, []],
    ['three modules of margin', { margin: 3 }, []],
    ['dots', { dotStyle: 'dots', cornerStyle: 'dot', margin: 4 }, []],
    ['blue on cream', { colorDark: '#1e3a8a', colorLight: '#fef3c7' }, []],
    ['no margin', { margin: 0 }, ['quiet-zone']],
    ['one module of margin', { margin: 1 }, ['quiet-zone']],
    ['white on black', { colorDark: '#ffffff', colorLight: '#000000' }, ['inverted']],
    ['white on transparent', { colorDark: '#ffffff', colorLight: 'transparent' }, ['inverted']],
    ['light grey', { colorDark: '#bbbbbb' }, ['contrast']],
    ['black on nearly black', { colorLight: '#222222' }, ['contrast']],
    ['nearly white', { colorDark: '#eeeeee' }, ['contrast', 'unreadable']],
    ['too small', { data: 'x'.repeat(300), size: 100, dotStyle: 'dots' }, ['module-size', 'unreadable']],
  ] as const)('%s', async (_name, settings, reasons) => {
    const { warnings } = await run(qr, folder, [], { data: URL, ...settings })
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual([...reasons])
  })

  test('a logo that covers too much of a small code in a wide margin', async () => {
    const logo = join(folder, 'square.png')
    await sharp({ create: { width: 40, height: 40, channels: 3, background: '#cc0000' } })
      .png()
      .toFile(logo)
    const { warnings } = await run(qr, folder, [], { data: 'hello', margin: 20 }, { secondary: { logo } })
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual(['logo', 'unreadable'])
    expect((await run(qr, folder, [], { data: URL }, { secondary: { logo } })).warnings).toEqual([])
  })

  test('--strict writes none that may not be readable; colours that no reader can distinguish are refused', async () => {
    await expect(run(qr, folder, [], { data: URL, margin: 0 }, { strict: true })).rejects.toMatchObject({
      code: 'REFUSED_BY_STRICT',
      message: expect.stringContaining('--margin 4'),
    })
    await expect(run(qr, folder, [], { data: URL, colorDark: '#fefefe' })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })

  test.skipIf(!hasReader)('zbarimg agrees', async () => {
    const path = async (settings: object) => (await run(qr, folder, [], { data: URL, ...settings })).paths[0]!
    for (const settings of [{}, { margin: 3 }, { dotStyle: 'dots', cornerStyle: 'dot', margin: 4 }])
      expect(read(await seen(await path(settings))), JSON.stringify(settings)).toBe(URL)
    expect(read(await seen(await path({ margin: 0 })))).toBe('')
    expect(read(await path({ colorDark: '#ffffff', colorLight: '#000000' }))).toBe('')
  })
})

describe('a barcode is read back before it is returned', () => {
  test.each([
    ['code128', 'PARCEL-2026'],
    ['ean13', '590123412345'],
    ['upca', '03600029145'],
    ['code39', 'ABC-12'],
    ['itf14', '1234567890123'],
    ['datamatrix', 'Größe 日本'],
  ])('%s of every bar width', async (type, text) => {
    for (const scale of [1, 3])
      expect((await run(barcode, folder, [], { type, text, scale })).warnings, `${scale}`).toEqual([])
  })

  test('a Code 128 that is too long', async () => {
    const { warnings, paths } = await run(barcode, folder, [], { text: 'x'.repeat(256) })
    expect(warnings).toEqual([expect.stringMatching(/^length: .*datamatrix/)])
    if (hasReader) expect(read(paths[0]!)).toBe('')
  })

  test('quiet zones of the standards', async () => {
    for (const [type, text, least] of [
      ['ean13', '590123412345', 22],
      ['datamatrix', 'SN 4711', 8],
    ] as const) {
      const { paths } = await run(barcode, folder, [], { type, text, scale: 2, includeText: false })
      const { data, info } = await sharp(paths[0]!).greyscale().raw().toBuffer({ resolveWithObject: true })
      const row = data.subarray(info.width * 20, info.width * 21)
      expect(row.indexOf(0), type).toBeGreaterThanOrEqual(least)
    }
  })
})
