import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { readMark } from '../../../tools/image/compose/annotate/marks.ts'
import annotate from '../../../tools/image/compose/annotate.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  plain,
  put,
  readPixels,
  readRgba,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A plain picture of 200 × 100 px with marks. */
async function drawn(marks: string[], settings: Record<string, unknown> = {}, ground = '#808080') {
  const input = await put(folder, 'plain.png', plain(200, 100, ground).png())
  const { paths, warnings } = await run(annotate, folder, [input], { marks, ...settings })
  const picture = await readRgba(paths[0]!)
  return { picture, warnings, colour: (x: number, y: number) => at(picture, x, y) }
}

describe('lines and shapes', () => {
  test('a box has lines of its colour and width, and leaves its inside', async () => {
    const { colour } = await drawn(['box 20 20 100 60 color=#00f width=4'], { outline: false })
    for (const [x, y] of [
      [70, 20],
      [70, 79],
      [20, 50],
      [119, 50],
    ] as const)
      expect(colour(x, y)).toEqual([0, 0, 255])
    expect([colour(70, 24), colour(70, 16), colour(70, 50)]).toEqual(Array(3).fill([128, 128, 128]))
  })

  test('a rim is light around dark colours and dark around light ones', async () => {
    const ofBlue = await drawn(['line 20 50 180 50 color=#00f width=10'])
    expect([ofBlue.colour(100, 50), ofBlue.colour(100, 43)]).toEqual([
      [0, 0, 255],
      [255, 255, 255],
    ])
    const ofYellow = await drawn(['line 20 50 180 50 color=yellow width=10'])
    expect(ofYellow.colour(100, 43)).toEqual([0, 0, 0])
  })

  test('an arrow is wide at its point, and ends there', async () => {
    const { colour } = await drawn(['arrow 20 50 160 50 color=#00f width=8'], { outline: false })
    const height = (x: number) => Array.from({ length: 100 }, (_, y) => colour(x, y)[0]! < 60).filter(Boolean).length
    expect(height(40)).toBeGreaterThanOrEqual(5)
    expect(height(130)).toBeGreaterThan(2 * height(40))
    expect([height(155) > 0, height(163)]).toEqual([true, 0])
  })

  test('an ellipse, by percent', async () => {
    const { colour } = await drawn(['ellipse 25% 20% 50% 60% width=4'], { color: '#00ff00', outline: false })
    expect([colour(50, 50), colour(149, 50), colour(100, 20), colour(100, 50)]).toEqual([
      ...Array(3).fill([0, 255, 0]),
      [128, 128, 128],
    ])
  })

  test('a highlight tints, and a cover hides all', async () => {
    const { colour } = await drawn(['highlight 0 0 50 50', 'cover 100 0 50 50', 'cover 150 0 50 50 color=white'])
    expect(colour(25, 25)).toEqual([178, 168, 76])
    expect([colour(100, 0), colour(149, 49), colour(150, 0), colour(100, 50)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [255, 255, 255],
      [128, 128, 128],
    ])
  })

  test('a cover between pixels hides every pixel that it touches', async () => {
    const { colour } = await drawn(['cover 10.6 20.6 9 9'])
    expect([colour(10, 20), colour(19, 29)]).toEqual(Array(2).fill([0, 0, 0]))
    expect([colour(9, 20), colour(20, 29)]).toEqual(Array(2).fill([128, 128, 128]))
  })

  test('spotlights keep their areas and darken the rest once', async () => {
    const { colour } = await drawn(['spotlight 20 20 60 40', 'spotlight 60 20 60 40'])
    expect([colour(40, 40), colour(70, 40), colour(110, 40)]).toEqual(Array(3).fill([128, 128, 128]))
    expect([colour(5, 5), colour(190, 90)]).toEqual(Array(2).fill([51, 51, 51]))
  })
})

