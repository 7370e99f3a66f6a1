/** Text as pictures: with the fonts of the package only, as on a machine without fonts. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { drawText, fitTextSize, type TextLook } from '../../../src/media/image/text/text.ts'
import { breakLines, cutLine } from '../../../src/media/image/text/text-breaks.ts'
import { textFace } from '../../../src/media/image/text/text-fonts.ts'
import { pieces } from '../../../src/media/text-pieces.ts'
import { builtFile } from '../../../src/root.ts'
import { builtModule } from '../../helpers/node-script.ts'
import { readRgba, type Samples } from '../../helpers/picture.ts'
import { temporaryFolder } from '../../helpers/tool.ts'

const fonts = fileURLToPath(builtFile('fonts/'))
const folder = temporaryFolder()
const oursOnly = join(folder, 'fonts.conf')

// Read when the first text is drawn: of all folders of the shipped configuration, ours.
writeFileSync(
  oursOnly,
  readFileSync(join(fonts, 'fonts.conf'), 'utf8')
    .replace(/ *<dir.*<\/dir>\n/g, '')
    .replace(/<cachedir.*<\/cachedir>/, `<dir>${fonts}</dir><cachedir>${join(folder, 'cache')}</cachedir>`),
)
process.env.FONTCONFIG_FILE = oursOnly

const plain: Omit<TextLook, 'text'> = { font: 'sans-serif', size: 60, color: '#000000' }

async function ink(look: Partial<TextLook> & { text: string }): Promise<Samples> {
  return readRgba((await drawText({ ...plain, ...look })).png)
}

const alpha = ({ data, width }: Samples, x: number, y: number): number => data[(y * width + x) * 4 + 3]!

/** Whether a picture is framed by a single line: the box with a number for a missing glyph. */
function isBox(picture: Samples): boolean {
  const { width, height } = picture
  const filled = (count: number, at: (index: number) => number): boolean =>
    Array.from({ length: count - 8 }, (_, index) => index + 4).every((index) => at(index) > 60)
  const edges = [0, 1, 2].map((inset) => [
    filled(width, (x) => alpha(picture, x, inset)),
    filled(width, (x) => alpha(picture, x, height - 1 - inset)),
    filled(height, (y) => alpha(picture, inset, y)),
    filled(height, (y) => alpha(picture, width - 1 - inset, y)),
  ])
  return [0, 1, 2, 3].every((side) => edges.some((edge) => edge[side]))
}

