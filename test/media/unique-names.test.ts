import { describe, expect, test } from 'vitest'
import { beforeExtension, UniqueNames, uniqueNames } from '../../src/media/unique-names.ts'

test('the first keeps its name, later ones are numbered before the extension', () => {
  expect(uniqueNames(['a.txt', 'b.txt', 'a.txt', 'a.txt'])).toEqual(['a.txt', 'b.txt', 'a-1.txt', 'a-2.txt'])
})

test('never generates a name that another file has', () => {
  expect(uniqueNames(['a.txt', 'a.txt', 'a-1.txt'])).toEqual(['a.txt', 'a-2.txt', 'a-1.txt'])
})

test('names that differ only in case are equal, as in many file systems', () => {
  expect(uniqueNames(['Photo.JPG', 'photo.jpg', 'PHOTO-1.jpg'])).toEqual(['Photo.JPG', 'photo-2.jpg', 'PHOTO-1.jpg'])
})

test('a dot of a folder is no extension, and neither is a leading dot', () => {
  expect(uniqueNames(['v1.0/notes', 'v1.0/notes', '.env', '.env'])).toEqual([
    'v1.0/notes',
    'v1.0/notes-1',
    '.env',
    '.env-1',
  ])
})

test('generated one by one, in another style', () => {
  const names = new UniqueNames({ repeat: (name, number) => `${name} (${number})`, first: 2, caseSensitive: true })
  expect(['a', 'A', 'a', 'a (2)', 'a'].map((name) => names.give(name))).toEqual([
    'a',
    'A',
    'a (2)',
    'a (2) (2)',
    'a (3)',
  ])
})

describe('the work is linear in the number of names', () => {
  const COUNT = 9000

  /** Number of candidate names tried for all of them. */
  function candidates(names: readonly string[]): { written: number; distinct: number } {
    const style = beforeExtension('-')
    let written = 0
    const repeat = (name: string, number: number): string => {
      written += 1
      return style(name, number)
    }
    return { distinct: new Set(uniqueNames(names, { repeat })).size, written }
  }

  test('when all are equal', () => {
    const { written, distinct } = candidates(new Array<string>(COUNT).fill('photo.jpg'))
    expect(distinct).toBe(COUNT)
    expect(written).toBe(COUNT - 1)
  })

  test('when half of them already have the numbers that the other half would get', () => {
    const half = COUNT / 2
    const names = [
      ...Array.from({ length: half }, (_, index) => `photo-${index + 1}.jpg`),
      ...new Array<string>(half).fill('photo.jpg'),
    ]
    const { written, distinct } = candidates(names)
    expect(distinct).toBe(COUNT)
    expect(written).toBeLessThan(COUNT)
  })
})
