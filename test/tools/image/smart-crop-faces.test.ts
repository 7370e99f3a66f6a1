import { expect, test } from 'vitest'
import { cropAround, largestCrop, largestGroup } from '../../../tools/image/geometry/smart-crop/faces.ts'

const face = (left: number, top: number, side = 100) => ({ left, top, width: side, height: side })
const picture = { width: 1200, height: 600 }

test('a crop around two faces includes both, at any distance', () => {
  const faces = [face(100, 200), face(500, 220)]
  const crop = cropAround(faces, picture, { width: 300, height: 300 }, 1.8)
  expect(crop.left).toBeLessThan(100)
  expect(crop.left + crop.width).toBeGreaterThan(600)
  expect(crop.top).toBeLessThanOrEqual(200)
  expect(crop.top + crop.height).toBeGreaterThanOrEqual(320)
  expect(crop.width).toBe(crop.height)
  // One face as before: a multiple of its height.
  expect(cropAround([face(500, 200)], picture, { width: 300, height: 300 }, 1.8).height).toBe(180)
})

test('keeps the most of faces that do not fit together, and the largest of equally large groups', () => {
  const size = largestCrop(picture, { width: 300, height: 300 })
  expect(size).toEqual({ width: 600, height: 600 })
  const [far, near, beside] = [face(0, 0), face(900, 100), face(1050, 150)]
  expect(largestGroup([far, near, beside], size)).toHaveLength(2)
  expect(largestGroup([far, face(1000, 0, 150)], size)).toEqual([face(1000, 0, 150)])
  expect(largestGroup([near, beside], size)).toEqual([near, beside])
})