describe('every shipped script has its glyphs', () => {
  test('a character without a glyph is a box', async () => {
    expect(isBox(await ink({ text: '\u{378}' }))).toBe(true)
    expect(isBox(await ink({ text: '\u{16e40}' }))).toBe(true)
  })

  const samples: Record<string, string> = {
    Latin: 'AgßđỆ',
    Greek: 'ΩἎ',
    Cyrillic: 'ЖѢ',
    Arabic: 'عربي',
    Hebrew: 'אש',
    Devanagari: 'हिन्दी',
    Thai: 'ไทย',
    'simplified Chinese': '汉语龟鱼',
    'traditional Chinese': '漢語龜驫',
    Japanese: 'ひカ働峠',
    Korean: '한뷁',
    emoji: '😀❤🚀',
    symbols: '→★✓€₹♪',
  }
  const letters = Object.entries(samples).flatMap(([script, text]) =>
    (script === 'Arabic' || script === 'Devanagari' ? [text] : [...text]).map((one) => [script, one] as const),
  )
  test.each(letters)('%s %s', async (_script, letter) => {
    const drawn = await ink({ text: letter })
    expect(drawn.width).toBeGreaterThan(8)
    expect(isBox(drawn)).toBe(false)
  })

  test('emoji are coloured, regardless of the text colour', async () => {
    const { data } = await ink({ text: '😀' })
    const yellow = Array.from({ length: data.length / 4 }, (_, index) =>
      data.subarray(index * 4, index * 4 + 4),
    ).filter(([red, green, blue, over]) => over === 255 && red! > 200 && green! > 140 && blue! < 110)
    expect(yellow.length).toBeGreaterThan(data.length / 4 / 4)
  })

  test('a sequence of emoji is one picture', async () => {
    const [one, flag, family] = await Promise.all(['😀', '🇩🇪', '👩‍👩‍👧'].map((text) => drawText({ ...plain, text })))
    expect(flag!.width).toBeLessThan(1.3 * one!.width)
    expect(family!.width).toBeLessThan(1.3 * one!.width)
  })

  test('Chinese characters of Japanese text have their Japanese form', async () => {
    const chinese = await ink({ text: '直' })
    const japanese = await readRgba((await drawText({ ...plain, text: '直\nの' })).png)
    const rows = (picture: Samples): number[] =>
      Array.from({ length: 40 }, (_, y) =>
        Array.from({ length: picture.width }, (_, x) => alpha(picture, x, y)).reduce((a, b) => a + b),
      )
    const apart = rows(chinese).reduce((sum, one, y) => sum + Math.abs(one - rows(japanese)[y]!), 0)
    // The lower left corner of the Japanese form is closed by a vertical stroke.
    expect(apart / 255).toBeGreaterThan(100)
  })

  test.each(['anton', 'arial-black', 'comic-sans', 'montserrat', 'bebas-neue', 'permanent-marker', 'roboto'])(
    '%s is a separate font',
    async (font) => {
      const [own, general] = await Promise.all([
        drawText({ ...plain, font, text: 'Rag' }),
        drawText({ ...plain, text: 'Rag' }),
      ])
      expect(own.png.equals(general.png)).toBe(false)
      const unknown = await drawText({ ...plain, font: 'No Such Family', text: 'Rag' })
      expect(unknown.png.equals(general.png)).toBe(true)
    },
  )

  test('fonts of the machine have no effect', async () => {
    const text = 'Ag عربي हिन्दी ไทย 汉語 ひ 한 😀 →'
    const script = `
      import { createHash } from 'node:crypto'
      const { drawText } = await import(${builtModule('src/media/image/text/text.js')})
      const { png } = await drawText({ text: ${JSON.stringify(text)}, font: 'Arial', size: 60, color: '#000000' })
      console.log(createHash('sha256').update(png).digest('hex'))`
    const hash = (configuration: string, language: string): string =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, FONTCONFIG_FILE: configuration, LANG: language, LC_ALL: language, LANGUAGE: language },
        encoding: 'utf8',
      })
    expect(hash(join(fonts, 'fonts.conf'), 'ta_IN.UTF-8')).toBe(hash(oursOnly, 'C'))
  })

  test('all fonts together are less than 25 MB', () => {
    const bytes = readdirSync(fonts).reduce((sum, name) => sum + statSync(join(fonts, name)).size, 0)
    expect(bytes).toBeLessThan(25e6)
    expect(bytes).toBeGreaterThan(10e6)
  })
})

describe('lines', () => {
  const face = textFace('sans-serif')

  test('words stay whole, if spaces or the script allow it', () => {
    expect(pieces('one (two)  three, four')).toEqual(['one ', '(two)  ', 'three, ', 'four'])
    expect(pieces('これは本。').length).toBeGreaterThan(1)
    expect(pieces('これは本。').at(-1)).not.toBe('。')
    expect(pieces('ภาษาไทย')).toEqual(['ภาษา', 'ไทย'])
  })

  test('are wrapped at the width; keep their own line breaks', async () => {
    const { lines, split } = await breakLines('aaa bbb ccc\r\n\nddd', face, 4)
    expect(lines).toEqual(['aaa bbb', 'ccc', '', 'ddd'])
    expect(split).toBe(false)
  })

  test('breaks a long word between letters', async () => {
    const { lines, split } = await breakLines('mmmmmmmmmm', face, 3)
    expect(split).toBe(true)
    expect(lines.join('')).toBe('mmmmmmmmmm')
    expect(lines.length).toBe(4)
  })

  test.each([
    ['start', /^0.*[^9]$/],
    ['middle', /^[^0].*[^9]$/],
    ['end', /^[^0].*9$/],
  ] as const)('too wide: the %s is kept', async (keep, form) => {
    const kept = await cutLine(`0${'abcdefgh'.repeat(20)}9`, face, 30, keep)
    expect(kept).toMatch(form)
    expect(kept.length).toBeGreaterThan(30)
    expect(kept.length).toBeLessThan(80)
  })

  test('are 1.2 times the size apart', async () => {
    const [one, three] = await Promise.all(['H', 'H\nH\nH'].map((text) => drawText({ ...plain, size: 100, text })))
    expect(three!.lines).toBe(3)
    expect(three!.height - one!.height).toBe(240)
    expect(three!.width).toBe(one!.width)
  })

  test('left and right', async () => {
    const text = 'MMMM\ni'
    const edges = async (align: 'left' | 'right'): Promise<[number, number]> => {
      const picture = await ink({ text, align, size: 100 })
      const y = picture.height - 4
      const columns = Array.from({ length: picture.width }, (_, x) => x).filter((x) => alpha(picture, x, y) > 128)
      return [columns[0]!, picture.width - 1 - columns.at(-1)!]
    }
    expect((await edges('left'))[0]).toBeLessThan(3)
    expect((await edges('right'))[1]).toBeLessThan(3)
  })
})

