import { decodeWindows1252 } from '../../text-file.ts'

/**
 * Encodings of one or two bytes, with the letters of their scripts. Nearly any bytes are signs of East Asia, so that for
 * these the most common ones must be there: by the share of all signs that they have in a text.
 */
const GUESSES: readonly { label: string; letters: RegExp; common?: RegExp; share?: number }[] = [
  {
    label: 'shift_jis',
    letters: /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u,
    common: /\p{sc=Hiragana}/gu,
    share: 0.15,
  },
  { label: 'euc-jp', letters: /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u, common: /\p{sc=Hiragana}/gu, share: 0.15 },
  {
    label: 'gb18030',
    letters: /\p{sc=Han}/u,
    common: /[的一是不了在人有我他这为中大来上个国到说们你好会没吗什么那就]/gu,
    share: 0.05,
  },
  {
    label: 'big5',
    letters: /\p{sc=Han}/u,
    common: /[的一是不了在人有我他這為中大來上個國到說們你好會沒嗎什麼那就]/gu,
    share: 0.05,
  },
  { label: 'euc-kr', letters: /\p{sc=Hangul}/u, common: /[가는을를이은에의다고하지나요도어아기]/gu, share: 0.1 },
  // Small Cyrillic letters and Hebrew ones have the same bytes; a Cyrillic text has capitals besides.
  { label: 'windows-1255', letters: /[א-ת]/u },
  { label: 'windows-1251', letters: /\p{sc=Cyrillic}/u },
  { label: 'koi8-r', letters: /\p{sc=Cyrillic}/u },
  { label: 'windows-1253', letters: /\p{sc=Greek}/u },
  { label: 'windows-1256', letters: /\p{sc=Arabic}/u },
]

/** What is taken for text of Western Europe: few letters beyond ASCII, between those of ASCII. */
const WESTERN = 'windows-1252'
/** How much of what is beyond ASCII must be letters of a script. */
const ENOUGH = 0.7

function decoded(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** How well a text fits the script of its guess, about 0 to 1; a little more where its most common signs are there. */
function fitness(text: string, { letters, common, share = 0 }: (typeof GUESSES)[number]): number {
  const beyond = [...text].filter((one) => one > '\x7f')
  if (beyond.length === 0) return 0
  const fitting = beyond.filter((one) => letters.test(one)).length / beyond.length
  if (common) return (text.match(common)?.length ?? 0) / beyond.length < share ? 0 : fitting + share
  // KOI8 read as Windows-1251, or the reverse, swaps capitals and small letters.
  return fitting - (text.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0) / beyond.length
}

/** The encoding of one or two bytes that fits best; nothing is certain about these. */
function guess(bytes: Uint8Array): { text: string; guessed: string } {
  const candidates = GUESSES.flatMap((row) => {
    const text = decoded(bytes, row.label)
    return text === undefined ? [] : [{ text, guessed: row.label, fit: fitness(text, row) }]
  })
  const best = candidates.sort((one, other) => other.fit - one.fit)[0]
  // In a Western text the letters beyond ASCII stand alone between others; in these scripts they make the words.
  const western = decodeWindows1252(bytes)
  const runs = western.match(/[^\p{ASCII}]{2,}/gu)?.join('').length ?? 0
  const beyond = western.match(/[^\p{ASCII}]/gu)?.length ?? 0
  if (!best || best.fit < ENOUGH || runs < beyond / 2) return { text: western, guessed: WESTERN }
  return { text: best.text, guessed: best.guessed }
}

/**
 * The text of a subtitle file: Unicode by its mark or its form, else the encoding that its letters fit. Ends of lines become
 * `\n`.
 * @returns `guessed` names the encoding where it is not Unicode
 */
export function decodeSubtitles(bytes: Uint8Array): { text: string; guessed: string | undefined } {
  const [first, second] = bytes
  // Every second byte of Latin letters is 0 in UTF-16, which may come without its mark.
  const zeros = [0, 1].map(
    (parity) => bytes.subarray(0, 512).filter((byte, at) => byte === 0 && at % 2 === parity).length,
  )
  const wide =
    (first === 0xff && second === 0xfe) || zeros[1]! > 16
      ? 'utf-16le'
      : (first === 0xfe && second === 0xff) || zeros[0]! > 16
        ? 'utf-16be'
        : undefined
  const unicode = wide ? new TextDecoder(wide).decode(bytes) : decoded(bytes, 'utf-8')
  const { text, guessed } = unicode === undefined ? guess(bytes) : { text: unicode, guessed: undefined }
  return {
    text: text
      .replace(/^\uFEFF/, '')
      .replace(/\r\n?/g, '\n')
      .replaceAll('\0', ''),
    guessed,
  }
}
