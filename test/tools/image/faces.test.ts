import sharp from 'sharp'
import { expect, test } from 'vitest'
import { distinctFaces } from '../../../tools/image/_shared/faces/yunet.ts'
import { carve } from '../../../tools/image/geometry/content-aware-resize/seam-carving.ts'
import smartCrop from '../../../tools/image/geometry/smart-crop.ts'
import { correctEye } from '../../../tools/image/restore/red-eye-removal/correct-eye.ts'
import { fromSamples, photo, put } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
test('without a face the crop is around the salient part, with a warning', async () => {
  const input = await put(folder, 'nobody.png', fromSamples(photo(120, 90)).png())
  const { paths, warnings } = await run(smartCrop, folder, [input], { mode: 'face', width: 40, height: 40 })
  expect(await sharp(paths[0]!).metadata()).toMatchObject({ width: 40, height: 40 })
  expect(warnings[0]).toMatch(/No face was found/)
})

test('merges two boxes of one face', () => {
  const box = { width: 100, height: 100, points: [] }
  const faces = [
    { ...box, left: 0, top: 0, score: 0.6 },
    { ...box, left: 20, top: 10, score: 0.9 },
    { ...box, left: 40, top: 40, width: 30, height: 30, score: 0.5 },
    { ...box, left: 150, top: 0, score: 0.55 },
  ]
  expect(distinctFaces(faces).map(({ left }) => left)).toEqual([20, 150])
})

test.each([8, 16])('reduces the red of an eye by strength, in %i bit', (bits) => {
  const white = bits === 16 ? 257 : 1
  const values = Array.from({ length: 20 * 20 * 3 }, (_, at) => [200, 30, 30][at % 3]! * white)
  const picture = () => ({
    data: bits === 16 ? Uint16Array.from(values) : Uint8Array.from(values),
    ...{ width: 20, height: 20, channels: 3 as const, pages: 1 },
  })
  const eye = { x: 10, y: 10, radius: 6 }
  const centre = (strength: number) => {
    const samples = picture()
    expect(correctEye(samples, eye, { sensitivity: 50, strength })).toBe(true)
    return [...samples.data.subarray((10 * 20 + 10) * 3, (10 * 20 + 10) * 3 + 3)].map((value) => value / white)
  }
  const [weak, strong] = [centre(0), centre(100)]
  // L* of (200, 30, 30) is 42.6: neutral, that is 101; three tenths of it 31.
  expect(Math.abs(weak[0]! - 101)).toBeLessThan(2)
  expect(Math.abs(strong[0]! - 33)).toBeLessThan(3)
  expect(Math.max(...strong) - Math.min(...strong)).toBeLessThan(1)
})

test('protected areas are not carved, although they are flat', () => {
  const [width, height] = [40, 10]
  const data = Uint8Array.from({ length: width * height }, (_, at) => (at % width < 20 ? 128 : ((at * 37) % 200) + 20))
  const guarded = data.map((_, at) => (at % width >= 5 && at % width < 15 ? 1 : 0))
  const { columns } = carve({ data, guarded, width, height }, 25, 1)
  for (let y = 0; y < height; y += 1)
    expect([...columns.subarray(y * 25, (y + 1) * 25)].filter((x) => x >= 5 && x < 15)).toHaveLength(10)
})
