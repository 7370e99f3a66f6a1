import { describe, expect, test } from 'vitest'
import { pageNumbers } from '../../../src/local/late-names.ts'
import { clockTime, textPart } from '../../../src/local/names/input-facts.ts'

describe('facts of inputs as parts of names', () => {
  test('text of strangers adds no folder, hides no file and reverses no characters', () => {
    expect(textPart('../../etc/passwd')).toBe('_.._etc_passwd')
    expect(textPart('..')).toBeUndefined()
    expect(textPart('a:b*c?"<>|\\')).toBe('a_b_c______')
    expect(textPart('x\u202egpj.exe\u0000\n y')).toBe('xgpj.exe y')
    expect(textPart('  .hidden. ')).toBe('hidden')
    expect(textPart('…')).toBeUndefined()
    expect(textPart('')).toBeUndefined()
    expect(textPart({})).toBeUndefined()
    expect(Buffer.byteLength(textPart('😀a'.repeat(100_000)) ?? '')).toBeLessThanOrEqual(100)
  })

  test('clock times, and what is none', () => {
    const time = { year: 2024, month: 5, day: 3, hour: 10, minute: 11, second: 12 }
    expect(clockTime('2024:05:03 10:11:12')).toEqual(time)
    expect(clockTime('2024-05-03T10:11:12.000Z')).toEqual(time)
    expect(clockTime('2024-05-03T10:11:12+0200')).toEqual(time)
    for (const none of [
      '0000:00:00 00:00:00',
      '2023:02:29 00:00:00',
      '2024:13:01 00:00:00',
      '    :  :   ',
      '',
      5,
      null,
    ])
      expect(clockTime(none)).toBeUndefined()
  })

  test('pages are numbered as the tool does, otherwise by position', () => {
    expect(pageNumbers(['page-3.png', 'page-05.png'], 'a.pdf')).toEqual([3, 5])
    expect(pageNumbers(['IMG_20_page-9.png'], 'IMG_20.pdf')).toEqual([9])
    expect(pageNumbers(['a-1.png', 'b-1.png'], 'a.pdf')).toEqual([1, 2])
    expect(pageNumbers(['cover.png', 'page-7.png'], 'a.pdf')).toEqual([1, 2])
    expect(pageNumbers(['part-1-3.pdf', 'part-4-6.pdf'], 'x.pdf')).toEqual([1, 2])
  })
})
