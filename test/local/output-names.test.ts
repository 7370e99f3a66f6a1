import { describe, expect, test } from 'vitest'
import { checkPattern, foreseenName, type NameFacts, patternName } from '../../src/local/output-names.ts'
import { foreseenExtension, type OutputType, SAME_PICTURE } from '../../src/tool/output-type.ts'

const FACTS: NameFacts = {
  inputName: 'my.photo.jpg',
  tool: 'resize',
  section: 'image',
  index: 7,
  count: 120,
  settings: { width: 800, text: 'a/b\\c', fit: undefined },
}

describe('patterns of --name', () => {
  test('every placeholder', () => {
    expect(patternName('{stem}_{tool}.{ext}', FACTS, 'webp')).toBe('my.photo_resize.webp')
    expect(patternName('{section}/{index}-{width}.{ext}', FACTS, 'jpg')).toBe('image/007-800.jpg')
    expect(patternName('{name}', FACTS, 'jpg')).toBe('my.photo.jpg')
    expect(patternName('{date}.{ext}', FACTS, 'jpg')).toMatch(/^\d{4}-\d\d-\d\d\.jpg$/)
  })

  test('values open no folders', () => {
    expect(patternName('{text}.{ext}', FACTS, 'jpg')).toBe('a_b_c.jpg')
    expect(patternName('{text}/x.{ext}', { ...FACTS, settings: { text: '..' } }, 'jpg')).toBe('_/x.jpg')
  })

  test('a pattern without an extension gets the true one', () => {
    expect(patternName('{stem}-small', FACTS, 'png')).toBe('my.photo-small.png')
    expect(patternName('{name}', FACTS, 'webp')).toBe('my.photo.jpg.webp')
  })

  test('a pattern with another extension is refused', () => {
    expect(patternName('{stem}.jpeg', FACTS, 'jpg')).toBe('my.photo.jpeg')
    expect(() => patternName('{stem}.png', FACTS, 'jpg')).toThrow('The output is JPG, and --name my.photo.png says PNG')
  })

  test('a folder has no extension', () => {
    expect(patternName('{stem}_pages.{ext}', FACTS, '')).toBe('my.photo_pages')
  })

  test('names that are too long are cut in the stem, between characters', () => {
    const name = patternName('{stem}_{tool}.{ext}', { ...FACTS, inputName: `${'😀'.repeat(63)}.jpg` }, 'jpg')
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    expect(name).toBe(`${'😀'.repeat(61)}_resize.jpg`)
  })

  test('unknown placeholders are refused with the list', () => {
    expect(() => checkPattern('{stem}_{widht}.{ext}', ['width'])).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        hint: expect.stringMatching(/^Did you mean \{width\}\? Known are \{stem\}, /),
      }),
    )
    expect(() => checkPattern('{stem}_{width}.{ext}', ['width'])).not.toThrow()
    expect(() => checkPattern('folder/', [])).toThrow('Expected a file name for --name')
  })
})

describe('what can be foreseen of an output', () => {
  const entry = { ...findLike('image', 'file', SAME_PICTURE), naming: { suffix: 'small' } }

  function findLike(accept: string, kind: 'file' | 'files', type: OutputType) {
    return { id: 'tool', input: { files: 'one' as const, min: 1, max: 1, accept: [accept] }, output: { kind, type } }
  }

  test('the extension, where input and settings tell it', () => {
    expect(foreseenExtension(entry.output.type, 'a.JPEG', {})).toBe('jpeg')
    expect(foreseenExtension(entry.output.type, 'a.heic', {})).toBeUndefined()
    expect(foreseenExtension({ is: 'png' }, 'a.pdf', {})).toBe('png')
    expect(foreseenExtension({ setting: 'format' }, 'a.png', { format: 'webp' })).toBe('webp')
    expect(foreseenExtension({ oneOf: ['png', 'jpg'] }, 'a.png', {})).toBeUndefined()
  })

  test('the name, where the tool says how it names', () => {
    expect(foreseenName(entry, 'a.b.jpg', {})).toBe('a.b_small.jpg')
    const converter = {
      ...findLike('image', 'file', { setting: 'format' }),
      naming: { suffix: 'convert', converts: true },
    }
    expect(foreseenName(converter, 'a.png', { format: 'webp' })).toBe('a.webp')
    expect(foreseenName(converter, 'a.webp', { format: 'webp' })).toBe('a_convert.webp')
    expect(foreseenName(findLike('image', 'file', SAME_PICTURE), 'a.png', {})).toBeUndefined()
    expect(foreseenName({ ...entry, id: 'tool/action' }, 'a.jpg', {})).toBeUndefined()
    expect(foreseenName({ ...entry, output: { kind: 'files', type: { is: 'png' } } }, 'a.png', {})).toBeUndefined()
  })
})
