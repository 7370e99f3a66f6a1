import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { qrMatrix } from '../../../src/engines/pictures/qrcode.ts'
import { CORNER_STYLES, DOT_STYLES } from '../../../tools/image/codes/qr-generate/drawing.ts'
import qr from '../../../tools/image/codes/qr-generate.ts'
import { at, plain, put, readRgba, type Samples } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const DATA = 'https://example.com/a?b=1'

async function drawn(settings: Record<string, unknown>, secondary: Record<string, string> = {}): Promise<Samples> {
  const { paths, names } = await run(qr, folder, [], settings, { secondary })
  expect(names).toEqual(['qrcode.png'])
  return readRgba(paths[0]!)
}

/**
 * The samples of a scanner: the middle of every module, dark or light; compared with the matrix of the standard. The three
 * finder patterns have no separate modules in the drawing, but must sample equally.
 */
async function wrongModules(pixels: Samples, level: 'L' | 'M' | 'Q' | 'H', margin = 2, text = DATA): Promise<number> {
  const matrix = await qrMatrix(text, level)
  const step = pixels.width / (matrix.side + 2 * margin)
  let wrong = 0
  for (let row = 0; row < matrix.side; row++)
    for (let column = 0; column < matrix.side; column++) {
      const [x, y] = [Math.floor((column + margin + 0.5) * step), Math.floor((row + margin + 0.5) * step)]
      const [red = 255, , , alpha = 255] = at(pixels, x, y)
      if ((red < 128 && alpha > 128) !== matrix.dark(row, column)) wrong++
    }
  return wrong
}

describe.each(DOT_STYLES)('dots %s', (dotStyle) => {
  test.each(CORNER_STYLES)(
    'corners %s: every module except the rounded ends of finders samples correctly',
    async (cornerStyle) => {
      const wrong = await wrongModules(await drawn({ data: DATA, dotStyle, cornerStyle, size: 600 }), 'M')
      // A round finder frame makes the modules at its corners light: at most 12; scanners search its middle lines.
      const corners = { square: 0, rounded: 0, 'extra-rounded': 12, dot: 48 }[cornerStyle]
      expect(wrong).toBeLessThanOrEqual(corners)
    },
  )
})

test('the middle lines of a finder have the ratio 1:1:3:1:1 in every style', async () => {
  for (const cornerStyle of CORNER_STYLES) {
    const pixels = await drawn({ data: DATA, cornerStyle, size: 660, margin: 2 })
    const { side } = await qrMatrix(DATA, 'M')
    const step = 660 / (side + 4)
    const y = Math.floor((2 + 3.5) * step)
    const runs: number[] = []
    let previous = false
    for (let x = Math.floor(2 * step); x < Math.floor(9 * step); x++) {
      const dark = at(pixels, x, y)[0]! < 128
      if (dark === previous && runs.length) runs[runs.length - 1]!++
      else runs.push(1)
      previous = dark
    }
    const modules = runs.map((length) => Math.round(length / step))
    expect(modules.filter(Boolean), cornerStyle).toEqual([1, 1, 3, 1, 1])
  }
})

test.each(['L', 'M', 'Q', 'H'] as const)('level %s', async (errorCorrectionLevel) => {
  expect(await wrongModules(await drawn({ data: DATA, errorCorrectionLevel }), errorCorrectionLevel)).toBe(0)
})

