import { expect, test } from 'vitest'
import { readableReport } from '../../src/cli/output/report.ts'

test('aligned lines, nested values indented', () => {
  expect(readableReport({ width: 3, name: 'a\nb', size: { x: 1 }, none: null, empty: [] })).toBe(
    'width  3\nname   a\\nb\nsize\n  x  1\nnone   -\nempty  none\n',
  )
})

test('truncates a long list of plain values, and prints their number', () => {
  const counts = Array.from({ length: 256 }, (_, index) => index)
  expect(readableReport({ bins: counts })).toBe('bins  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (256 values)\n')
  expect(readableReport({ bins: counts.slice(0, 24) })).toBe(`bins  ${counts.slice(0, 24).join(', ')}\n`)
})

test('a list of similar objects is a table, one line each', () => {
  const channels = [
    { name: 'red', min: 0, max: 255 },
    { name: 'green', min: 12, max: null },
    { name: 'alpha\n', min: 5 },
  ]
  expect(readableReport({ width: 3, channels })).toBe(
    'width  3\nchannels\n  name     min  max\n  red      0    255\n  green    12   -\n  alpha\\n  5    -\n',
  )
})

test('other lists stay nested: a single object, nested values, long lines', () => {
  expect(readableReport({ one: [{ a: 1 }] })).toBe('one\n  1\n    a  1\n')
  expect(readableReport({ deep: [{ a: { b: 1 } }, { a: { b: 2 } }] })).toBe(
    'deep\n  1\n    a\n      b  1\n  2\n    a\n      b  2\n',
  )
  const long = 'x'.repeat(120)
  expect(readableReport({ texts: [{ text: long }, { text: 'y' }] })).toBe(
    `texts\n  1\n    text  ${long}\n  2\n    text  y\n`,
  )
})

test('does not print a file inside a report to the terminal', () => {
  const thumbnail = `data:image/jpeg;base64,${'A'.repeat(500)}`
  expect(readableReport({ thumbnail })).toBe('thumbnail  data:image/jpeg;base64,… (523 characters)\n')
})
