import { beforeAll, describe, expect, test } from 'vitest'
import { catalogue, findEntry, suggestTools, useScannedCatalogue } from '../../src/tool/registry.ts'
import { searchTools } from '../../src/tool/search.ts'

beforeAll(async () => void (await useScannedCatalogue()))

const names = (found: readonly { section: string; id: string }[]): string[] =>
  found.map(({ section, id }) => `${section}/${id}`)
const search = (text: string): string[] => names(searchTools(text, catalogue()).map(({ entry }) => entry))

describe('suggestions for an unknown tool', () => {
  test.each([
    ['pdf', 'merge', 'pdf/merge-pdf'],
    ['video', 'trim', 'video/trim-video'],
    ['audio', 'normalize', 'audio/normalize-audio'],
    ['audio', 'normalise', 'audio/normalize-audio'],
    ['pdf', 'compress', 'pdf/compress-pdf'],
    ['audio', 'loudness', 'audio/normalize-audio'],
    ['image', 'loudness', 'video/video-loudnorm'],
    ['image', 'resiz', 'image/resize'],
    ['video', 'resize', 'video/resize-video'],
    ['audio', 'resize', 'image/resize'],
    ['imgae', 'resize', 'image/resize'],
    ['imgae', 'resiz', 'image/resize'],
    ['audio', 'merge-pdf', 'pdf/merge-pdf'],
    ['audio', 'mp3', 'audio/m4a-to-mp3'],
    [undefined, 'mp3', 'video/mp4-to-mp3'],
  ])('%s %s', (section, id, expected) => {
    expect(names(suggestTools(id, section))[0]).toMatch(new RegExp(`^${expected}`))
  })

  test('few, and none without a similar name', () => {
    expect(suggestTools('png', 'image').length).toBe(3)
    expect(suggestTools('qqqqqqqq', 'image')).toEqual([])
    expect(() => findEntry('pdf/merge')).toThrow(expect.objectContaining({ hint: 'Did you mean pdf/merge-pdf?' }))
    expect(() => findEntry('qqqqqqqq')).toThrow(expect.objectContaining({ message: 'There is no tool qqqqqqqq' }))
  })
})

describe('search', () => {
  test("words of settings' values, and both spellings of grey", () => {
    expect(search('sepia')).toContain('image/adjust-colors')
    expect(search('greyscale')).toEqual(search('grayscale'))
    expect(search('greyscale')).toEqual(expect.arrayContaining(['image/adjust-colors', 'pdf/grayscale-pdf']))
    expect(search('protanopia')).toEqual(['image/color-blindness'])
  })

  test('ids before summaries before settings, tools before presets', () => {
    const [first, ...others] = search('compress')
    expect(first).toBe('image/compress')
    expect(others).toContain('pdf/compress-pdf')
    expect(search('trim').slice(0, 2).sort()).toEqual(['audio/trim-audio', 'video/trim-video'])
    expect(search('watermark pdf')[0]).toBe('pdf/watermark-pdf')
    expect(search('password pdf')).toEqual(expect.arrayContaining(['pdf/protect-pdf', 'pdf/unlock-pdf']))
  })

  test('names a setting only if nothing else matched', () => {
    const [first] = searchTools('sobel', catalogue())
    expect([first?.entry.id, first?.settings]).toEqual(['content-aware-resize', ['sobelThreshold']])
    const [byId] = searchTools('resize width', catalogue())
    expect([byId?.entry.id, byId?.settings]).toEqual(['resize', ['width']])
  })

  test('synonyms find tools with other names, after those with the name', () => {
    expect(search('smaller')).toEqual(expect.arrayContaining(['image/compress', 'pdf/compress-pdf']))
    expect(search('join pdf')[0]).toBe('pdf/merge-pdf')
    expect(search('cut video')).toContain('video/trim-video')
    expect(search('compress')[0]).toBe('image/compress')
  })

  test('splits the texts of a tool once', () => {
    let reads = 0
    const entry = {
      ...findEntry('image/resize'),
      get summary() {
        reads += 1
        return 'changes the size'
      },
    }
    for (const words of ['size', 'changes', 'resize']) expect(searchTools(words, [entry])).toHaveLength(1)
    expect(reads).toBe(1)
  })

  test('all words must match, and an unknown word finds nothing', () => {
    expect(search('compress qqqqqq')).toEqual([])
    expect(search(' ')).toEqual([])
    expect(search('COLOUR palette')).toEqual(search('color palette'))
  })
})
