import { expect, test } from 'vitest'
import {
  boundsOf,
  convexHull,
  cornersOf,
  grownBox,
  partOf,
  smallestBox,
  type TurnedBox,
  turnedBack,
} from '../../../src/models/ocr/geometry.ts'
import { joinedBoxes, textBoxes } from '../../../src/models/ocr/regions.ts'

const rounded = (points: readonly { x: number; y: number }[]) =>
  points.map(({ x, y }) => [Math.round(x * 1000) / 1000 + 0, Math.round(y * 1000) / 1000 + 0])

test('the hull of points excludes points within and on its sides', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 2, y: 0 },
    { x: 4, y: 0 },
    { x: 2, y: 1 },
    { x: 4, y: 3 },
    { x: 0, y: 3 },
  ]
  expect(rounded(convexHull(points))).toEqual([
    [0, 0],
    [4, 0],
    [4, 3],
    [0, 3],
  ])
})

test('the smallest box around a rotated rectangle is that rectangle', () => {
  // 50 x 10, its long side along (4, 3) / 5: 36.87 degrees.
  const corners = [
    { x: 10, y: 10 },
    { x: 50, y: 40 },
    { x: 44, y: 48 },
    { x: 4, y: 18 },
  ]
  const box = smallestBox(corners)
  expect(box.width).toBeCloseTo(50)
  expect(box.height).toBeCloseTo(10)
  expect((box.angle * 180) / Math.PI).toBeCloseTo(36.87, 2)
  expect(box.centre.x).toBeCloseTo(27)
  expect(box.centre.y).toBeCloseTo(29)
  expect(rounded(cornersOf(box))).toEqual(rounded(corners))
})

const box: TurnedBox = { centre: { x: 30, y: 20 }, width: 40, height: 10, angle: 0 }

test('a box grows on all sides, and its parts are along its width', () => {
  expect(grownBox(box, 2)).toEqual({ ...box, width: 44, height: 14 })
  expect(partOf(box, 0.5, 0.75)).toEqual({ ...box, centre: { x: 35, y: 20 }, width: 10 })
  expect(boundsOf(box, { width: 45, height: 100 })).toEqual({ x: 10, y: 15, w: 35, h: 10 })
})

test.each([
  [1, { x: 20, y: 70, w: 10, h: 40 }],
  [2, { x: 150, y: 75, w: 40, h: 10 }],
  [3, { x: 175, y: 10, w: 10, h: 40 }],
])('a box of a picture of 200 x 100 rotated by %i quarters', (quarters, bounds) => {
  const size = { width: 200, height: 100 }
  // Rotated once, 100 x 200: the point 10 px from the left was 10 px from the bottom before.
  const back = turnedBack(box, quarters, size)
  const moved = quarters === 1 ? { ...bounds, x: 15, y: 50 } : bounds
  expect(boundsOf(back, size)).toEqual(moved)
})

test('shapes of a map become boxes: expanded by area × 1.6 / perimeter, without faint and small ones', () => {
  const [width, height] = [100, 60]
  const data = new Uint8Array(width * height)
  const fill = (left: number, top: number, across: number, down: number, value: number) => {
    for (let y = top; y < top + down; y += 1) data.fill(value, y * width + left, y * width + left + across)
  }
  fill(10, 10, 40, 10, 255)
  fill(70, 10, 2, 2, 255)
  fill(10, 40, 40, 10, 90)
  const boxes = textBoxes({ data, width, height })
  expect(boxes).toHaveLength(1)
  // 40 x 10 pixels, dilated by one to the right and down: their middles span 40 x 10. Grown by 400 × 1.6 / 100 = 6.4.
  expect(boxes[0]).toMatchObject({ centre: { x: 30, y: 15 }, angle: 0 })
  expect(boxes[0]!.width).toBeCloseTo(52.8)
  expect(boxes[0]!.height).toBeCloseTo(22.8)
})

test('merges overlapping boxes of one line, and keeps others', () => {
  const next = { ...box, centre: { x: 66, y: 21 } }
  const [whole, ...more] = joinedBoxes([next, box])
  expect(more).toEqual([])
  // From 10 to 86, from 15 to 26.
  expect(boundsOf(whole!, { width: 200, height: 100 })).toMatchObject({ x: 10, w: 76 })
  for (const other of [
    { x: 75, y: 20 },
    { x: 40, y: 29 },
  ])
    expect(joinedBoxes([box, { ...box, centre: other }])).toHaveLength(2)
  expect(joinedBoxes([box, { ...next, height: 30 }])).toHaveLength(2)
})
