import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import textOverlay from '../../../tools/image/text/text-overlay.ts'
import { inkBounds } from '../../helpers/ink.ts'
import { animation, at, difference, plain, png16, put, ramp16, read16, readRgba } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const GREY = [128, 128, 128]
const ground = await put(folder, 'ground.png', plain(600, 400, '#808080').png())
/** A bar without serifs, a fifth as thick as high. */
const solid = { text: 'I', font: 'anton', shadow: false }

async function written(settings: Record<string, unknown>, input = ground): Promise<string> {
  const { paths } = await run(textOverlay, folder, [input], settings)
  return paths[0]!
}
const pixels = async (settings: Record<string, unknown>, input = ground) => readRgba(await written(settings, input))
const bounds = async (settings: Record<string, unknown>, least = 40) => inkBounds(await pixels(settings), GREY, least)!

describe('position', () => {
  test.each([
    ['top', 80],
    ['center', 200],
    ['bottom', 360],
  ])('%s: the middle of the line is at %d', async (position, middle) => {
    const { left, right, top, bottom } = await bounds({ text: 'HIH', fontSize: 40, shadow: false, position })
    expect(Math.abs((top + 400 - bottom) / 2 - middle)).toBeLessThanOrEqual(1)
    expect(Math.abs(left - right)).toBeLessThanOrEqual(1)
  })

  test('bottom by default', async () => {
    const set = await pixels({ text: 'Rag', position: 'bottom' })
    expect(difference(set, await pixels({ text: 'Rag' })).most).toBe(0)
  })

  test('x is the left edge, and y the top of the line', async () => {
    const at50 = await bounds({ text: 'H', fontSize: 100, shadow: false, x: 50, y: 30 })
    expect(Math.abs(at50.left - 50)).toBeLessThanOrEqual(1)
    // A line is 1.2 sizes high; the capitals, 0.71, are in its middle.
    expect(Math.abs(at50.top - (30 + 60 - 36))).toBeLessThanOrEqual(2)
    const onlyX = await bounds({ text: 'H', fontSize: 100, shadow: false, x: 50, position: 'center' })
    expect(Math.abs(onlyX.left - 50)).toBeLessThanOrEqual(1)
    expect(Math.abs(onlyX.top - onlyX.bottom)).toBeLessThanOrEqual(1)
  })

  test('line breaks start new lines, 1.2 sizes apart', async () => {
    const one = await bounds({ text: 'H', fontSize: 50, shadow: false, position: 'top' })
    const two = await bounds({ text: 'H\nH', fontSize: 50, shadow: false, position: 'top' })
    expect(two.top).toBe(one.top)
    expect(Math.abs(one.bottom - two.bottom - 60)).toBeLessThanOrEqual(1)
    const low = await bounds({ text: 'H\nH', fontSize: 50, shadow: false })
    expect(Math.abs(low.bottom - (50 - 18))).toBeLessThanOrEqual(1)
  })

  test.each([
    { x: -100, y: 10 },
    { x: 570, y: 340 },
    { x: 5000, y: 5000 },
    { x: -5000, y: -5000 },
  ])('cuts parts outside: %j', async (place) => {
    const picture = await pixels({ text: 'HHHH', fontSize: 100, ...place })
    expect(picture).toMatchObject({ width: 600, height: 400 })
    expect(inkBounds(picture, GREY) === undefined).toBe(Math.abs(place.x) === 5000)
  })
})

describe('long text', () => {
  const LONG = 'A day at the lake with all of the family and both of the dogs'

  test.each(['top', 'center', 'bottom'])('%s: is wrapped to lines on the page', async (position) => {
    for (const [text, fontSize] of [
      [LONG, 48],
      [LONG.repeat(5), 48],
      ['Donaudampfschifffahrtsgesellschaft', 90],
    ] as const) {
      const { left, right, top, bottom } = await bounds({ text, fontSize, shadow: false, position })
      expect(Math.min(left, right, top, bottom), text).toBeGreaterThan(0)
    }
  })

  test('text that fits keeps its size', async () => {
    const long = await bounds({ text: LONG, fontSize: 48, shadow: false, position: 'center' })
    // Three lines, 1.2 sizes apart, and the height of a capital.
    expect(Math.abs(400 - long.top - long.bottom - (2 * 57.6 + 0.71 * 48))).toBeLessThan(0.35 * 48)
  })

  test('from a custom position it extends to the right and the lower edge', async () => {
    const { left, right, bottom } = await bounds({ text: LONG.repeat(3), shadow: false, x: 200, y: 100 })
    expect(Math.abs(left - 200)).toBeLessThanOrEqual(3)
    expect(Math.min(right, bottom)).toBeGreaterThan(0)
    const box = await pixels({ text: LONG, x: 40, y: 40, background: '#0000ff', padding: 20 })
    expect(at(box, 599, 50)).toEqual(GREY)
  })
})

