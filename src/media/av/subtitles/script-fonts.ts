/** Families that the program ships for scripts which Noto Sans itself lacks. */
const ARABIC = 'Noto Sans Arabic'
const HEBREW = 'Noto Sans Hebrew'
const THAI = 'Noto Sans Thai'
const KOREAN = 'Noto Sans KR'
const JAPANESE = 'Noto Sans JP'
const CHINESE = 'Noto Sans SC'

const HAN = String.raw`\p{Script=Han}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef`
const KANA = String.raw`\p{Script=Hiragana}\p{Script=Katakana}\u30fc`

/** Letters of a script, with the marks and blanks between them, so that a phrase is shaped as one. */
const run = (letters: string): RegExp =>
  new RegExp(`[${letters}][${letters}\\p{M}]*(?: +[${letters}][${letters}\\p{M}]*)*`, 'gu')

const HANGUL = String.raw`\p{Script=Hangul}`

type Rows = readonly (readonly [RegExp, string])[]

/** Chinese signs look different in Japan and Korea; that a text is from there is seen by its other letters. */
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

/** Text without override tags, where every script that needs another font names it; `{\fn}` goes back to the style's. */
function withFonts(text: string): string {
  // The tags that a row puts in hold no letters of the others' scripts.
  return [...eastern(text), ...OTHERS].reduce(
    (marked, [letters, family]) => marked.replace(letters, (found) => `{\\fn${family}}${found}{\\fn}`),
    text,
  )
}

/** Fields of an event before its text, by the ASS format. */
const FIELDS = 9

/**
 * A script (ASS) whose events name the font for every script that the main one lacks: builds of ffmpeg differ in what they
 * find by themselves.
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
