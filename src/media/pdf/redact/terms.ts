/** Search terms, matched in the spellings that extractors and files use. */
export interface Terms {
  patterns: readonly RegExp[]
}

/** A text in normalized spelling, and the index of the original character for each of its code units. */
export interface Spelling {
  text: string
  origins: readonly number[]
}

/** Joiners, soft hyphens and directional marks are invisible and would hide a word from a search. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** A line break inside a word, with or without a hyphen. */
const BREAK = '(?:[-\u2010\u2012\u2013]?[^\\S\\n]*\\n\\s*)?'

/**
 * Builds a pattern for each term: literal, in any Unicode spelling (ligatures, composed and decomposed accents, accents
 * set as separate characters), across line breaks with or without a hyphen.
 */
export function termsOf(words: readonly string[], caseSensitive: boolean): Terms {
  return { patterns: words.map((word) => new RegExp(patternOf(word), caseSensitive ? 'gu' : 'giu')) }
}

function patternOf(word: string): string {
  const letters = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(plain(word).trim())]
  const parts = letters.map(({ segment }) => (/^\s+$/.test(segment) ? '\\s+' : letterPattern(segment)))
  return parts.reduce((done, part) => (done.endsWith('\\s+') || part === '\\s+' ? done + part : done + BREAK + part))
}

/** A letter with its accents, which old typesetting places before or after it as separate characters. */
function letterPattern(letter: string): string {
  const [, base, marks] = /^(\P{M}*)(\p{M}*)$/u.exec(letter) ?? [undefined, letter, '']
  if (!marks || !base) return escaped(letter)
  return `(?:${escaped(base)}\\s?${escaped(marks)}|\\s?${escaped(marks)}\\s?${escaped(base)})`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** The normalized spelling used for comparisons: compatibility forms (ligatures) and accents decomposed. */
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

/** The positions of the terms: start and end character of each occurrence (end exclusive). */
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

/** Returns the text without the terms. */
export function withoutTerms(terms: Terms, text: string): string {
  return terms.patterns.reduce((rest, pattern) => rest.replace(pattern, ''), plain(text)).normalize('NFC')
}

/** Whether bytes contain a term in one of the encodings used in files. */
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