describe('background', () => {
  test('backgroundBox: a band of 1.8 sizes, 70 % black', async () => {
    const picture = await pixels({ text: 'i', fontSize: 50, shadow: false, backgroundBox: true, position: 'center' })
    const black = Math.round(128 * 0.3)
    for (const x of [0, 599]) {
      expect(Math.abs(at(picture, x, 200)[0]! - black)).toBeLessThanOrEqual(2)
      expect(Math.abs(at(picture, x, 200 - 44)[0]! - black)).toBeLessThanOrEqual(2)
      expect(at(picture, x, 200 - 47)).toEqual(GREY)
      expect(at(picture, x, 200 + 47)).toEqual(GREY)
    }
  })

  test('the band has backgroundColor and grows by 1.2 sizes per line', async () => {
    const settings = { text: 'i\ni', fontSize: 50, shadow: false, backgroundBox: true, position: 'center' }
    const picture = await pixels({ ...settings, backgroundColor: '#ff0000' })
    expect(at(picture, 0, 200)[0]).toBeGreaterThan(200)
    expect(at(picture, 0, 200 - 73)[1]).toBeLessThan(60)
    expect(at(picture, 0, 200 - 77)).toEqual(GREY)
  })

  test('background: a box around the text with its padding', async () => {
    const settings = { text: 'H', fontSize: 100, shadow: false, x: 50, y: 30, background: '#0000ff', color: '#0000ff' }
    const { left, top, bottom } = await bounds({ ...settings, padding: 20 })
    expect([left, top]).toEqual([50, 30])
    expect(400 - top - bottom).toBe(120 + 40)
    const tight = await bounds({ ...settings, padding: 0 })
    expect(400 - tight.top - tight.bottom).toBe(120)
    const usual = await bounds(settings)
    expect(400 - usual.top - usual.bottom).toBe(120 + 16)
  })

  test('round corners', async () => {
    const settings = { text: 'HHH', fontSize: 100, shadow: false, x: 50, y: 30, background: '#0000ff', padding: 20 }
    expect(at(await pixels(settings), 51, 31)).toEqual([0, 0, 255])
    const round = await pixels({ ...settings, borderRadius: 40 })
    expect(at(round, 51, 31)).toEqual(GREY)
    expect(at(round, 50 + 13, 30 + 13)).toEqual([0, 0, 255])
    // Half of the shorter side at most.
    expect(at(await pixels({ ...settings, borderRadius: 500 }), 50 + 25, 30 + 25)).toEqual([0, 0, 255])
  })

  test('#RRGGBBAA shows the picture through; background overrides the band', async () => {
    const picture = await pixels({
      ...solid,
      fontSize: 60,
      background: '#ff000080',
      padding: 30,
      backgroundBox: true,
      position: 'center',
    })
    const { left } = inkBounds(picture, GREY)!
    expect(left).toBeGreaterThan(100)
    const [red, green] = at(picture, left + 5, 200)
    expect(Math.abs(red! - 192)).toBeLessThanOrEqual(2)
    expect(Math.abs(green! - 64)).toBeLessThanOrEqual(2)
  })

  test.each(['none', 'transparent'])('%s: no box', async (background) => {
    const without = await pixels({ text: 'Rag' })
    expect(difference(without, await pixels({ text: 'Rag', background })).most).toBe(0)
  })
})

describe('shadow', () => {
  test('2 px right and down, soft, black', async () => {
    const settings = { ...solid, fontSize: 150, color: '#808080', position: 'center' }
    expect(inkBounds(await pixels(settings), GREY, 3)).toBeUndefined()
    const picture = await pixels({ ...settings, shadow: true })
    const { left, right, top, bottom } = inkBounds(picture, GREY, 3)!
    const rightEdge = 600 - right
    expect(at(picture, rightEdge - 2, 200)[0]).toBeLessThan(128)
    // Letters hide the upper left of it.
    const ink = inkBounds(await pixels({ ...settings, color: '#ffffff' }), GREY)!
    expect(ink.right - right).toBeGreaterThanOrEqual(3)
    expect(ink.right - right).toBeLessThanOrEqual(8)
    expect(left - ink.left).toBeGreaterThan(-4)
    expect(ink.bottom - bottom).toBeGreaterThanOrEqual(3)
    expect(top - ink.top).toBeGreaterThan(-4)
  })

  test('is enabled by default', async () => {
    const set = await pixels({ text: 'Rag', shadow: true })
    expect(difference(set, await pixels({ text: 'Rag' })).most).toBe(0)
  })
})

describe('pictures', () => {
  test('white letters, opaque', async () => {
    expect(at(await pixels({ ...solid, fontSize: 200, position: 'center' }), 300, 200)).toEqual([255, 255, 255])
  })

  test('transparent ones', async () => {
    const clear = await put(folder, 'clear.png', plain(200, 100, '#00000000').png())
    const picture = await pixels({ ...solid, fontSize: 80, position: 'center', color: '#ff0000' }, clear)
    expect(at(picture, 100, 50)).toEqual([255, 0, 0])
    expect(at(picture, 5, 5)).toEqual([0, 0, 0, 0])
  })

  test('keeps grey with a black band, and not with a red one', async () => {
    const grey = await put(folder, 'grey.png', plain(200, 100, '#808080').toColourspace('b-w').png())
    const channels = async (settings: Record<string, unknown>) =>
      (await sharp(await written({ text: 'H', ...settings }, grey)).metadata()).channels
    expect(await channels({ backgroundBox: true })).toBe(1)
    expect(await channels({ backgroundBox: true, backgroundColor: '#ff0000' })).toBe(3)
    expect(await channels({ background: '#00ff0080' })).toBe(3)
  })

  test('16 bit', async () => {
    const ramp = ramp16(200, 100, 3)
    const deep = await put(folder, 'deep.png', await png16(ramp))
    const path = await written({ text: 'H', fontSize: 20 }, deep)
    expect((await sharp(path).metadata()).depth).toBe('ushort')
    const drawn = await read16(path)
    for (const x of [0, 57, 199]) expect(Math.abs(drawn.data[x * 3]! - ramp.data[x * 3]!)).toBeLessThanOrEqual(1)
  })

  test('animations', async () => {
    const gif = await animation(`${folder}/two.gif`, ['#ff0000', '#0000ff'], { width: 120, height: 80 })
    const path = await written({ ...solid, fontSize: 60, position: 'center' }, gif)
    for (const page of [0, 1]) expect(at(await readRgba(path, page), 60, 40)).toEqual([255, 255, 255])
  })
})
