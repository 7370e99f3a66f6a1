import sharp from 'sharp'
import { expect, test } from 'vitest'
import { fillByExemplar } from '../../../tools/image/_shared/inpaint/exemplar.ts'
import { marginsOf } from '../../../tools/image/_shared/inpaint/margins.ts'
import { hasCutStructure } from '../../../tools/image/_shared/inpaint/structure.ts'
import { viewOf } from '../../../tools/image/_shared/inpaint/view.ts'
import canvasExpand from '../../../tools/image/restore/ai-canvas-expand.ts'
import eraseObject from '../../../tools/image/restore/erase-object.ts'
import { put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const [WIDTH, HEIGHT] = [160, 120]

/** Sky, and dark mountains from a row on. */
const mountains = (from: number) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#9cc8f0"/><path d="M0 ${from + 30} L50 ${from} L90 ${from + 20} L130 ${from + 5} L160 ${from + 30} V120 H0 Z" fill="#2f4030"/></svg>`,
    ),
  )

/** A white rectangle on black. */
const maskOf = (left: number, top: number, width: number, height: number) =>
  sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#000' } }).composite([
    { input: { create: { width, height, channels: 3, background: '#fff' } }, left, top },
  ])

test('sky above mountains is extended with sky alone', async () => {
  const input = await put(folder, 'mountains.png', mountains(40).png())
  const settings = { extendTop: 60, extendRight: 0, tier: 'fast' }
  const { paths, warnings } = await run(canvasExpand, folder, [input], settings)
  const { data, info } = await sharp(paths[0]).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const dark = Array.from({ length: info.width * 60 }, (_, pixel) => data[pixel * 3]!).filter((red) => red < 120)
  expect(info.height).toBe(HEIGHT + 60)
  expect(dark).toEqual([])
  expect(warnings).toEqual([expect.stringMatching(/not installed/)])
})

test('an edge that different things reach is mirrored, with a warning', async () => {
  const bars = Uint8Array.from({ length: 80 * 40 }, (_, at) => (at % 8 < 4 ? 220 : 40))
  const input = await put(folder, 'bars.png', sharp(bars, { raw: { width: 80, height: 40, channels: 1 } }).png())
  const { warnings } = await run(canvasExpand, folder, [input], { extendRight: 20, tier: 'fast' })
  expect(warnings).toContainEqual(expect.stringMatching(/At the right, different things reach the edge/))
})

test('margins end where something else begins', async () => {
  const { data, info } = await mountains(60).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const { top, bottom, left } = marginsOf({ data, ...info })
  expect(top).toBeGreaterThan(0.4)
  expect(top).toBeLessThan(0.56)
  expect(bottom).toBeLessThan(0.4)
  expect(left).toBeLessThan(0.3)
})

test('warns if an outline ends at the erased area, and not within an area of one kind', async () => {
  const input = await put(folder, 'mountains.png', mountains(40).png())
  const erase = async (top: number) => {
    const mask = await put(folder, 'mask.png', maskOf(60, top, 30, 24).png())
    return (await run(eraseObject, folder, [input], {}, { secondary: { mask } })).warnings
  }
  expect(await erase(40)).toContainEqual(expect.stringMatching(/The outline of something large/))
  expect(await erase(90)).toEqual([expect.stringMatching(/not installed/)])
})

test('fine texture is no structure', () => {
  const data = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, at) => 60 + ((at * 7919) % 97))
  const holes = new Uint8Array(WIDTH * HEIGHT)
  for (let y = 40; y < 70; y += 1) holes.fill(1, y * WIDTH + 50, y * WIDTH + 90)
  const sight = { least: 256, most: 1024, context: 5, tiles: 64 }
  expect(hasCutStructure({ data, width: WIDTH, height: HEIGHT, channels: 3, pages: 1 }, holes, sight)).toBe(false)
})

test('barred areas are never copied into a hole', () => {
  const data = new Uint8Array(80 * 60 * 3)
  for (let pixel = 0; pixel < 80 * 60; pixel += 1) {
    // Skin on the left, around the hole, and a face of the same colour on the right.
    const x = pixel % 80
    const isSkin = (x >= 2 && x < 30) || (x >= 50 && x < 70)
    data.set(isSkin ? [230, 180, 150 + (pixel % 3)] : [60, 90, 60 + (pixel % 5)], pixel * 3)
  }
  const holes = new Uint8Array(80 * 60)
  for (let y = 20; y < 40; y += 1) holes.fill(1, y * 80 + 11, y * 80 + 21)
  const samples = { data, width: 80, height: 60, channels: 3 as const, pages: 1 }
  const whole = { left: 0, top: 0, width: 80, height: 60 }
  const faces = [{ left: 48, top: 0, width: 24, height: 60 }]
  const copies = (barred: typeof faces) => {
    const { origins } = fillByExemplar(viewOf(samples, holes, whole, 1024, barred))
    return [...origins].filter((origin) => origin >= 0 && origin % 80 >= 50 && origin % 80 < 70).length
  }
  expect(copies([])).toBeGreaterThan(0)
  expect(copies(faces)).toBe(0)
})
