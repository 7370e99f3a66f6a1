import { expect, test } from 'vitest'
import { readableReport } from '../../src/cli/report.ts'

test('aligned lines, nested values indented', () => {
  expect(readableReport({ width: 3, name: 'a\nb', size: { x: 1 }, none: null, empty: [] })).toBe(
    'width  3\nname   a\\nb\nsize\n  x  1\nnone   -\nempty  none\n',
  )
})

test('a long list of plain values is cut, and says how many there are', () => {
  const counts = Array.from({ length: 256 }, (_, index) => index)
  expect(readableReport({ bins: counts })).toBe('bins  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (256 values)\n')
  expect(readableReport({ bins: counts.slice(0, 24) })).toBe(`bins  ${counts.slice(0, 24).join(', ')}\n`)
})
