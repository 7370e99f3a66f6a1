/** Bundled font families for scripts that Noto Sans itself does not cover. */
const ARABIC = 'Noto Sans Arabic'
const HEBREW = 'Noto Sans Hebrew'
const THAI = 'Noto Sans Thai'
const KOREAN = 'Noto Sans KR'
const JAPANESE = 'Noto Sans JP'
const CHINESE = 'Noto Sans SC'

const HAN = String.raw`\p{Script=Han}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef`
const KANA = String.raw`\p{Script=Hiragana}\p{Script=Katakana}\u30fc`

/** Letters of a script including the marks and spaces between them, so that a phrase is shaped as a unit. */
const run = (letters: string): RegExp =>
  new RegExp(`[${letters}][${letters}\\p{M}]*(?: +[${letters}][${letters}\\p{M}]*)*`, 'gu')

const HANGUL = String.raw`\p{Script=Hangul}`

type Rows = readonly (readonly [RegExp, string])[]

/** Han characters differ in Japanese and Korean; the language is detected from the other letters in the text. */
function eastern(text: string): Rows {
  if (new RegExp(`[${KANA}]`, 'u').test(text))
    return [
      [run(HAN + KANA), JAPANESE],
      [run(HANGUL), KOREAN],
    ]
  return [new RegExp(HANGUL, 'u').test(text) ? [run(HAN + HANGUL), KOREAN] : [run(HAN), CHINESE]]
}

const OTHERS: Rows = [
  [run(String.raw`\p{Script=Arabic}`), ARABIC],
  [run(String.raw`\p{Script=Hebrew}`), HEBREW],
  [run(String.raw`\p{Script=Thai}`), THAI],
]

/**
 * Text without override tags, with a font tag for each script that needs another font; `{\fn}` resets to the style's
 * font.
 */
function withFonts(text: string): string {
  // Tags inserted for one script contain no letters of the other scripts.
  return [...eastern(text), ...OTHERS].reduce(
    (marked, [letters, family]) => marked.replace(letters, (found) => `{\\fn${family}}${found}{\\fn}`),
    text,
  )
}

/** Event fields before the text in the ASS format. */
const FIELDS = 9

/**
 * Adds font tags to the events of a script (ASS) for each writing system that the main font lacks, because ffmpeg
 * builds differ in the fallback fonts they find.
 */
export function withScriptFonts(script: string): string {
  return script
    .split('\n')
    .map((line) => {
      // In drawings (`\p1`) letters are commands.
      if (!/^Dialogue\s*:/i.test(line) || /\\p[1-9]/.test(line)) return line
      const fields = line.split(',')
      const text = fields.slice(FIELDS).join(',')
      const marked = text.replace(/\{[^}]*\}|[^{]+/g, (part) => (part.startsWith('{') ? part : withFonts(part)))
      return [...fields.slice(0, FIELDS), marked].join(',')
    })
    .join('\n')
}
