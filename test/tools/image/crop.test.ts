import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import crop from '../../../tools/image/geometry/crop.ts'
import {
  animation,
  at,
  difference,
  fromSamples,
  photo,
  png16,
  put,
  ramp16,
  read16,
  readPixels,
  readRgba,
} from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const whole = photo(50, 30)
const source = () => put(folder, 'whole.png', fromSamples(whole).png())

async function cropped(settings: Record<string, unknown>) {
  return readPixels((await run(crop, folder, [await source()], settings)).paths[0]!)
}

test('the exact pixels of the rectangle', async () => {
  const part = await cropped({ left: 7, top: 5, width: 20, height: 11 })
  expect(part).toMatchObject({ width: 20, height: 11 })
  for (const [x, y] of [
    [0, 0],
    [19, 10],
    [8, 3],
  ] as const)
    expect(at(part, x, y)).toEqual(at(whole, x + 7, y + 5))
})

test('percent, rounded to whole pixels', async () => {
  const part = await cropped({ left: 10, top: 10, width: 33, height: 55, unit: 'percent' })
  expect(part).toMatchObject({ width: 17, height: 17 })
  expect(at(part, 0, 0)).toEqual(at(whole, 5, 3))
})

test('rounds pixels, too', async () => {
  const part = await cropped({ left: 1.6, top: 2.4, width: 3.5, height: 1.2 })
  expect(part).toMatchObject({ width: 4, height: 1 })
  expect(at(part, 0, 0)).toEqual(at(whole, 2, 2))
})

test('the whole picture is valid, one column more is not', async () => {
  expect(difference(await cropped({ left: 0, top: 0, width: 50, height: 30 }), whole).most).toBe(0)
  for (const settings of [
    { left: 0, top: 0, width: 51, height: 30 },
    { left: 45, top: 0, width: 6, height: 30 },
    { left: 60, top: 0, width: 1, height: 1 },
    { left: 0, top: 29, width: 5, height: 2 },
    { left: 0, top: 0, width: 0.3, height: 5 },
    { left: 50, top: 50, width: 60, height: 50, unit: 'percent' },
  ])
    await expect(cropped(settings)).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
})

describe('kept properties', () => {
  test('16 bit samples exactly', async () => {
    const ramp = ramp16(1000, 3)
    const { paths } = await run(crop, folder, [await put(folder, 'deep.png', await png16(ramp))], {
      left: 100,
      top: 1,
      width: 800,
      height: 1,
    })
    expect([...(await read16(paths[0]!)).data]).toEqual([...ramp.data.slice(100, 900)])
  })

  test.each(['gif', 'webp'])('all frames of a %s', async (format) => {
    const input = await animation(join(folder, `moving.${format}`), ['#ff0000', '#00ff00'], {
      delay: [70, 90],
      loop: 5,
    })
    const { paths } = await run(crop, folder, [input], { left: 5, top: 4, width: 10, height: 8 })
    expect(await sharp(paths[0]!, { animated: true }).metadata()).toMatchObject({
      pages: 2,
      width: 10,
      pageHeight: 8,
      delay: [70, 90],
      loop: 5,
    })
    expect(at(await readRgba(paths[0]!, 1), 5, 4)[1]).toBeGreaterThan(250)
  })
})
