import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import vignette from '../../../tools/image/colour/vignette.ts'
import {
  animation,
  at,
  fromSamples,
  photo,
  plain,
  png16,
  pngWithProfile,
  put,
  quarters,
  read16,
  readPixels,
  readRgba,
  swappedProfile,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const [WIDTH, HEIGHT] = [200, 100]
const HALF_DIAGONAL = Math.hypot(WIDTH, HEIGHT) / 2

const white = () => put(folder, 'white.png', plain(WIDTH, HEIGHT, '#ffffff').png())

/** Weight of the rim at a distance as a fraction of the half-diagonal. */
function weight(distance: number, { radius = 70, softness = 50, strength = 0.5 } = {}): number {
  const inner = (radius / 100) * (1 - softness / 100)
  if (distance <= inner) return 0
  return distance >= radius / 100 ? strength : (strength * (distance - inner)) / (radius / 100 - inner)
}

const distanceOf = (x: number, y: number, centre = [WIDTH / 2, HEIGHT / 2]) =>
  Math.hypot(x + 0.5 - centre[0]!, y + 0.5 - centre[1]!) / HALF_DIAGONAL

const POINTS = [
  [100, 50],
  [130, 50],
  [160, 30],
  [180, 50],
  [199, 50],
  [0, 0],
  [199, 99],
  [40, 80],
] as const

describe.each([
  {},
  { radius: 100, softness: 100, strength: 1 },
  { radius: 40, softness: 20, strength: 0.1 },
  { radius: 90, softness: 60, strength: 0.8 },
])('%j', (settings) => {
  test('rises from the inner to the outer radius', async () => {
    const { paths, names } = await run(vignette, folder, [await white()], settings)
    expect(names).toEqual(['white_vignette.png'])
    const found = await readPixels(paths[0]!)
    for (const [x, y] of POINTS)
      expect(Math.abs(at(found, x, y)[0]! - 255 * (1 - weight(distanceOf(x, y), settings)))).toBeLessThanOrEqual(0.6)
  })
})

test('radius 0 covers all, softness 0 is a sharp rim', async () => {
  const all = await readPixels((await run(vignette, folder, [await white()], { radius: 0 })).paths[0]!)
  expect(new Set(all.data)).toEqual(new Set([128]))
  const sharpRim = await readPixels(
    (await run(vignette, folder, [await white()], { radius: 50, softness: 0, strength: 1 })).paths[0]!,
  )
  for (const [x, y] of POINTS) {
    const apart = (distanceOf(x, y) - 0.5) * HALF_DIAGONAL
    if (Math.abs(apart) > 1) expect(at(sharpRim, x, y)[0]).toBe(apart > 0 ? 0 : 255)
  }
})

test('roundness 0 is an ellipse in the proportions of the image, 100 a circle', async () => {
  const settings = { radius: 60, softness: 50, strength: 1 }
  const along = async (roundness: number) => {
    const found = await readPixels((await run(vignette, folder, [await white()], { ...settings, roundness })).paths[0]!)
    return { across: at(found, 100 + 40, 50)[0]!, down: at(found, 100, 50 + 20)[0]!, far: at(found, 100, 50 + 40)[0]! }
  }
  const oval = await along(0)
  // Half as far downwards in an image half as high: the same position in the fade.
  expect(Math.abs(oval.across - oval.down)).toBeLessThan(5)
  // The ellipse of radius 100 goes through the corners: half axes 200 / sqrt(2) and 100 / sqrt(2).
  const distance = Math.hypot(40.5 / (WIDTH / Math.SQRT2), 0.5 / (HEIGHT / Math.SQRT2))
  expect(Math.abs(oval.across - 255 * (1 - weight(distance, settings)))).toBeLessThanOrEqual(0.6)
  const circle = await along(100)
  expect(Math.abs(circle.far - circle.across)).toBeLessThan(4)
  expect(circle.down).toBe(255)
})

test('the centre moves in percent', async () => {
  const { paths } = await run(vignette, folder, [await white()], { centerX: 0, centerY: 100 })
  const found = await readPixels(paths[0]!)
  expect(at(found, 0, 99)[0]).toBe(255)
  const wanted = 255 * (1 - weight(distanceOf(60, 60, [0, HEIGHT])))
  expect(Math.abs(at(found, 60, 60)[0]! - wanted)).toBeLessThanOrEqual(0.6)
  expect(at(found, 199, 0)[0]).toBe(128)
})

test('towards any colour', async () => {
  const { paths } = await run(vignette, folder, [await white()], { color: '#3060C0', strength: 1, radius: 50 })
  expect(at(await readPixels(paths[0]!), 0, 0)).toEqual([0x30, 0x60, 0xc0])
})

test('keeps alpha', async () => {
  const given = photo(60, 40, 4)
  const input = await put(folder, 'alpha.png', fromSamples(given).png())
  const found = await readPixels((await run(vignette, folder, [input], { radius: 30, strength: 1 })).paths[0]!)
  const alphas = (data: Uint8Array | Uint16Array) => [...data.filter((_, index) => index % 4 === 3)]
  expect(alphas(found.data)).toEqual(alphas(given.data))
  expect(at(found, 59, 39)).toEqual([0, 0, 0])
})

test('16 bit has no banding', async () => {
  const data = new Uint16Array(400 * 2 * 3).fill(65535)
  const input = await put(folder, 'deep.png', await png16({ width: 400, height: 2, channels: 3, data }))
  const settings = { radius: 100, softness: 100, strength: 1 }
  const found = await read16((await run(vignette, folder, [input], settings)).paths[0]!)
  const line = Array.from({ length: 200 }, (_, x) => at(found, 200 + x, 0)[0]!)
  expect(new Set(line).size).toBe(200)
  expect(Math.abs(line[100]! - 65535 * (1 - 100.5 / Math.hypot(200, 1)))).toBeLessThan(4)
})

test('grey stays grey with black, becomes RGB with a colour', async () => {
  const grey = await put(folder, 'grey.png', plain(40, 40, '#808080').toColourspace('b-w').png())
  const dark = (await run(vignette, folder, [grey], { strength: 1, radius: 50 })).paths[0]!
  expect((await sharp(dark).metadata()).channels).toBe(1)
  expect(at(await readPixels(dark), 0, 0)[0]).toBe(0)
  const red = (await run(vignette, folder, [grey], { strength: 1, radius: 50, color: '#ff0000' })).paths[0]!
  expect([at(await readRgba(red), 0, 0), at(await readRgba(red), 20, 20)]).toEqual([
    [255, 0, 0],
    [128, 128, 128],
  ])
})

test('keeps a profile with black; a colour is exact', async () => {
  const own = await put(folder, 'own.png', pngWithProfile(await quarters(32, 32), swappedProfile()))
  const dark = (await run(vignette, folder, [own])).paths[0]!
  expect((await sharp(dark).metadata()).icc).toBeDefined()
  expect(at(await readPixels(dark), 14, 14)).toEqual([255, 0, 0])
  const red = (await run(vignette, folder, [own], { color: '#ff0000', strength: 1, radius: 50 })).paths[0]!
  expect(at(await readRgba(red), 0, 0)).toEqual([255, 0, 0])
})

test('every frame of an animation', async () => {
  const input = await animation(join(folder, 'moving.webp'), ['#ffffff', '#00ff00'], { delay: [60, 90], loop: 2 })
  const { paths } = await run(vignette, folder, [input], { strength: 1, radius: 60 })
  expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({ pages: 2, delay: [60, 90], loop: 2 })
  for (const page of [0, 1]) {
    const found = await readRgba(paths[0]!, page)
    expect(Math.max(...at(found, 0, 0))).toBeLessThan(6)
    expect(at(found, 20, 12)[1]).toBeGreaterThan(250)
  }
})
