import { expect, test } from 'vitest'
import { removeSpecks } from '../../../../tools/image/_shared/matting/specks.ts'

const SIDE = 200

type Square = readonly [left: number, top: number, side: number, value: number]

/** A matte of squares. */
function drawn(squares: readonly Square[]): Float32Array {
  const matte = new Float32Array(SIDE * SIDE)
  for (const [left, top, side, value] of squares)
    for (let y = top; y < top + side; y += 1) matte.fill(value, y * SIDE + left, y * SIDE + left + side)
  return matte
}

// Buffers are compared fast.
const matteOf = (...squares: Square[]): Buffer => Buffer.from(drawn(squares).buffer)

const cleaned = (...squares: Square[]): Buffer => {
  const matte = drawn(squares)
  removeSpecks(matte, { width: SIDE, height: SIDE })
  return Buffer.from(matte.buffer)
}

const SUBJECT: Square = [40, 40, 100, 1] as const

test('specks and faint patterns of the background disappear; a second subject and a faint part of the first remain', () => {
  expect(cleaned(SUBJECT, [5, 5, 5, 1], [180, 180, 6, 0.9])).toEqual(matteOf(SUBJECT))
  expect(cleaned(SUBJECT, [150, 150, 25, 0.4])).toEqual(matteOf(SUBJECT))
  const [second, fur] = [[5, 150, 12, 1] as const, [140, 60, 12, 0.3] as const]
  expect(cleaned(SUBJECT, second, fur)).toEqual(matteOf(SUBJECT, second, fur))
})

test('small doubts inside a subject are filled; gaps that show the background are not', () => {
  expect(cleaned(SUBJECT, [60, 60, 4, 0.6])).toEqual(matteOf(SUBJECT))
  const gaps = [
    [60, 60, 4, 0],
    [90, 90, 20, 0.6],
  ] as const
  expect(cleaned(SUBJECT, ...gaps)).toEqual(matteOf(SUBJECT, ...gaps))
})

test('a matte without any subject stays empty', () => {
  expect(cleaned()).toEqual(matteOf())
})
