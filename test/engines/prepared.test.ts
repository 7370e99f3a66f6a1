import { expect, test } from 'vitest'
import { PreparedNames } from '../../src/engines/postgres/prepared.ts'

const times = (names: PreparedNames, text: string, count: number) =>
  Array.from({ length: count }, () => names.nameOf(text))

test('a statement has a name from its fifth execution on, and another one another name', () => {
  const names = new PreparedNames()
  const first = times(names, 'select $1', 6)
  expect(first.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined])
  expect(first[4]).toMatch(/^[0-9a-f]{32}$/)
  expect(first[5]).toBe(first[4])
  expect(times(names, 'select $1, 2', 5)[4]).not.toBe(first[4])
})

test('the number of names is bounded, also after many rare statements', () => {
  const names = new PreparedNames()
  for (let number = 0; number < 10_000; number++) names.nameOf(`select $1, ${number}`)
  const given = new Set<string | undefined>()
  for (let number = 0; number < 300; number++) given.add(times(names, `select $1, -${number}`, 5)[4])
  given.delete(undefined)
  expect(given.size).toBe(200)
})
