import { expect, test } from 'vitest'
import { type MattedFrame, NEIGHBOURS, steadyMatte } from '../../../../tools/image/_shared/matting/temporal.ts'

const SIZE = { width: 60, height: 40 }

/** A red square on a textured background, and the matte that a network returned for it. */
function frameOf(left: number, matte: (x: number, y: number) => number): MattedFrame {
  const frame = { colours: new Uint8Array(60 * 40 * 4), matte: new Uint8Array(60 * 40) }
  for (let y = 0, at = 0; y < 40; y += 1)
    for (let x = 0; x < 60; x += 1, at += 1) {
      const isSubject = x >= left && x < left + 20 && y >= 10 && y < 30
      frame.colours.set(isSubject ? [200, 30, 30, 255] : [40, 120 + 40 * ((x >> 2) % 2), 60, 255], at * 4)
      frame.matte[at] = matte(x, y)
    }
  return frame
}

const square = (left: number) => (x: number, y: number) => (x >= left && x < left + 20 && y >= 10 && y < 30 ? 255 : 0)

/** The share of the image that a matte shows, after it was compared with its neighbours. */
function areas(frames: readonly MattedFrame[]): number[] {
  return frames.map((_, own) => {
    const from = Math.max(0, own - NEIGHBOURS)
    const matte = steadyMatte(frames.slice(from, own + NEIGHBOURS + 1), own - from, SIZE)
    return matte.reduce((sum, value) => sum + value / 255, 0)
  })
}

test('frames in which the network failed take the matte of the others', () => {
  const still = square(15)
  const all = () => 255
  const frames = [still, still, () => 0, still, still, all, still, still].map((matte) => frameOf(15, matte))
  expect(areas(frames)).toEqual(Array(8).fill(400))
})

test('edges that flicker become steady', () => {
  const soft = [100, 180, 90, 190, 110, 170, 100].map((value) =>
    frameOf(15, (x, y) => (square(15)(x, y) === 255 && x === 15 ? value : square(15)(x, y))),
  )
  const steps = (list: readonly number[]) => list.slice(1).map((area, at) => Math.abs(area - (list[at] as number)))
  const before = soft.map(({ matte }) => matte.reduce((sum, value) => sum + value / 255, 0))
  const most = (list: readonly number[]) => Math.max(...steps(list))
  expect(most(before)).toBeGreaterThan(6)
  expect(most(areas(soft))).toBeLessThan(most(before) / 2)
})

test('what moves keeps its own matte', () => {
  const frames = [0, 8, 16, 24, 32].map((left) => frameOf(left, square(left)))
  for (const area of areas(frames)) expect(area).toBeCloseTo(400, 0)
})
