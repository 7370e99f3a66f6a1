import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { runFfmpeg } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { drawText } from '../../../src/media/image/text/text.ts'
import { readCorners, straightSize } from '../../../tools/image/geometry/straighten/quadrilateral.ts'
import straighten from '../../../tools/image/geometry/straighten.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  plain,
  png16,
  put,
  quarters,
  ramp16,
  read16,
  readPixels,
  readRgba,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()

/** A page with twenty lines of text, turned clockwise. */
async function page(degrees: number, name: string): Promise<string> {
  const text = Array.from({ length: 20 }, (_, line) => `Line ${line}: the quick brown fox jumps`).join('\n')
  const drawn = await drawText({ text, font: 'serif', size: 28, color: '#000000' })
  const flat = await sharp(drawn.png).flatten({ background: '#fff' }).png().toBuffer()
  return put(folder, name, sharp(flat).rotate(degrees, { background: '#fff' }).png())
}

/** Rows of a picture without ink: more of them the straighter the lines are. */
async function blankRows(path: string): Promise<number> {
  const { data, width, height } = await readPixels(await sharp(path).greyscale().toColourspace('b-w').png().toBuffer())
  const channels = data.length / width / height
  return Array.from({ length: height }, (_, y) =>
    data.subarray(y * width * channels, (y + 1) * width * channels),
  ).filter((row) => row.every((value) => value > 200)).length
}

describe('a scan', () => {
  test.each([-12, -3.4, 0.6, 8, 14.5])('turned by %d degrees is deskewed', async (degrees) => {
    const { paths, warnings } = await run(straighten, folder, [await page(degrees, `page${degrees}.png`)])
    const straight = await blankRows(await page(0, 'straight.png'))
    expect(warnings).toEqual([])
    // The turned page is higher: its additional rows are blank as well.
    expect(await blankRows(paths[0]!)).toBeGreaterThan(straight * 0.9)
    expect(at(await readRgba(paths[0]!), 0, 0)).toEqual([255, 255, 255])
  })

  test('a straight page keeps its bytes, and maxAngle is the limit', async () => {
    const straight = await page(0, 'straight.png')
    const { paths } = await run(straighten, folder, [straight])
    expect(difference(await readPixels(paths[0]!), await readPixels(straight)).most).toBe(0)
    const turned = await run(straighten, folder, [await page(12, 'twelve.png')], { maxAngle: 5 })
    expect(await blankRows(turned.paths[0]!)).toBeLessThan((await blankRows(straight)) * 0.9)
  })

  test('without lines is unchanged, with a warning', async () => {
    for (const content of [fromSamples(photo(300, 200)).png(), plain(100, 100, '#fff').png()]) {
      const input = await put(folder, 'none.png', content)
      const { paths, warnings } = await run(straighten, folder, [input])
      expect(warnings).toEqual([expect.stringContaining('No lines of text')])
      expect(difference(await readPixels(paths[0]!), await readPixels(input)).most).toBe(0)
    }
  })

  test('has paper of another colour, or none', async () => {
    const input = await page(10, 'ten.png')
    const [grey] = (await run(straighten, folder, [input], { background: '#40ff40' })).paths
    expect(at(await readRgba(grey!), 0, 0)).toEqual([64, 255, 64])
    const [clear] = (await run(straighten, folder, [input], { background: 'transparent' })).paths
    expect(at(await readRgba(clear!), 0, 0)[3]).toBe(0)
  })
})

/** Where a camera sees the corners of a sheet of 210 × 297 that is turned in space, px in an image of 1600 × 1200. */
function seen(tilt: number, turn: number, focal = 1500): [number, number][] {
  const [ct, st, cr, sr] = [Math.cos(tilt), Math.sin(tilt), Math.cos(turn), Math.sin(turn)]
  return (
    [
      [-105, -148.5],
      [105, -148.5],
      [105, 148.5],
      [-105, 148.5],
    ] as const
  ).map(([x, y]) => {
    const [u, w] = [x * cr, x * sr]
    const [v, z] = [y * ct - w * st, y * st + w * ct]
    const depth = 600 + z
    return [800 + (focal * u) / depth, 600 + (focal * v) / depth]
  })
}

const written = (corners: readonly [number, number][]): string => corners.map((point) => point.join(',')).join(' ')