describe('measures', () => {
  test('the centre is between cap height and baseline', async () => {
    const plainH = await drawText({ ...plain, size: 100, text: 'H' })
    expect(plainH.middle).toBeCloseTo(plainH.height / 2, 0)
    const above = await drawText({ ...plain, size: 100, text: 'Á' })
    expect(Math.abs(above.height - above.middle - plainH.height / 2)).toBeLessThanOrEqual(1)
    const below = await drawText({ ...plain, size: 100, text: 'Hg' })
    expect(Math.abs(below.middle - plainH.height / 2)).toBeLessThanOrEqual(1)
    expect(below.height).toBeGreaterThan(plainH.height + 15)
  })

  test('small text has proportional widths', async () => {
    const text = 'illimitable AVATAR of words'
    const [large, small] = await Promise.all([200, 10].map((size) => drawText({ ...plain, size, text })))
    expect(Math.abs(small!.width - large!.width / 20)).toBeLessThan(2)
  })

  test('shows markup literally', async () => {
    const [bold, letters] = await Promise.all(
      ['<b>x</b> &amp;', '(b)x(/b) &amp;'].map((text) => drawText({ ...plain, text })),
    )
    expect(bold!.width).toBeGreaterThan(0.85 * letters!.width)
  })

  test.each([
    ['', 1],
    ['   ', 1],
    ['\u200b\u0007', 1],
  ])('text without ink is one transparent pixel: %j', async (text, side) => {
    const drawn = await drawText({ ...plain, text })
    expect(drawn).toMatchObject({ width: side, height: side })
    expect([...(await readRgba(drawn.png)).data]).toEqual([0, 0, 0, 0])
  })

  test('refuses text above the limit', async () => {
    await expect(drawText({ ...plain, text: 'a'.repeat(5001) })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
    await expect(drawText({ ...plain, size: 1000, text: 'a\n'.repeat(200) })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
    })
  })

  test('the largest size that fits', async () => {
    const box = { width: 400, height: 200 }
    const size = await fitTextSize('some words that fit', 'anton', box, { smallest: 8, largest: 200 })
    const drawn = await drawText({ ...plain, font: 'anton', size, text: 'some words that fit', maxWidth: 400 })
    expect(drawn.width).toBeLessThanOrEqual(400)
    expect(drawn.lines * 1.2 * size).toBeLessThanOrEqual(200)
    const more = await drawText({ ...plain, font: 'anton', size: size + 1, text: 'some words that fit', maxWidth: 400 })
    expect(more.lines * 1.2 * (size + 1)).toBeGreaterThan(200)
    expect(await fitTextSize('x'.repeat(300), 'anton', box, { smallest: 8, largest: 200 })).toBe(8)
  })
})

describe('outline', () => {
  const covered = (picture: Samples, across: boolean): number => {
    const [x, y] = [Math.floor(picture.width / 2), Math.floor(picture.height / 2)]
    const line = Array.from({ length: across ? picture.width : picture.height }, (_, index) =>
      across ? alpha(picture, index, y) : alpha(picture, x, index),
    )
    return line.reduce((sum, one) => sum + one, 0) / 255
  }

  test.each([1, 3, 8, 20])('%d px on all sides, also of thin strokes', async (width) => {
    const without = await ink({ text: '-', size: 30 })
    const picture = await ink({ text: '-', size: 30, color: '#0000ff', stroke: { color: '#ff0000', width } })
    expect([picture.width, picture.height]).toEqual([without.width + 2 * width, without.height + 2 * width])
    for (const across of [true, false])
      expect(Math.abs(covered(picture, across) - covered(without, across) - 2 * width)).toBeLessThan(0.6)
    const at = (x: number, y: number): number[] => [
      ...picture.data.subarray((y * picture.width + x) * 4).subarray(0, 4),
    ]
    const [x, y] = [Math.floor(picture.width / 2), Math.floor(picture.height / 2)]
    expect(at(x, y)).toEqual([0, 0, 255, 255])
    expect(at(x, 0).slice(0, 3)).toEqual([255, 0, 0])
    // Corners are round: a square one would be as full as the edge.
    expect(at(0, 0)[3]).toBeLessThan(at(x, 0)[3]! / 2)
  })

  test('emoji have an outline of one colour', async () => {
    const picture = await ink({ text: '😀', stroke: { color: '#00ff00', width: 6 } })
    const at = (3 * picture.width + Math.floor(picture.width / 2)) * 4
    expect([...picture.data.subarray(at, at + 4)]).toEqual([0, 255, 0, 255])
  })
})
