/** Words that are searched in texts as extractors and files spell them. */
export interface Terms {
  patterns: readonly RegExp[]
}

/** A text in the spelling that is compared, and where each of its code units was in the characters given. */
export interface Spelling {
  text: string
  origins: readonly number[]
}

/** Joiners, soft hyphens, marks of direction: they are not seen, and hide a word from a search. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** A line that ends within a word, with or without its hyphen. */
const BREAK = '(?:[-\u2010\u2012\u2013]?[^\\S\\n]*\\n\\s*)?'

/**
 * What finds each term: literally, in any spelling of Unicode (ligatures, composed and decomposed accents, accents that
 * were set as signs of their own), across line breaks with or without a hyphen.
 */
export function termsOf(words: readonly string[], caseSensitive: boolean): Terms {
  return { patterns: words.map((word) => new RegExp(patternOf(word), caseSensitive ? 'gu' : 'giu')) }
}

function patternOf(word: string): string {
  const letters = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(plain(word).trim())]
  const parts = letters.map(({ segment }) => (/^\s+$/.test(segment) ? '\\s+' : letterPattern(segment)))
  return parts.reduce((done, part) => (done.endsWith('\\s+') || part === '\\s+' ? done + part : done + BREAK + part))
}

/** A letter with its accents, which old typesetting puts before or behind it as signs of their own. */
function letterPattern(letter: string): string {
  const [, base, marks] = /^(\P{M}*)(\p{M}*)$/u.exec(letter) ?? [undefined, letter, '']
  if (!marks || !base) return escaped(letter)
  return `(?:${escaped(base)}\\s?${escaped(marks)}|\\s?${escaped(marks)}\\s?${escaped(base)})`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The spelling that everything is compared in: compatibility forms (ligatures) and accents taken apart. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(INVISIBLE, '')
}

/** The spelling of characters, each of which may become none or several. */
export function spellingOf(characters: readonly string[]): Spelling {
  const origins: number[] = []
  let text = ''
  characters.forEach((character, index) => {
    const spelt = plain(character)
    for (let unit = 0; unit < spelt.length; unit++) origins.push(index)
    text += spelt
  })
  return { text, origins }
}

/** Where the terms stand: the characters of each occurrence, as first and behind the last. */
export function occurrences({ patterns }: Terms, { text, origins }: Spelling): Array<[first: number, end: number]> {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match): [number, number] => [
      origins[match.index]!,
      origins[match.index + match[0].length - 1]! + 1,
    ]),
  )
}

export function holdsTerm(terms: Terms, text: string): boolean {
  return terms.patterns.some((pattern) => plain(text).search(pattern) >= 0)
}

/** The text without the terms. */
export function withoutTerms(terms: Terms, text: string): string {
  return terms.patterns.reduce((rest, pattern) => rest.replace(pattern, ''), plain(text)).normalize('NFC')
}

/** Whether bytes hold a term in one of the encodings that files use. */
export function bytesHoldTerm(terms: Terms, bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const swapped = Buffer.from(buffer.subarray(0, buffer.length & ~1)).swap16()
  const texts = [
    buffer.toString('utf8'),
    buffer.toString('latin1'),
    buffer.toString('utf16le'),
    swapped.toString('utf16le'),
  ]
  return texts.some((text) => holdsTerm(terms, text))
}