describe('numbers and words', () => {
  test('numbers count from one, in discs around their points', async () => {
    const { colour, picture } = await drawn(['number 50 50', 'number 150 50'], { fontSize: 30, outline: false })
    expect([colour(34, 50), colour(134, 50)]).toEqual(Array(2).fill([225, 29, 72]))
    const ink = (left: number) => {
      let count = 0
      for (let y = 0; y < 100; y++)
        for (let x = left; x < left + 100; x++) if (at(picture, x, y).every((value) => value > 250)) count++
      return count
    }
    // A two has more ink than a one.
    expect(ink(0)).toBeGreaterThan(20)
    expect(ink(100)).toBeGreaterThan(ink(0))
  })

  test('words begin at their point, and contain what looks like an option', async () => {
    const { picture } = await drawn(['text 40 30 size=20 color=#000 Set color=red, then save'], { outline: false })
    const dark = [...Array(200).keys()].filter((x) =>
      [...Array(100).keys()].some((y) => at(picture, x, y).every((value) => value < 40)),
    )
    expect(dark[0]).toBeGreaterThanOrEqual(39)
    expect(dark[0]).toBeLessThan(44)
    expect(readMark('text 40 30 size=20 Set color=red, then save', 0, { width: 9, height: 9 })).toEqual({
      ...{ kind: 'text', at: { x: 40, y: 30 }, size: 20, text: 'Set color=red, then save' },
    })
  })
})

describe('hidden areas', () => {
  const hidden = async (mark: string) => {
    const input = await put(folder, 'photo.png', fromSamples(photo(200, 100)).png())
    const { paths } = await run(annotate, folder, [input], { marks: [mark] })
    return { before: await readPixels(input), after: await readPixels(paths[0]!) }
  }
  const colours = (picture: Awaited<ReturnType<typeof readPixels>>, left: number, top: number, side: number) => {
    const found = new Set<string>()
    for (let y = top; y < top + side; y++) for (let x = left; x < left + side; x++) found.add(at(picture, x, y).join())
    return found.size
  }

  test('pixelated: at most twelve cells across, and nothing changes around them', async () => {
    const { before, after } = await hidden('pixelate 50 20 60 60')
    expect(colours(before, 50, 20, 60)).toBeGreaterThan(1000)
    expect(colours(after, 50, 20, 60)).toBeLessThanOrEqual(144)
    for (const [x, y] of [
      [49, 50],
      [110, 50],
      [80, 19],
      [80, 80],
    ] as const)
      expect(at(after, x, y)).toEqual(at(before, x, y))
  })

  test('blurred: no edge is left inside, and nothing from outside comes in', async () => {
    const data = Buffer.alloc(200 * 100 * 3)
    for (let pixel = 0; pixel < 20_000; pixel++) {
      const [x, y] = [pixel % 200, Math.floor(pixel / 200)]
      const inside = x >= 50 && x < 110 && y >= 20 && y < 80
      data.fill(inside ? ((x >> 2) & 1) * 255 : 0, pixel * 3, pixel * 3 + 1)
      data.fill(inside ? 0 : 255, pixel * 3 + 2, pixel * 3 + 3)
    }
    const input = await put(folder, 'bars.png', sharp(data, { raw: { width: 200, height: 100, channels: 3 } }).png())
    const { paths } = await run(annotate, folder, [input], { marks: ['blur 50 20 60 60'] })
    const after = await readPixels(paths[0]!)
    const reds = Array.from({ length: 58 }, (_, x) => at(after, 51 + x, 50)[0]!)
    // The bars differ by 255 from one pixel to the next.
    expect(Math.max(...reds.slice(1).map((red, x) => Math.abs(red - reds[x]!)))).toBeLessThan(8)
    expect(at(after, 80, 50)[2]).toBe(0)
    expect(at(after, 49, 50)).toEqual([0, 0, 255])
  })

  test.each(['blur', 'pixelate', 'cover'])('%s outside of the image is refused', async (kind) => {
    await expect(drawn([`${kind} 300 300 20 20`])).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
  })
})

