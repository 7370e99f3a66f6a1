import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import spriteSheet from '../../../tools/image/compose/sprite-sheet.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  plain,
  png16,
  put,
  ramp16,
  read16,
  readPixels,
  readRgba,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const COLOURS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#00ffff']
const rgb = (colour: string) => [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16))
const icons = (count: number) =>
  Promise.all(
    COLOURS.slice(0, count).map((colour, index) => put(folder, `icon ${index}.png`, plain(20, 10, colour).png())),
  )

async function packed(inputs: string[], settings: Record<string, unknown> = {}) {
  const outcome = await run(spriteSheet, folder, inputs, settings)
  return { ...outcome, pixels: await readRgba(outcome.paths[0]!) }
}

test('row by row, with padding only between the cells', async () => {
  const { names, set, report, pixels } = await packed(await icons(5), {
    columns: 3,
    padding: 2,
    background: '#102030',
  })
  expect(names).toEqual(['sprite.png'])
  expect(set).toBeUndefined()
  expect(report).toEqual({
    frames: [
      { index: 0, left: 0, top: 0, width: 20, height: 10 },
      { index: 1, left: 22, top: 0, width: 20, height: 10 },
      { index: 2, left: 44, top: 0, width: 20, height: 10 },
      { index: 3, left: 0, top: 12, width: 20, height: 10 },
      { index: 4, left: 22, top: 12, width: 20, height: 10 },
    ],
    cols: 3,
    rows: 2,
    cellWidth: 20,
    cellHeight: 10,
    canvasWidth: 64,
    canvasHeight: 22,
  })
  expect(pixels).toMatchObject({ width: 64, height: 22 })
  for (const { index, left, top, width, height } of report.frames as { [name: string]: number }[]) {
    for (const [x, y] of [
      [left!, top!],
      [left! + width! - 1, top! + height! - 1],
    ] as const)
      expect(at(pixels, x, y)).toEqual(rgb(COLOURS[index!]!))
  }
  for (const [x, y] of [
    [20, 5],
    [43, 5],
    [5, 11],
    [50, 15],
  ] as const)
    expect(at(pixels, x, y)).toEqual([16, 32, 48])
})

describe('layout', () => {
  test.each([
    [2, {}, 2, 1],
    [5, {}, 4, 2],
    [5, { columns: 1 }, 1, 5],
    [5, { columns: 16 }, 5, 1],
  ])('%i images, %j: %i x %i', async (count, settings, cols, rows) => {
    expect((await packed(await icons(count), settings)).report).toMatchObject({
      cols,
      rows,
      canvasWidth: cols * 20,
      canvasHeight: rows * 10,
    })
  })

  test('at most 64 images, at least 2', async () => {
    const one = (await icons(1))[0]!
    expect((await packed(Array(64).fill(one), { columns: 16, padding: 64 })).report).toMatchObject({
      rows: 4,
      canvasWidth: 16 * 20 + 15 * 64,
      canvasHeight: 4 * 10 + 3 * 64,
    })
    await expect(packed(Array(65).fill(one))).rejects.toMatchObject({ code: 'TOO_MANY_FILES' })
    await expect(packed([one])).rejects.toMatchObject({ code: 'TOO_FEW_FILES' })
  })

  test('cells are as large as the first image; others cover them', async () => {
    const bands = await put(
      folder,
      'bands.png',
      plain(90, 20, '#ff0000')
        .composite([
          { input: await plain(30, 20, '#00ff00').png().toBuffer(), left: 30, top: 0 },
          { input: await plain(30, 20, '#0000ff').png().toBuffer(), left: 60, top: 0 },
        ])
        .png(),
    )
    const first = await put(folder, 'first.png', fromSamples(photo(20, 20)).png())
    const { pixels, paths } = await packed([first, bands])
    expect(pixels).toMatchObject({ width: 40, height: 20 })
    for (const x of [21, 30, 38]) expect(at(pixels, x, 10)).toEqual([0, 255, 0])
    const left = await sharp(paths[0]!).extract({ left: 0, top: 0, width: 20, height: 20 }).png().toBuffer()
    expect(difference(await readPixels(left), await readPixels(first)).most).toBe(0)
  })
})

