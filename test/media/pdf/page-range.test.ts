import { describe, expect, test } from 'vitest'
import { parsePageList, parsePageRange } from '../../../src/media/pdf/page/page-range.ts'

describe('parsePageRange', () => {
  test.each([
    ['1', [1]],
    ['1-3,6,2', [1, 2, 3, 6, 2]],
    ['z', [6]],
    ['r1', [6]],
    ['r2-1', [5, 4, 3, 2, 1]],
    ['z-1', [6, 5, 4, 3, 2, 1]],
    ['3-1', [3, 2, 1]],
    ['1,1,2', [1, 1, 2]],
    ['5-z', [5, 6]],
    ['4-4', [4]],
    ['003', [3]],
    ['R1,Z', [6, 6]],
    ['r3-r1', [4, 5, 6]],
  ])('%s of 6 pages', (range, pages) => {
    expect(parsePageRange(range, 6)).toEqual(pages)
  })

  test.each([
    '',
    ',1',
    '1,',
    '1,,2',
    '1-',
    '-3',
    '1--2',
    '1-2-3',
    'r',
    'rz',
    'zz',
    '1z',
    '0',
    'r0',
    '1-0',
    'x2',
    '1:odd',
    '1 2',
    ' 1',
    '1-3,x2',
    '１',
  ])('"%s" is refused as a setting', (range) => {
    expect(() => parsePageRange(range, 6)).toThrow(expect.objectContaining({ code: 'INVALID_SETTINGS' }))
  })

  test.each([
    ['7', 'Page 7 was requested, but the document has 6 pages'],
    ['5-9', 'Page 9 was requested, but the document has 6 pages'],
    ['r7', 'Page r7 was requested, but the document has 6 pages'],
    ['99999999999999999999999', 'Page 99999999999999999999999 was requested, but the document has 6 pages'],
  ])('%s is outside the document', (range, message) => {
    expect(() => parsePageRange(range, 6)).toThrow(expect.objectContaining({ code: 'TARGET_UNREACHABLE', message }))
  })

  test('a single page is singular', () => {
    expect(() => parsePageRange('2', 1)).toThrow('Page 2 was requested, but the document has 1 page')
  })

  test('accepts 200 characters, refuses 201', () => {
    const longest = `${'1,'.repeat(99)}11`
    expect(longest).toHaveLength(200)
    expect(parsePageRange(longest, 11)).toHaveLength(100)
    expect(() => parsePageRange(`${longest}1`, 200)).toThrow('201 characters, at most 200')
  })
})

describe('parsePageList', () => {
  test.each([
    ['', [1, 2, 3, 4, 5]],
    ['all', [1, 2, 3, 4, 5]],
    [' ALL ', [1, 2, 3, 4, 5]],
    ['3, 1', [1, 3]],
    ['2 - 4,3', [2, 3, 4]],
    ['4-z', [4, 5]],
    ['r2,1', [1, 4]],
  ])('"%s" of 5 pages', (list, pages) => {
    expect(parsePageList(list, 5)).toEqual(pages)
  })

  test.each(['0', '-1', '1.5', '3-1', 'z-1', '1,', ',', 'one', '1 2'])('"%s" is refused', (list) => {
    expect(() => parsePageList(list, 5)).toThrow(expect.objectContaining({ code: 'INVALID_SETTINGS' }))
  })

  test.each(['6', '4-6', 'r6'])(
    '"%s" is outside of the document: one code for all tools, and 400 over HTTP',
    (list) => {
      const error = expect.objectContaining({ code: 'TARGET_UNREACHABLE', exit: 1, status: 400 })
      expect(() => parsePageList(list, 5)).toThrow(error)
      expect(() => parsePageRange(list, 5)).toThrow(
        expect.objectContaining({ code: 'TARGET_UNREACHABLE', status: 422 }),
      )
    },
  )

  test('the message names the page and the number of pages', () => {
    expect(() => parsePageList('12', 4)).toThrow('Page 12 was requested, but the document has 4 pages')
  })
})
