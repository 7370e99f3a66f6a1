import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { halfTransparentShare } from '../../../src/media/image/metadata/half-transparent.ts'
import compose from '../../../tools/image/compose/compose.ts'
import convert from '../../../tools/image/convert/convert.ts'
import resize from '../../../tools/image/geometry/resize.ts'
import textOverlay from '../../../tools/image/text/text-overlay.ts'
import { animation, at, plain, put, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const LOSS = /^GIF has no half-transparent pixels: (\d+) % of (\S+) become opaque or clear$/

/** A transparent picture with a rectangle of one colour. */
const onClear = (size: number, colour: string, box: { left: number; top: number; width: number; height: number }) =>
  plain(size, size, '#00000000').composite([
    {
      input: { create: { width: box.width, height: box.height, channels: 4, background: colour } },
      left: box.left,
      top: box.top,
    },
  ])

describe('share of semi-transparent areas', () => {
  const shareOf = (alpha: readonly string[], pages = 1): number => {
    const [width, height] = [alpha[0]!.length, alpha.length]
    const levels: Record<string, number> = { '.': 0, '#': 255, h: 128, f: 8, o: 250 }
    const data = Buffer.from([...alpha.join('')].flatMap((level) => [9, levels[level]!]))
    return halfTransparentShare({ data, width, height, channels: 2, pageHeight: height / pages })
  }

  test.each([
    ['an edge', ['..hh##', '..hh##', '..hh##'], 0],
    ['a line', ['......', 'hhhhhh', '######'], 0],
    ['an area', ['.....', '.hhh.', '.hhh.', '.hhh.', '.....'], 1 / 25],
    ['everything', ['hhh', 'hhh'], 1],
    ['nearly clear', ['fff', 'fff'], 0],
    ['nearly opaque', ['ooo', 'ooo'], 0],
    ['a row of the end and one of the start', ['....hh', 'hh....'], 0],
  ])('%s', (_what, alpha, share) => {
    expect(shareOf(alpha)).toBeCloseTo(share, 10)
  })

  test('uses the frame with the most; frames are not neighbours', () => {
    expect(shareOf(['....', '....', 'hhh.', 'hhh.'], 2)).toBe(0.5)
    expect(shareOf(['....', '.hh.', '.hh.', '....'], 2)).toBe(0)
  })

  test('opaque pixels have none', () => {
    expect(halfTransparentShare({ data: Buffer.alloc(12, 128), width: 2, height: 2, channels: 3, pageHeight: 2 })).toBe(
      0,
    )
  })
})

describe('written as GIF', () => {
  test('reports an area with its share', async () => {
    const area = onClear(50, '#ff000080', { left: 10, top: 10, width: 22, height: 22 })
    const { paths, warnings } = await run(convert, folder, [await put(folder, 'area.png', area.png())], {
      format: 'gif',
    })
    expect(warnings).toEqual(['GIF has no half-transparent pixels: 16 % of area.png become opaque or clear'])
    expect(at(await readRgba(paths[0]!), 20, 20)).toEqual([255, 0, 0])
  })

  test('an animation whose second frame has an area', async () => {
    const path = await animation(join(folder, 'fades.webp'), ['#ff0000ff', '#ff000060'])
    const { paths, warnings } = await run(convert, folder, [path], { format: 'gif' })
    expect(warnings.map((one) => LOSS.exec(one)?.slice(1))).toEqual([['100', 'fades.webp']])
    expect(at(await readRgba(paths[0]!, 1), 20, 12)[3]).toBe(0)
  })

  test('16 bit', async () => {
    const deep = plain(40, 40, '#00ff0080').pipelineColourspace('rgb16').toColourspace('rgb16').png()
    const { warnings } = await run(convert, folder, [await put(folder, 'deep.png', deep)], { format: 'gif' })
    expect(warnings.some((one) => LOSS.exec(one)?.[1] === '100')).toBe(true)
  })

  test('a band drawn on a transparent GIF', async () => {
    const clear = await put(
      folder,
      'clear.gif',
      onClear(80, '#0000ff', { left: 0, top: 0, width: 80, height: 10 }).gif(),
    )
    const settings = { text: 'x', background: '#dc262680', padding: 16, shadow: false }
    const { paths, warnings } = await run(textOverlay, folder, [clear], settings)
    expect((await sharp(paths[0]!).metadata()).format).toBe('gif')
    expect(warnings.map((one) => LOSS.test(one))).toEqual([true])
  })

  test('edges, opaque and transparent pixels are no loss', async () => {
    const disc = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><circle cx="45" cy="45" r="40"/></svg>'
    const round = await put(folder, 'disc.png', sharp(Buffer.from(disc)).png())
    expect((await run(convert, folder, [round], { format: 'gif' })).warnings).toEqual([])
    const gif = await put(folder, 'disc.gif', sharp(Buffer.from(disc)).gif())
    expect((await run(resize, folder, [gif], { width: 50 })).warnings).toEqual([])
  })

  test('a semi-transparent layer on an opaque picture is blended', async () => {
    const ground = await put(folder, 'ground.gif', plain(60, 60, '#ffffff').gif())
    const overlay = await put(folder, 'layer.png', plain(30, 30, '#ff000080').png())
    const { paths, warnings } = await run(compose, folder, [ground], {}, { secondary: { overlay } })
    expect(warnings).toEqual([])
    expect(paths).toHaveLength(1)
  })
})

test('formats with an alpha channel keep areas', async () => {
  const area = onClear(50, '#ff000080', { left: 10, top: 10, width: 22, height: 22 })
  const path = await put(folder, 'kept.png', area.png())
  for (const format of ['webp', 'tiff']) {
    const { paths, warnings } = await run(convert, folder, [path], { format })
    expect(warnings).toEqual([])
    expect(at(await readRgba(paths[0]!), 20, 20)[3]).toBe(128)
  }
})