describe('background and formats', () => {
  const clear = () => put(folder, 'clear.png', plain(20, 10, '#ff000080').png())

  test('transparent images are on the background, or stay transparent', async () => {
    const both = [await clear(), (await icons(2))[1]!]
    const [red, green, blue] = at((await packed(both)).pixels, 5, 5) as [number, number, number]
    expect([red, Math.abs(green - 127) < 2, Math.abs(blue - 127) < 2]).toEqual([255, true, true])
    const { pixels } = await packed(both, { background: 'transparent', padding: 4 })
    expect(at(pixels, 5, 5)).toEqual([255, 0, 0, 128])
    expect(at(pixels, 22, 5)[3]).toBe(0)
    expect(at(pixels, 30, 5)).toEqual([0, 255, 0])
  })

  test.each([
    ['webp', 'sprite.webp', 'webp'],
    ['jpeg', 'sprite.jpg', 'jpeg'],
    ['jpg', 'sprite.jpg', 'jpeg'],
  ])('%s: %s', async (format, name, found) => {
    const { names, paths } = await packed(await icons(2), { format, background: 'transparent' })
    expect(names).toEqual([name])
    expect((await sharp(paths[0]!).metadata()).format).toBe(found)
  })

  test('quality', async () => {
    const busy = await put(folder, 'busy.png', fromSamples(photo(80, 80)).png())
    const size = async (quality: number) =>
      (await readFile((await packed([busy, busy], { format: 'jpeg', quality })).paths[0]!)).length
    expect(await size(1)).toBeLessThan(await size(100))
  })

  test('keeps 16 bit in PNG, with alpha', async () => {
    const deep = await put(folder, 'deep.png', await png16(ramp16(300, 10, 3)))
    const { paths } = await packed([deep, await clear()], { background: 'transparent' })
    const samples = await read16(paths[0]!)
    expect(samples).toMatchObject({ width: 600, channels: 4 })
    const [red, , , alpha] = samples.data.subarray((5 * 600 + 77) * 4)
    expect([red, alpha]).toEqual([ramp16(300, 1).data[77], 65535])
    expect(samples.data[(5 * 600 + 400) * 4 + 3]).toBe(128 * 257)
  })

  test('grey, CMYK, and the first frame of animations', async () => {
    const grey = await put(folder, 'grey.png', plain(20, 10, '#505050').toColourspace('b-w').png())
    const inks = await put(folder, 'inks.jpg', plain(20, 10, '#ffffff').toColourspace('cmyk').jpeg({ quality: 100 }))
    const moving = await animation(join(folder, 'moving.gif'), ['#0000ff', '#00ff00'], { width: 20, height: 10 })
    const { pixels, warnings } = await packed([grey, inks, moving])
    expect(at(pixels, 5, 5)).toEqual([0x50, 0x50, 0x50])
    expect(Math.min(...at(pixels, 25, 5))).toBeGreaterThan(245)
    expect(at(pixels, 45, 5)).toEqual([0, 0, 255])
    expect(warnings.join()).toContain('moving.gif has 2 frames')
  })
})

describe('maps', () => {
  test('json as used by game engines', async () => {
    const { names, paths } = await packed([...(await icons(2)), (await icons(1))[0]!], { map: 'json', padding: 1 })
    expect(names).toEqual(['sprite.png', 'sprite.json'])
    const map = JSON.parse(await readFile(paths[1]!, 'utf8'))
    expect(map.meta).toMatchObject({ image: 'sprite.png', size: { w: 62, h: 10 }, scale: '1' })
    expect(Object.keys(map.frames)).toEqual(['icon 0.png', 'icon 1.png', 'icon 0-1.png'])
    expect(map.frames['icon 1.png']).toEqual({
      frame: { x: 21, y: 0, w: 20, h: 10 },
      rotated: false,
      trimmed: false,
      spriteSourceSize: { x: 0, y: 0, w: 20, h: 10 },
      sourceSize: { w: 20, h: 10 },
    })
  })

  test('css with a class for every image', async () => {
    const odd = await put(folder, '日本 {x}.png', plain(20, 10, '#ff0000').png())
    const { names, paths } = await packed([...(await icons(3)), odd, odd], { map: 'css', columns: 2, format: 'webp' })
    expect(names).toEqual(['sprite.webp', 'sprite.css'])
    const css = await readFile(paths[1]!, 'utf8')
    expect(css).toContain('background-image: url("sprite.webp");')
    const rules = [...css.matchAll(/^\.(\S+) \{([^}]*)\}/gm)].map(([, name, body]) => [
      name,
      /background-position: ([^;]+);/.exec(body!)?.[1],
    ])
    expect(rules).toEqual([
      ['sprite', undefined],
      ['sprite-icon-0', '0 0'],
      ['sprite-icon-1', '-20px 0'],
      ['sprite-icon-2', '0 -10px'],
      ['sprite-日本-x', '-20px -10px'],
      ['sprite-日本-x-1', '0 -20px'],
    ])
  })

  test('both', async () => {
    expect((await packed(await icons(2), { map: 'both' })).names).toEqual(['sprite.png', 'sprite.json', 'sprite.css'])
  })
})