describe('look', () => {
  test('size and margin', async () => {
    const pixels = await drawn({ data: DATA, size: 333, margin: 5 })
    expect(pixels).toMatchObject({ width: 333, height: 333 })
    expect(await wrongModules(pixels, 'M', 5)).toBe(0)
    expect(await wrongModules(await drawn({ data: DATA, margin: 0 }), 'M', 0)).toBe(0)
  })

  test('colours, and a transparent background', async () => {
    const coloured = await drawn({ data: DATA, colorDark: '#1e3a8a', colorLight: '#fef3c7', size: 400 })
    expect(at(coloured, 1, 1)).toEqual([0xfe, 0xf3, 0xc7])
    const { side } = await qrMatrix(DATA, 'M')
    const first = Math.floor(2.5 * (400 / (side + 4)))
    expect(at(coloured, first, first)).toEqual([0x1e, 0x3a, 0x8a])
    expect(at(await drawn({ data: DATA, colorLight: 'transparent' }), 1, 1)[3]).toBe(0)
  })

  test('text in any script', async () => {
    const text = 'Grüße, 世界 🎉'
    expect(await wrongModules(await drawn({ data: text }), 'M', 2, text)).toBe(0)
  })
})

describe('a logo', () => {
  test('is centred, 22 % of the side, level H; its area can be restored', async () => {
    const logo = await put(folder, 'logo.png', plain(30, 30, '#ff0000').png())
    const pixels = await drawn({ data: DATA, size: 500 }, { logo })
    expect(at(pixels, 250, 250)).toEqual([255, 0, 0])
    expect(at(pixels, 250 - 54, 250)).toEqual([255, 0, 0])
    expect(at(pixels, 250 - 57, 250)).not.toEqual([255, 0, 0])
    const { side } = await qrMatrix(DATA, 'H')
    // Level H restores 30 % of the code words.
    expect((await wrongModules(pixels, 'H')) / side ** 2).toBeLessThan(0.06)
  })

  test.each(['png', 'jpeg'] as const)('as a data URI of a %s', async (format) => {
    const bytes = await plain(30, 20, '#00ff00').toFormat(format, { quality: 100 }).toBuffer()
    const pixels = await drawn({
      data: DATA,
      size: 500,
      logoDataUri: `data:image/${format};base64,${bytes.toString('base64')}`,
    })
    const [r, g, b] = at(pixels, 250, 250) as [number, number, number]
    expect([r < 5, g > 250, b < 5]).toEqual([true, true, true])
  })

  test('a rotated JPEG is upright', async () => {
    const sideways = await sharp(
      await plain(30, 30, '#ff0000')
        .composite([{ input: await plain(30, 15, '#0000ff').png().toBuffer(), left: 0, top: 0 }])
        .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
        .toBuffer(),
    )
      .withMetadata({ orientation: 3 })
      .jpeg({ quality: 100 })
      .toBuffer()
    const pixels = await drawn({
      data: DATA,
      size: 500,
      logoDataUri: `data:image/jpeg;base64,${sideways.toString('base64')}`,
    })
    expect(at(pixels, 250, 220)[0]).toBeGreaterThan(240)
    expect(at(pixels, 250, 280)[2]).toBeGreaterThan(240)
  })

  test('unreadable', async () => {
    const broken = await put(folder, 'broken.png', Buffer.from('\x89PNG\r\n\x1a\nnonsense', 'latin1'))
    await expect(drawn({ data: DATA }, { logo: broken })).rejects.toMatchObject({ code: 'INVALID_FILE' })
    await expect(drawn({ data: DATA, logoDataUri: 'data:image/png;base64,AAAA' })).rejects.toMatchObject({
      code: 'INVALID_FILE',
    })
    await expect(drawn({ data: DATA, logoDataUri: 'data:text/html,hello' })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})

test('reports too much data for the level; a lower level fits', async () => {
  const data = 'x'.repeat(1500)
  await expect(drawn({ data, errorCorrectionLevel: 'H' })).rejects.toMatchObject({
    code: 'PROCESSING_FAILED',
    message: expect.stringContaining('1500'),
  })
  expect(await wrongModules(await drawn({ data, errorCorrectionLevel: 'L', size: 1000 }), 'L', 2, data)).toBe(0)
})

test('the file is a PNG', async () => {
  const { paths } = await run(qr, folder, [], { data: DATA })
  expect((await readFile(paths[0]!)).subarray(1, 4).toString()).toBe('PNG')
})
