import { describe, expect, test } from 'vitest'
import {
  dateText,
  knownFrom,
  parseTemplate,
  placeholderText,
  templateFaults,
  usesPlaceholder,
  withZeros,
} from '../../../src/tool/names/template.ts'

describe('the grammar of output names', () => {
  test('literal text, formats and defaults', () => {
    expect(parseTemplate('a/{stem}-{exif.date:HH:mm|no date}{x}.jpg')).toEqual([
      'a/',
      { name: 'stem' },
      '-',
      { name: 'exif.date', format: 'HH:mm', fallback: 'no date' },
      { name: 'x' },
      '.jpg',
    ])
    expect(parseTemplate('{title|}{artist|a:b}')).toEqual([
      { name: 'title', fallback: '' },
      { name: 'artist', fallback: 'a:b' },
    ])
    expect(parseTemplate('}a{b')).toEqual(['}a{b'])
    expect(placeholderText({ name: 'hash', format: '8', fallback: 'x' })).toBe('{hash:8}')
    expect(usesPlaceholder('{index:03}', 'index')).toBe(true)
    expect(usesPlaceholder('{indexes}', 'index')).toBe(false)
  })

  test('a setting with a value takes precedence over a fact', () => {
    expect(knownFrom({ name: 'width' }, { width: 800 })).toBe('run')
    expect(knownFrom({ name: 'width' }, { width: undefined })).toBe('output')
    expect(knownFrom({ name: 'title' }, {})).toBe('input')
    expect(knownFrom({ name: 'stem' }, {})).toBe('run')
    expect(knownFrom({ name: 'quality' }, {})).toBe('run')
  })

  test.each([
    [
      '{stem}.{hsh:8}',
      'There is no placeholder {hsh}',
      /^Did you mean \{hash\}\? Known are \{stem\}, .*\{quality\}\.$/,
    ],
    ['{exif.dat}', 'There is no placeholder {exif.dat}', /Did you mean \{exif\.date\}/],
    ['{}', 'There is no placeholder {}', /Known are/],
    ['{stem:3}', '{stem} has no format, got {stem:3}', /^Write \{stem\}\.$/],
    ['{hash:0}', '{hash:0} has an unknown format', /from 1 to 64/],
    ['{hash:65}', '{hash:65} has an unknown format', /from 1 to 64/],
    ['{index:3}', '{index:3} has an unknown format', /such as :03/],
    ['{page:021}', '{page:021} has an unknown format', /such as :03/],
    ['{date:}', '{date:} has an unknown format', /YYYY, MM, DD, HH, mm and ss/],
    ['{exif.date:yyyy}', '{exif.date:yyyy} has an unknown format', /YYYY/],
    ['{exif.date:MMMM}', undefined, undefined],
    ['{exif.date:YYYYMMDDTHHmmss}', undefined, undefined],
    ['{exif.date:YYYY/MM-DD}', undefined, undefined],
    ['{hash}{hash:1}{hash:64}{index:03}{page:020}{quality:03}', undefined, undefined],
  ])('%s', (pattern, message, hint) => {
    const [fault] = templateFaults(pattern, ['quality'])
    if (message === undefined) expect(fault).toBeUndefined()
    else expect(fault).toEqual({ message, hint: expect.stringMatching(hint ?? '') })
  })

  test('dates and leading zeros', () => {
    const time = { year: 2024, month: 5, day: 3, hour: 7, minute: 8, second: 9 }
    expect(dateText(time)).toBe('2024-05-03')
    expect(dateText(time, 'YYYYMMDDTHHmmss')).toBe('20240503T070809')
    expect(withZeros('7', '03')).toBe('007')
    expect(withZeros('1200', '03')).toBe('1200')
    expect(withZeros('16:9', '03')).toBe('16:9')
  })
})
