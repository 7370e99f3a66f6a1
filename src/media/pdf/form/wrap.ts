import type { Font, Mupdf } from '../../../engines/mupdf.ts'
import { fontsFor } from '../stamp/stamp-fonts.ts'

/** Fonts in the order in which they are tried, by the first one. */
const known = new Map<string, Font[]>()

/** The width of a line in em, without kerning and joining, in a standard font or those for other scripts. */
export function measureText(mupdf: Mupdf, text: string, latinFont: string): number {
  const fonts = known.get(latinFont) ?? [new mupdf.Font(latinFont)]
  known.set(latinFont, fonts)
  let width = 0
  for (const character of text.normalize('NFC')) {
    let font = fonts.find((one) => one.encodeCharacter(character) > 0)
    if (!font && character.trim() !== '')
      for (const other of fontsFor(mupdf, character)) {
        if (other.encodeCharacter(character) === 0) continue
        fonts.push(other)
        font = other
        break
      }
    width += font ? font.advanceGlyph(font.encodeCharacter(character)) : 0.3
  }
  return width
}

/** Breaks text into lines of at most the given width: at spaces, and within words that are longer than a line. */
export function wrapLines(text: string, width: number, measure: (text: string) => number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let line = ''
    let length = 0
    for (const word of wordsOf(paragraph)) {
      const more = measure(word)
      if (line !== '' && length + measure(word.trimEnd()) > width) {
        lines.push(line.trimEnd())
        ;[line, length] = ['', 0]
      }
      if (more <= width) {
        line += word
        length += more
        continue
      }
      for (const character of word) {
        const one = measure(character)
        if (line !== '' && length + one > width) {
          lines.push(line)
          ;[line, length] = ['', 0]
        }
        line += character
        length += one
      }
    }
    return [...lines, line.trimEnd()]
  })
}

/** Words with the spaces after them; scripts without spaces are divided by the rules of Unicode. */
function wordsOf(text: string): string[] {
  if (!/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text))
    return text.split(/(?<=\s)(?=\S)/)
  return [...new Intl.Segmenter('und', { granularity: 'word' }).segment(text)].map(({ segment }) => segment)
}
