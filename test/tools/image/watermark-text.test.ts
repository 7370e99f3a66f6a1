import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { tileAnchors } from '../../../tools/image/text/watermark-text/tiles.ts'
import watermarkText from '../../../tools/image/text/watermark-text.ts'
import { inkBounds } from '../../helpers/ink.ts'
import {
  animation,
  at,
  difference,
  jpegWithProfile,
  plain,
  png16,
  put,
  ramp16,
  read16,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const WHITE = [255, 255, 255]
/** A bar without serifs, a fifth as thick as high. */
const solid = { text: 'I', font: 'anton' }
const white = await put(folder, 'white.png', plain(600, 400, '#ffffff').png())

async function marked(settings: Record<string, unknown>, input = white): Promise<string> {
  const { paths, names } = await run(watermarkText, folder, [input], { opacity: 100, ...settings })
  expect(names).toHaveLength(1)
  return paths[0]!
}
const pixels = async (settings: Record<string, unknown>, input = white) => readRgba(await marked(settings, input))

test('the name and format are those of the input', async () => {
  expect((await run(watermarkText, folder, [white], { text: 'x' })).names).toEqual(['white_watermark-text.png'])
})

describe('position', () => {
  test('center: the middle of the letters is the middle of the image', async () => {
    const bounds = inkBounds(await pixels({ text: 'HIH', fontSize: 100 }), WHITE)!
    expect(Math.abs(bounds.left - bounds.right)).toBeLessThanOrEqual(1)
    expect(Math.abs(bounds.top - bounds.bottom)).toBeLessThanOrEqual(1)
    expect(400 - bounds.top - bounds.bottom).toBeGreaterThan(68)
    expect(400 - bounds.top - bounds.bottom).toBeLessThan(76)
  })

  test.each([
    ['top-left', 'left', 'top'],
    ['top-right', 'right', 'top'],
    ['bottom-left', 'left', 'bottom'],
    ['bottom-right', 'right', 'bottom'],
  ] as const)('%s: as far from both edges as the letters are high', async (position, across, down) => {
    const bounds = inkBounds(await pixels({ text: 'HIH', fontSize: 40, position }), WHITE)!
    expect(Math.abs(bounds[across] - 40)).toBeLessThanOrEqual(1)
    expect(Math.abs(bounds[down] - 40)).toBeLessThanOrEqual(1)
    const other = across === 'left' ? 'right' : 'left'
    expect(bounds[other]).toBeGreaterThan(400)
  })

  test('tiled: a grid of 6 by 4 sizes around the middle', async () => {
    expect(tileAnchors({ width: 600, height: 400 }, 25)).toHaveLength(16)
    const picture = await pixels({ ...solid, fontSize: 25, position: 'tiled' })
    for (const x of [75, 225, 375, 525])
      for (const y of [50, 150, 250, 350]) {
        expect(at(picture, x, y)[0]).toBeLessThan(80)
        expect(at(picture, x + 40, y)).toEqual(WHITE)
      }
    const asTile = await pixels({ ...solid, fontSize: 25, tile: true })
    expect(difference(picture, asTile).most).toBe(0)
  })

  test('tiled: at most 500 copies, all over the image', () => {
    const anchors = tileAnchors({ width: 4000, height: 3000 }, 8)
    expect(anchors.length).toBeLessThanOrEqual(500)
    expect(anchors.length).toBeGreaterThan(400)
    expect(Math.min(...anchors.map(({ x }) => x))).toBeLessThan(300)
    expect(Math.max(...anchors.map(({ x }) => x))).toBeGreaterThan(3700)
    expect(Math.max(...anchors.map(({ y }) => y))).toBeGreaterThan(2800)
  })

  test('tiled: letters larger than the image are in its middle', async () => {
    const picture = await pixels({ ...solid, fontSize: 1000, position: 'tiled' })
    expect(at(picture, 300, 200)).toEqual([0, 0, 0])
  })
})

describe('a page too small for the request', () => {
  const LONG = 'CONFIDENTIAL DRAFT FOR REVIEW'
  /** Whether two rectangles rotated by the same angle overlap, from the distance of their centres. */
  const touch = (x: number, y: number, mark: { width: number; height: number; rotation: number }) => {
    const [cos, sin] = [Math.cos((mark.rotation * Math.PI) / 180), Math.sin((mark.rotation * Math.PI) / 180)]
    return Math.abs(x * cos + y * sin) < mark.width && Math.abs(y * cos - x * sin) < mark.height
  }

  test.each([0, -30, 45, 90, 137])(
    'tiled copies of a long text rotated by %d do not touch, and fill the page',
    (rotation) => {
      const mark = { width: 900, height: 40, rotation }
      const anchors = tileAnchors({ width: 4000, height: 3000 }, 48, mark)
      expect(anchors.length).toBeGreaterThan(6)
      anchors.forEach((one, index) => {
        for (const other of anchors.slice(index + 1)) expect(touch(one.x - other.x, one.y - other.y, mark)).toBe(false)
      })
    },
  )

  test('tiled: copies in a row have gaps between them', async () => {
    const wide = await put(folder, 'wide.png', plain(1600, 200, '#ffffff').png())
    const picture = await pixels({ text: LONG, fontSize: 24, position: 'tiled' }, wide)
    let [gaps, clear] = [0, 0]
    for (let x = 0; x < 1600; x++) {
      const column = Array.from({ length: 200 }, (_, y) => at(picture, x, y)[0]!)
      if (Math.min(...column) > 200) clear++
      else {
        if (clear >= 20) gaps++
        clear = 0
      }
    }
    expect(gaps).toBeGreaterThanOrEqual(2)
  })

  test.each(['center', 'top-left', 'bottom-right'])(
    '%s: wraps and reduces long text, without cutting it',
    async (position) => {
      for (const [text, fontSize] of [
        [LONG, 90],
        ['Unbreakablelongwatermark', 80],
        ['word '.repeat(60), 60],
      ] as const) {
        const bounds = inkBounds(await pixels({ text, fontSize, position }), WHITE)!
        expect(Math.min(bounds.left, bounds.right, bounds.top, bounds.bottom), text).toBeGreaterThan(0)
      }
    },
  )

  test.each([-45, 30, 90])('rotated by %d it stays on the page as well', async (rotation) => {
    const bounds = inkBounds(await pixels({ text: LONG, fontSize: 60, rotation }), WHITE)!
    expect(Math.min(bounds.left, bounds.right, bounds.top, bounds.bottom)).toBeGreaterThan(0)
  })
})

describe('visible on any background', () => {
  test.each([
    ['#000000', '#000000'],
    ['#ffffff', '#ffffff'],
    ['#202830', '#000000'],
  ])('on %s letters of %s are visible at half opacity', async (ground, color) => {
    const page = await put(folder, `ground-${ground.slice(1)}.png`, plain(400, 200, ground).png())
    const picture = await pixels({ text: 'Sample', color, opacity: 50 }, page)
    const [value] = [Number.parseInt(ground.slice(1, 3), 16)]
    let most = 0
    for (let index = 0; index < picture.data.length; index += 4)
      most = Math.max(most, Math.abs(picture.data[index]! - value))
    expect(most).toBeGreaterThan(60)
  })
})

describe('the default colour', () => {
  const level = async (ground: string, settings: Record<string, unknown> = {}): Promise<number> => {
    const page = await put(folder, `default-${ground.slice(1)}.png`, plain(600, 400, ground).png())
    return at(await pixels({ ...solid, fontSize: 200, opacity: 50, ...settings }, page), 300, 200)[0]!
  }

  test.each([
    ['#000000', 127],
    ['#404040', 159],
    ['#808080', 64],
    ['#ffffff', 127],
  ])('is white on a dark background, and black on others: %s', async (ground, wanted) => {
    expect(Math.abs((await level(ground)) - wanted)).toBeLessThanOrEqual(2)
  })

  test('a given colour is kept on any background', async () => {
    expect(await level('#000000', { color: '#000000' })).toBeLessThanOrEqual(2)
  })

  test('of tiled copies depends on the background of each', async () => {
    const half = await put(
      folder,
      'half.png',
      plain(600, 400, '#ffffff')
        .composite([{ input: await plain(300, 400, '#000000').png().toBuffer(), left: 0, top: 0 }])
        .png(),
    )
    const picture = await pixels({ ...solid, fontSize: 50, position: 'tiled' }, half)
    const [onBlack, onWhite] = [new Set<number>(), new Set<number>()]
    for (let x = 0; x < 600; x += 1) (x < 300 ? onBlack : onWhite).add(at(picture, x, 100)[0]!)
    expect([Math.max(...onBlack), Math.min(...onWhite)]).toEqual([255, 0])
  })

  test('has an outline of the other tone, so that letters stand out on a patterned background', async () => {
    const page = await put(folder, 'outlined.png', plain(600, 400, '#808080').png())
    const picture = await pixels({ ...solid, fontSize: 200, opacity: 50 }, page)
    const row = Array.from({ length: 600 }, (_, x) => at(picture, x, 200)[0]!)
    const letters = row.filter((value) => value < 70).length
    const rim = row.filter((value) => value > 185).length
    expect(letters).toBeGreaterThan(30)
    expect(rim).toBeGreaterThan(12)
  })
})

describe('rotation', () => {
  test('by 90 degrees, around the middle', async () => {
    const flat = inkBounds(await pixels({ text: 'HIH', fontSize: 60 }), WHITE)!
    const upright = inkBounds(await pixels({ text: 'HIH', fontSize: 60, rotation: 90 }), WHITE)!
    expect(Math.abs(400 - upright.top - upright.bottom - (600 - flat.left - flat.right))).toBeLessThanOrEqual(2)
    expect(Math.abs(upright.left - upright.right)).toBeLessThanOrEqual(2)
    expect(Math.abs(upright.top - upright.bottom)).toBeLessThanOrEqual(2)
  })

  test('clockwise: the end of the line is lower', async () => {
    const picture = await pixels({ text: 'HHHHHHH', fontSize: 40, rotation: 20 })
    const half = (left: number) =>
      inkBounds(
        {
          ...picture,
          width: 300,
          data: Buffer.concat(
            Array.from(
              { length: 400 },
              (_, y) => picture.data.subarray((y * 600 + left) * 4, (y * 600 + left + 300) * 4) as Buffer,
            ),
          ),
        },
        WHITE,
      )!
    expect(half(0).top).toBeLessThan(half(300).top)
    const whole = await pixels({ text: 'HIH', fontSize: 60, rotation: 360 })
    expect(difference(whole, await pixels({ text: 'HIH', fontSize: 60 })).most).toBe(0)
  })

  test('around the corner', async () => {
    const bounds = inkBounds(await pixels({ text: 'HHH', fontSize: 50, position: 'top-left', rotation: 90 }), WHITE)!
    // The line runs down from the corner; the letters, 36 high, are to its left.
    expect(Math.abs(bounds.top - 50)).toBeLessThanOrEqual(1)
    expect(Math.abs(bounds.left - 14)).toBeLessThanOrEqual(2)
  })
})

describe('opacity and colour', () => {
  test.each([
    [100, 0],
    [50, 127],
    [10, 229],
    [0, 255],
  ])('%d of black gives %d', async (opacity, left) => {
    const picture = await pixels({ ...solid, fontSize: 200, opacity })
    expect(Math.abs(at(picture, 300, 200)[0]! - left)).toBeLessThanOrEqual(2)
  })

  test('the requested colour', async () => {
    expect(at(await pixels({ ...solid, fontSize: 200, color: '#12AB34' }), 300, 200)).toEqual([0x12, 0xab, 0x34])
  })

  test('half of black by default', async () => {
    const { paths } = await run(watermarkText, folder, [white], { ...solid, fontSize: 200 })
    expect(Math.abs(at(await readRgba(paths[0]!), 300, 200)[0]! - 127)).toBeLessThanOrEqual(2)
  })
})

describe('text', () => {
  test('markup is literal; an unknown font is sans-serif; font names are case-insensitive', async () => {
    const plainText = await pixels({ text: '<i>a</i> & b' })
    expect(inkBounds(plainText, WHITE)).toBeDefined()
    const [unknown, known, anton] = await Promise.all(
      ['Wingdings 7', 'Sans-Serif', 'ANTON'].map((font) => pixels({ text: 'Rag', font })),
    )
    expect(difference(unknown!, known!).most).toBe(0)
    expect(difference(unknown!, anton!).most).toBeGreaterThan(100)
  })

  test('500 letters of 1000 px on a small image', async () => {
    const picture = await pixels({ text: 'HH'.repeat(250), fontSize: 1000 })
    expect(inkBounds(picture, WHITE)).toBeDefined()
    const slanted = await pixels({ text: 'W'.repeat(500), fontSize: 1000, rotation: 45 })
    expect(slanted).toMatchObject({ width: 600, height: 400 })
  })

  test('only spaces: draws nothing', async () => {
    expect(inkBounds(await pixels({ text: '   ' }), WHITE, 0)).toBeUndefined()
  })
})

describe('pictures', () => {
  test('transparent ones: letters are opaque, the rest stays transparent', async () => {
    const clear = await put(folder, 'clear.png', plain(200, 100, '#00000000').png())
    const picture = await pixels({ ...solid, fontSize: 80, color: '#ff0000' }, clear)
    expect(at(picture, 100, 50)).toEqual([255, 0, 0])
    expect(at(picture, 5, 5)).toEqual([0, 0, 0, 0])
  })

  test('grey ones stay grey with grey letters, and become colour with coloured ones', async () => {
    const grey = await put(folder, 'grey.png', plain(200, 100, '#808080').toColourspace('b-w').png())
    expect((await sharp(await marked({ ...solid, fontSize: 80 }, grey)).metadata()).channels).toBe(1)
    expect(at(await pixels({ ...solid, fontSize: 80, color: '#ff0000' }, grey), 100, 50)).toEqual([255, 0, 0])
    expect((await sharp(await marked({ text: '😀', fontSize: 80 }, grey)).metadata()).channels).toBe(3)
  })

  test('keeps 16 bit, unchanged where no letter is', async () => {
    const ramp = ramp16(200, 100, 3)
    const deep = await put(folder, 'deep.png', await png16(ramp))
    const drawn = await read16(await marked({ text: 'H', fontSize: 40, position: 'bottom-right' }, deep))
    for (const x of [0, 57, 100]) expect(Math.abs(drawn.data[x * 3]! - ramp.data[x * 3]!)).toBeLessThanOrEqual(1)
    expect((await sharp(await marked({ text: 'H' }, deep)).metadata()).depth).toBe('ushort')
  })

  test('CMYK', async () => {
    const cmyk = await put(folder, 'cmyk.jpg', plain(200, 100, '#ffffff').toColourspace('cmyk').jpeg({ quality: 100 }))
    const picture = await pixels({ ...solid, fontSize: 80, color: '#ff0000' }, cmyk)
    const [red, green, blue] = at(picture, 100, 50)
    expect(red).toBeGreaterThan(240)
    expect(green).toBeLessThan(30)
    expect(blue).toBeLessThan(30)
    expect(at(picture, 5, 5).every((value) => value > 245)).toBe(true)
  })

  test('with a profile: the colour of the letters is exact', async () => {
    const jpeg = await plain(200, 100, '#ffffff').jpeg({ quality: 100 }).toBuffer()
    const own = await put(folder, 'own.jpg', jpegWithProfile(jpeg, swappedProfile()))
    const path = await marked({ ...solid, fontSize: 80, color: '#ff0000' }, own)
    // Its red and green are exchanged: stored as green, seen as red.
    const stored = at(await readPixels(path), 100, 50)
    expect(stored[1]).toBeGreaterThan(stored[0]! + 100)
    const seen = at(await readRgba(path), 100, 50)
    expect(seen[0]).toBeGreaterThan(seen[1]! + 100)
  })

  test('animations: every frame, with their timing', async () => {
    const gif = await animation(`${folder}/two.gif`, ['#ffffff', '#ffff00'], {
      width: 120,
      height: 80,
      delay: [70, 130],
    })
    const path = await marked({ ...solid, fontSize: 60 }, gif)
    expect(await sharp(path).metadata()).toMatchObject({ pages: 2, delay: [70, 130], loop: 3 })
    for (const [page, ground] of [
      [0, [255, 255, 255]],
      [1, [255, 255, 0]],
    ] as const) {
      const picture = await readRgba(path, page)
      expect(at(picture, 60, 40)).toEqual([0, 0, 0])
      expect(at(picture, 5, 5)).toEqual(ground)
    }
  })

  test('rotated by EXIF: the corner is that of the upright image', async () => {
    const turned = await put(
      folder,
      'turned.jpg',
      plain(600, 300, '#ffffff').withMetadata({ orientation: 6 }).jpeg({ quality: 100 }),
    )
    const picture = await pixels({ text: 'HIH', fontSize: 40, position: 'top-left' }, turned)
    expect(picture).toMatchObject({ width: 300, height: 600 })
    const bounds = inkBounds(picture, WHITE)!
    expect(Math.abs(bounds.left - 40)).toBeLessThanOrEqual(2)
    expect(Math.abs(bounds.top - 40)).toBeLessThanOrEqual(2)
  })
})
