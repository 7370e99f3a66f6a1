import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ExampleResults, exampleInputs, RESULTS_PATH } from '../../src/generate/docs/example-results.ts'
import { checkPattern, expandPattern, type NameFacts } from '../../src/local/names/pattern.ts'
import { expectedName, expectedSet } from '../../src/local/output-names.ts'
import { expectedExtension, type OutputType, SAME_PICTURE } from '../../src/tool/output-type.ts'
import { catalogue } from '../../src/tool/registry.ts'
import { checkSettings } from '../../src/tool/validate.ts'
import { buildProgram } from '../helpers/program.ts'

beforeAll(buildProgram, 180_000)

const patternName = (...args: Parameters<typeof expandPattern>): string => expandPattern(...args).name

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

  test('values cannot add folders', () => {
    expect(patternName('{text}.{ext}', FACTS, 'jpg')).toBe('a_b_c.jpg')
    expect(patternName('{text}/x.{ext}', { ...FACTS, settings: { text: '..' } }, 'jpg')).toBe('_/x.jpg')
  })

  test('a pattern without an extension gets the actual one', () => {
    expect(patternName('{stem}-small', FACTS, 'png')).toBe('my.photo-small.png')
    expect(patternName('{name}', FACTS, 'webp')).toBe('my.photo.jpg.webp')
  })

  test('refuses a pattern with another extension', () => {
    expect(patternName('{stem}.jpeg', FACTS, 'jpg')).toBe('my.photo.jpeg')
    expect(() => patternName('{stem}.png', FACTS, 'jpg')).toThrow('The output is JPG, and --name my.photo.png says PNG')
  })

  test('a folder has no extension', () => {
    expect(patternName('{stem}_pages.{ext}', FACTS, '')).toBe('my.photo_pages')
  })

  test('long names are cut in the stem, between characters', () => {
    const name = patternName('{stem}_{tool}.{ext}', { ...FACTS, inputName: `${'😀'.repeat(63)}.jpg` }, 'jpg')
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    expect(name).toBe(`${'😀'.repeat(61)}_resize.jpg`)
  })

  test('refuses unknown placeholders with the list', () => {
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

describe('expected outputs', () => {
  const entry = { ...findLike('image', 'file', SAME_PICTURE), naming: { suffix: 'small' } }

  function findLike(accept: string, kind: 'file' | 'files', type: OutputType) {
    return { id: 'tool', input: { files: 'one' as const, min: 1, max: 1, accept: [accept] }, output: { kind, type } }
  }

  test('the extension, if input and settings determine it', () => {
    expect(expectedExtension(entry.output.type, 'a.JPEG', {})).toBe('jpeg')
    expect(expectedExtension(entry.output.type, 'a.heic', {})).toBeUndefined()
    expect(expectedExtension({ is: 'png' }, 'a.pdf', {})).toBe('png')
    expect(expectedExtension({ setting: 'format' }, 'a.png', { format: 'webp' })).toBe('webp')
    expect(expectedExtension({ oneOf: ['png', 'jpg'] }, 'a.png', {})).toBeUndefined()
  })

  test('the name, if the tool declares it', () => {
    expect(expectedName(entry, 'a.b.jpg', {})).toBe('a.b_small.jpg')
    const converter = {
      ...findLike('image', 'file', { setting: 'format' }),
      naming: { suffix: 'convert', converts: true },
    }
    expect(expectedName(converter, 'a.png', { format: 'webp' })).toBe('a.webp')
    expect(expectedName(converter, 'a.webp', { format: 'webp' })).toBe('a_convert.webp')
    expect(expectedName(findLike('image', 'file', SAME_PICTURE), 'a.png', {})).toBeUndefined()
    expect(expectedName({ ...entry, id: 'tool/action' }, 'a.jpg', {})).toBeUndefined()
    expect(expectedName({ ...entry, output: { kind: 'files', type: { is: 'png' } } }, 'a.png', {})).toBeUndefined()
  })
})

test('the expected outputs of every tool match those of its examples', () => {
  const results = JSON.parse(readFileSync(new URL(`../../${RESULTS_PATH}`, import.meta.url), 'utf8')) as ExampleResults
  const wrong: unknown[] = []
  const unexpected = new Set<string>()
  for (const entry of catalogue()) {
    const tool = `${entry.section}/${entry.id}`
    if (entry.base !== undefined || entry.output.kind === 'report') continue
    for (const [index, example] of entry.examples.entries()) {
      const result = results[tool]?.[index]
      if (!result || result.files.length === 0) continue
      const settings = checkSettings(entry.settings, { ...example.settings })
      const inputName = exampleInputs(entry, example)[0] ?? entry.id
      const expected = expectedName(entry, inputName, settings) ?? expectedSet(entry, inputName, settings)
      const made = result.set ?? result.files[0]
      if (expected === undefined) unexpected.add(tool)
      else if (expected !== made) wrong.push({ tool, expected, made })
    }
  }
  expect(wrong).toEqual([])
  // Those whose type, number of files or naming input depends on the content; drawings get a suitable type.
  const byContent = ['barcode-read', 'beautify', 'border', 'gif-tools', 'image-pad', 'image-to-pdf', 'meme-generator']
  const drawings = ['adjust-colors', 'color-blindness', 'replace-color', 'smart-crop']
  expect([...unexpected].sort()).toEqual(
    [
      ...[...byContent, ...drawings, 'sprite-sheet', 'stitch'].map((id) => `image/${id}`),
      ...[
        'pdf/extract-attachments',
        'pdf/fill-form',
        'pdf/multi-tool-pdf',
        'pdf/pdf-to-image',
        'pdf/split-pdf',
        'files/extract-zip',
      ],
      ...['video/burn-subtitles', 'video/embed-subtitles', 'video/replace-audio'],
    ].sort(),
  )
})
