import { decodeReferences, REFERENCE } from '../../../engines/xml/entities.ts'
import { graphemes } from '../../text-pieces.ts'
import { covered, type Expressions } from './expressions.ts'

/** Search terms, matched in the spellings that extractors and files use. */
export interface Terms {
  patterns: readonly RegExp[]
  /** Regular expressions of the user, which run under a time limit. */
  expressions?: Expressions | undefined
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
export function termsOf(words: readonly string[], caseSensitive: boolean, expressions?: Expressions): Terms {
  return { patterns: words.map((word) => new RegExp(patternOf(word), caseSensitive ? 'gu' : 'giu')), expressions }
}

/**
 * The terms for searching a document again: of expressions only the values that were found before count. Removing a
 * match can change what an expression with a condition (`(?<=PIN: )\\d+`) finds in the rest of the line.
 */
export const settled = (terms: Terms): Terms => ({ ...terms, expressions: terms.expressions?.settled() })

function patternOf(word: string): string {
  const letters = graphemes(plain(word).trim())
  const parts = letters.map((letter) => (/^\s+$/.test(letter) ? '\\s+' : letterPattern(letter)))
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
export function occurrences(
  { patterns, expressions }: Terms,
  characters: readonly string[],
): Array<[first: number, end: number]> {
  const found = expressions?.find(characters) ?? []
  if (patterns.length === 0) return found
  const { text, origins } = spellingOf(characters)
  const literal = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match): [number, number] => [
      origins[match.index]!,
      origins[match.index + match[0].length - 1]! + 1,
    ]),
  )
  return [...literal, ...found]
}

/** Whether text is searched at all; a redaction may consist of areas only. */
export const hasTerms = ({ patterns, expressions }: Terms): boolean => patterns.length > 0 || expressions !== undefined

export function holdsTerm(terms: Terms, text: string): boolean {
  return holdsWord(terms, text) || decodings(text).some((one) => terms.expressions?.isIn(one) ?? false)
}

/** Whether a text contains one of the literal terms. */
function holdsWord({ patterns }: Terms, text: string): boolean {
  if (patterns.length === 0) return false
  return decodings(text).some((one) => patterns.some((pattern) => plain(one).search(pattern) >= 0))
}

/** The text, and what it means in XML, such as metadata and rich text: a & is written &amp; there. */
function decodings(text: string): string[] {
  const decoded = decodeReferences(text)
  return decoded === text ? [text] : [text, decoded]
}

/** A reference to a character, or a character. */
const PIECE = new RegExp(`${REFERENCE.source}|.`, 'gisu')

/**
 * Returns the text without the terms. References to other characters stay as written, or they might become markup;
 * those whose own letters are a part of a term are removed as a whole.
 */
export function withoutTerms(terms: Terms, text: string): string {
  const rest = withoutPieces(terms, text, decodeReferences)
  const found = settled(terms)
  return holdsTerm(found, rest) ? withoutPieces(found, rest, (piece) => piece) : rest
}

/** The text without the pieces that a term covers, which is searched for in what they mean. */
function withoutPieces(terms: Terms, text: string, meaningOf: (piece: string) => string): string {
  const pieces = text.match(PIECE) ?? []
  const removed = covered(occurrences(terms, pieces.map(meaningOf)), pieces.length)
  return pieces.filter((_, index) => removed[index] === 0).join('')
}

/**
 * Whether bytes contain a term in one of the encodings used in files. Expressions are searched only in `text`: they
 * would match the numbers and operators of other streams.
 */
export function bytesHoldTerm(terms: Terms, bytes: Uint8Array, kind: 'text' | 'code'): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const swapped = Buffer.from(buffer.subarray(0, buffer.length & ~1)).swap16()
  const texts = [
    buffer.toString('utf8'),
    buffer.toString('latin1'),
    buffer.toString('utf16le'),
    swapped.toString('utf16le'),
  ]
  if (texts.some((text) => holdsWord(terms, text))) return true
  return kind === 'text' && terms.expressions !== undefined && holdsTerm(terms, decodeText(buffer))
}

/** The text of a text file. */
function decodeText(buffer: Buffer): string {
  const isWide = buffer[0] === 0xfe || buffer[0] === 0xff
  if (!isWide) return buffer.toString('utf8')
  const even = Buffer.from(buffer.subarray(0, buffer.length & ~1))
  return (buffer[0] === 0xff ? even : even.swap16()).toString('utf16le')
}