test.each([
  { columns: 0 },
  { columns: 17 },
  { padding: 65 },
  { background: 'whitest' },
  { format: 'avif' },
  { quality: 101 },
  { map: 'xml' },
])('refused: %j', async (settings) => {
  await expect(packed(await icons(2), settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

describe('images that differ from the first', () => {
  const mixed = async () => [
    await put(folder, 'wide.png', plain(40, 10, '#ff0000').png()),
    await put(folder, 'tall.png', plain(10, 20, '#00ff00').png()),
  ]

  test('contain: whole in their cells, on the background', async () => {
    const { pixels, report } = await packed(await mixed(), { fit: 'contain', columns: 1, background: '#000000' })
    expect(report).toMatchObject({ cellWidth: 40, cellHeight: 10, canvasHeight: 20 })
    // 10 x 20 becomes 5 x 10, in the middle of 40 x 10.
    const green = Array.from({ length: 40 }, (_, x) => at(pixels, x, 15)[1]! > 128)
    expect(green.indexOf(true)).toBe(17)
    expect(green.filter(Boolean)).toHaveLength(5)
  })

  test('pack: in their own sizes, apart, inside the sheet', async () => {
    const { pixels, report } = await packed(await mixed(), { fit: 'pack', padding: 3 })
    const frames = report.frames as { left: number; top: number; width: number; height: number }[]
    expect(frames).toMatchObject([
      { width: 40, height: 10 },
      { width: 10, height: 20 },
    ])
    expect(report).not.toHaveProperty('cellWidth')
    for (const [index, { left, top, width, height }] of frames.entries())
      for (const [x, y] of [
        [left, top],
        [left + width - 1, top + height - 1],
      ] as const)
        expect(at(pixels, x, y).slice(0, 3)).toEqual([rgb('#ff0000'), rgb('#00ff00')][index])
    const [one, other] = frames as [(typeof frames)[0], (typeof frames)[0]]
    const apart = (start: 'left' | 'top', length: 'width' | 'height') =>
      Math.max(one[start], other[start]) - Math.min(one[start] + one[length], other[start] + other[length])
    expect(Math.max(apart('left', 'width'), apart('top', 'height'))).toBeGreaterThanOrEqual(3)
  })

  test('trim: the maps have the place in the original image, in CSS pixels for double density', async () => {
    const margins = { top: 4, bottom: 6, left: 10, right: 2, background: '#00000000' }
    const icon = await put(folder, 'margins.png', plain(20, 10, '#0000ff').extend(margins).png())
    const clear = await put(folder, 'clear.png', plain(8, 8, '#00000000').png())
    const { paths, report } = await packed([icon, clear], {
      ...{ fit: 'pack', trim: true, background: 'transparent', map: 'both', density: 2 },
    })
    expect(report.frames).toMatchObject([
      { width: 20, height: 10, trimmed: { left: 10, top: 4, width: 32, height: 20 } },
      { width: 1, height: 1 },
    ])
    const map = JSON.parse(await readFile(paths[1]!, 'utf8'))
    expect(map.meta.scale).toBe('2')
    expect(map.frames['margins.png']).toMatchObject({
      trimmed: true,
      spriteSourceSize: { x: 10, y: 4, w: 20, h: 10 },
      sourceSize: { w: 32, h: 20 },
    })
    expect(await readFile(paths[2]!, 'utf8')).toMatch(/\.sprite-margins \{\n {2}width: 10px;\n {2}height: 5px;/)
  })
})