describe('a page in perspective', () => {
  test.each([
    ['from below', 0.6, 0],
    ['from the side', 0, 0.5],
    ['from a corner', 0.5, 0.4],
    ['from above', 0, 0],
  ])('seen %s has its own proportions', (_what, tilt, turn) => {
    const image = { width: 1600, height: 1200 }
    const { width, height } = straightSize(readCorners(written(seen(tilt, turn)), image), image)
    // Seen along one axis alone, the proportions can only be estimated.
    const tolerance = (tilt === 0) === (turn === 0) ? 0.01 : 0.12
    expect(Math.abs(width / height / (210 / 297) - 1)).toBeLessThan(tolerance)
  })

  test('is flattened: what ffmpeg distorts comes back', async () => {
    const original = await put(folder, 'original.png', fromSamples(photo(400, 300)).png())
    const corners: [[number, number], [number, number], [number, number], [number, number]] = [
      [40, 20],
      [370, 50],
      [395, 290],
      [10, 250],
    ]
    const [tl, tr, br, bl] = corners
    const distorted = join(folder, 'distorted.png')
    const filter = `perspective=${[tl, tr, bl, br].flat().join(':')}:sense=destination:interpolation=cubic`
    await runFfmpeg(['-i', `file:${original}`, '-vf', `format=gbrp,${filter}`, '-y', `file:${distorted}`])
    const settings = { corners: written(corners), width: 400, height: 300 }
    const { paths } = await run(straighten, folder, [distorted], settings)
    const inside = async (path: string) =>
      readPixels(await sharp(path).extract({ left: 5, top: 5, width: 390, height: 290 }).png().toBuffer())
    const { mean, most } = difference(await inside(paths[0]!), await inside(original))
    expect(mean).toBeLessThan(2)
    expect(most).toBeLessThan(16)
  })

  test('corners in any order and in percent, and one side given', async () => {
    const input = await put(folder, 'quarters.png', await quarters(200, 100))
    const { paths } = await run(straighten, folder, [input], { corners: '100%,100% 0,0 0,100% 100%,0', height: 50 })
    const picture = await readPixels(paths[0]!)
    expect([picture.width, picture.height, at(picture, 20, 40), at(picture, 80, 40)]).toEqual([
      ...[100, 50],
      ...[
        [0, 0, 255],
        [255, 255, 255],
      ],
    ])
  })

  test('keeps 16 bits, every frame, and the colours beside transparency', async () => {
    const corners = '0,0 100%,0 100%,100% 0,100%'
    const ramp = await put(folder, 'ramp.png', await png16(ramp16(1024, 8)))
    const { paths } = await run(straighten, folder, [ramp], { corners })
    expect(new Set((await read16(paths[0]!)).data).size).toBeGreaterThan(1000)
    const moving = await animation(join(folder, 'moving.gif'), ['#ff0000', '#00ff00'])
    const frames = await run(straighten, folder, [moving], { corners, width: 20, height: 20 })
    expect(at(await readRgba(frames.paths[0]!, 1), 10, 10)).toEqual([0, 255, 0])
    const halves = await sharp({ create: { width: 40, height: 40, channels: 4, background: '#00ff0000' } })
      .composite([{ input: await plain(20, 40, '#ff0000').png().toBuffer(), left: 0, top: 0 }])
      .png()
      .toBuffer()
    const clear = await run(straighten, folder, [await put(folder, 'halves.png', halves)], { corners, width: 57 })
    const picture = await readRgba(clear.paths[0]!)
    const rim = Array.from({ length: 57 }, (_, x) => at(picture, x, 20)).filter((colour) => (colour[3] ?? 255) > 20)
    for (const [red, green] of rim) expect([red! > 240, green! < 15]).toEqual([true, true])
  })

  test.each([
    ['0,0 10,0 10,10', '3 points instead of 4'],
    ['0,0 10,0 10,10 a,b', '"a,b" is not a point'],
    ['0,0 10,10 20,20 30,30', 'convex'],
    ['0,0 40,0 5,5 0,40', 'convex'],
    ['0,0 40,0 40,40 0,4000', 'far outside'],
  ])('corners %s are refused', (corners, message) => {
    expect(() => readCorners(corners, { width: 100, height: 100 })).toThrow(message)
  })

  test('a size without corners is refused', async () => {
    await expect(run(straighten, folder, [await page(0, 'straight.png')], { width: 10 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })
})