describe('all kinds of pictures', () => {
  test('grey stays grey with grey marks, and becomes colour otherwise', async () => {
    const input = await put(
      folder,
      'grey.png',
      fromSamples(photo(60, 40, 1))
        .toColourspace('b-w')
        .png(),
    )
    const grey = await run(annotate, folder, [input], { marks: ['box 5 5 20 20'], color: '#000000' })
    expect((await sharp(grey.paths[0]!).metadata()).space).toBe('b-w')
    const red = await run(annotate, folder, [input], { marks: ['box 5 5 20 20'] })
    expect((await sharp(red.paths[0]!).metadata()).space).toBe('srgb')
  })

  test('every frame of an animation, and transparency', async () => {
    const moving = await animation(join(folder, 'moving.gif'), ['#ff0000', '#00ff00'], { width: 60, height: 40 })
    const { paths } = await run(annotate, folder, [moving], { marks: ['cover 10 10 20 20', 'blur 40 10 10 10'] })
    for (const page of [0, 1]) expect(at(await readRgba(paths[0]!, page), 20, 20)).toEqual([0, 0, 0])
    const clear = await put(folder, 'clear.png', plain(60, 40, '#ff000000').png())
    const result = await run(annotate, folder, [clear], { marks: ['pixelate 0 0 20 20', 'cover 30 10 10 10'] })
    const picture = await readRgba(result.paths[0]!)
    expect([at(picture, 10, 10)[3], at(picture, 35, 15)]).toEqual([0, [0, 0, 0]])
  })

  test('a mark outside is a warning, and sizes follow the image', async () => {
    expect((await drawn(['arrow 300 300 400 400'])).warnings).toEqual([expect.stringContaining('marks.0: arrow')])
    const large = await put(folder, 'large.png', plain(1500, 1500, '#808080').png())
    const { paths } = await run(annotate, folder, [large], { marks: ['line 100 700 1400 700'], outline: false })
    const picture = await readRgba(paths[0]!)
    const rows = [...Array(1500).keys()].filter((y) => at(picture, 700, y)[1]! < 60)
    expect(rows).toHaveLength(10)
  })

  test('marks are drawn on the same picture otherwise unchanged', async () => {
    const input = await put(folder, 'photo.png', fromSamples(photo(200, 100)).png())
    const { paths } = await run(annotate, folder, [input], { marks: ['box 20 20 10 10 width=2'] })
    const crop = async (path: string) =>
      readPixels(await sharp(path).extract({ left: 60, top: 0, width: 140, height: 100 }).png().toBuffer())
    expect(difference(await crop(input), await crop(paths[0]!)).most).toBe(0)
  })
})

test.each([
  ['arow 1 2 3 4', 'Did you mean arrow?'],
  ['star 1 2 3 4', 'Known kinds: arrow'],
  ['box 1 2 3', 'Write it as: box X Y WIDTH HEIGHT'],
  ['box 1 2 three 4', 'Write it as: box'],
  ['box 1 2 0 4', undefined],
  ['arrow 1 2 1 2', undefined],
  ['line 1 2 3 4 5', 'Write it as: line X Y TO-X TO-Y'],
  ['text 1 2', 'Write it as: text X Y WORDS'],
  ['box 1 2 3 4 color=nothing', 'For example: color=#e11d48'],
  ['box 1 2 3 4 width=0', undefined],
  ['', 'Known kinds: arrow'],
])('"%s" is refused', (mark, hint) => {
  try {
    readMark(mark, 3, { width: 100, height: 100 })
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_SETTINGS', message: expect.stringMatching(/^marks\.3: /) })
    return expect((error as { hint?: string }).hint?.startsWith(hint ?? '') ?? hint === undefined).toBe(true)
  }
  expect.unreachable()
})
