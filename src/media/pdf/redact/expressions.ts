import { createContext, Script } from 'node:vm'
import { MediaprocError } from '../../../errors.ts'
import { KINDS, type Kind } from './kinds.ts'

/** A found stretch of text: start and end character (end exclusive). */
export type Range = [first: number, end: number]

/** Longest time that all expressions of a job may compute, in ms. */
const TIME_LIMIT_MS = 20_000

/** Joiners, soft hyphens and directional marks are invisible. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** A text for matching, and the character of the source for each of its code units. */
interface Text {
  text: string
  origins: number[]
}

interface Expression {
  /** How messages name it; the expression itself may be confidential. */
  name: string
  pattern: RegExp
  /** Length of the valid beginning of a match, 0 for a false match. */
  valid?: ((match: string) => number) | undefined
}

/**
 * Matching runs in a context of its own, because only there Node.js stops a regular expression that backtracks without
 * end.
 */
const sandbox = createContext({})
const MATCH = new Script(
  '(() => { const all = []; for (const m of text.matchAll(pattern)) all.push(m.index, m[0].length); return all })()',
)

/**
 * Regular expressions to redact. They find text within a line, across line breaks (which count as a space), and in words
 * that a line break separates, as terms do. Characters are compared in composed form, with ligatures split.
 */
export class Expressions {
  readonly #expressions: readonly Expression[]
  /** The values found so far, without white space and hyphens. */
  readonly #values: Set<string>
  readonly #isSettled: boolean
  readonly #clock: { leftMs: number }

  private constructor(
    expressions: readonly Expression[],
    values: Set<string>,
    isSettled: boolean,
    clock: { leftMs: number },
  ) {
    this.#expressions = expressions
    this.#values = values
    this.#isSettled = isSettled
    this.#clock = clock
  }

  /** @throws MediaprocError INVALID_SETTINGS for an expression with a syntax error */
  static of(
    patterns: readonly string[],
    kinds: readonly Kind[],
    caseSensitive: boolean,
    limitMs = TIME_LIMIT_MS,
  ): Expressions | undefined {
    if (patterns.length + kinds.length === 0) return undefined
    const written = patterns.map((source, index): Expression => {
      const name = `patterns.${index}`
      return { name, pattern: compiled(source, caseSensitive, name) }
    })
    const named = kinds.map((kind): Expression => ({ name: kind, ...KINDS[kind] }))
    return new Expressions([...written, ...named], new Set(), false, { leftMs: limitMs })
  }

  /** The same expressions, limited to the values that were found before. */
  settled(): Expressions {
    return new Expressions(this.#expressions, this.#values, true, this.#clock)
  }

  /** The matches in a text, given as characters; each may be several code units. `\n` separates lines. */
  find(characters: readonly string[]): Range[] {
    const source = composed(characters)
    const hyphenated = joined(source, /[-\u2010\u2012\u2013][^\S\n]*\n\s*/g, '')
    const spaced = joined(hyphenated, /\n/g, ' ')
    // A word that a line break separates without a hyphen: only where nothing is found in the separate lines.
    const unbroken = joined(hyphenated, /[^\S\n]*\n\s*/g, '')
    const certain = [source, hyphenated, spaced].flatMap((text) => this.#findIn(text))
    const taken = covered(certain, characters.length)
    const isFree = ([first, end]: Range) => !taken.subarray(first, end).includes(1)
    const separated = source.text.includes('\n') ? this.#findIn(unbroken).filter(isFree) : []
    return [...certain, ...separated]
  }

  isIn(text: string): boolean {
    return this.find([...text]).length > 0
  }

  #findIn({ text, origins }: Text): Range[] {
    return this.#expressions.flatMap((expression) => {
      const found: Range[] = []
      const matches = this.#run(expression, text)
      for (let index = 0; index + 1 < matches.length; index += 2) {
        const start = matches[index] ?? 0
        const match = text.slice(start, start + (matches[index + 1] ?? 0))
        const value = match.slice(0, expression.valid?.(match) ?? match.length).trimEnd()
        // White space alone has nothing to hide.
        if (value.trim() === '') continue
        const key = value.replace(/[\s-]/g, '').toLowerCase()
        if (this.#isSettled && !this.#values.has(key)) continue
        this.#values.add(key)
        found.push([origins[start] ?? 0, (origins[start + value.length - 1] ?? 0) + 1])
      }
      return found
    })
  }

  /** Start and length of each match, in turn. @throws MediaprocError TIMEOUT */
  #run({ name, pattern }: Expression, text: string): number[] {
    if (text === '') return []
    const start = performance.now()
    try {
      Object.assign(sandbox, { text, pattern })
      return MATCH.runInContext(sandbox, { timeout: Math.max(1, Math.ceil(this.#clock.leftMs)) }) as number[]
    } catch (error) {
      throw new MediaprocError(
        'TIMEOUT',
        `${name} takes too long: the expressions of a run have ${TIME_LIMIT_MS / 1000} s`,
        {
          hint: 'Avoid repetitions inside repetitions, such as (a+)+, and split long expressions.',
          cause: error,
        },
      )
    } finally {
      this.#clock.leftMs -= performance.now() - start
      Object.assign(sandbox, { text: '', pattern: undefined })
    }
  }
}

function compiled(source: string, caseSensitive: boolean, name: string): RegExp {
  try {
    return new RegExp(source.normalize('NFC'), caseSensitive ? 'gmu' : 'gimu')
  } catch (error) {
    // The engine's sentence repeats the expression before its reason.
    const reason = error instanceof Error ? (error.message.split(/\/[a-z]*: /).at(-1) ?? '') : ''
    throw new MediaprocError('INVALID_SETTINGS', `${name} is not a regular expression: ${reason}`, {
      hint: 'Expressions are those of JavaScript, with the flags m and u: https://developer.mozilla.org/docs/Web/JavaScript/Guide/Regular_expressions',
    })
  }
}

/** Maximum length of a letter with its accents, in code units; hostile texts have thousands of accents. */
const LONGEST_LETTER = 32

/** Compatibility forms replaced, and accents joined to the letter before them. */
function composed(characters: readonly string[]): Text {
  const letters: Array<{ text: string; first: number; last: number }> = []
  characters.forEach((character, index) => {
    const spelt = character.normalize('NFKC').replace(INVISIBLE, '')
    if (spelt === '') return
    const letter = letters.at(-1)
    if (letter && letter.text.length < LONGEST_LETTER && /^\p{M}/u.test(spelt)) {
      letter.text = (letter.text + spelt).normalize('NFC')
      letter.last = index
    } else letters.push({ text: spelt, first: index, last: index })
  })
  const origins = letters.flatMap(({ text, first, last }) =>
    Array.from({ length: text.length }, (_, unit) => (unit === text.length - 1 ? last : first)),
  )
  return { text: letters.map(({ text }) => text).join(''), origins }
}

/** Marks the characters in ranges. */
export function covered(ranges: readonly Range[], length: number): Uint8Array {
  const marks = new Uint8Array(length)
  for (const [first, end] of ranges) marks.fill(1, first, end)
  return marks
}

/** The text with every occurrence of a separator replaced by none or one character. */
function joined({ text, origins }: Text, separator: RegExp, by: '' | ' '): Text {
  let result = ''
  const kept: number[] = []
  let position = 0
  for (const match of text.matchAll(separator)) {
    result += text.slice(position, match.index) + by
    for (let unit = position; unit < match.index; unit++) kept.push(origins[unit] ?? 0)
    if (by !== '') kept.push(origins[match.index] ?? 0)
    position = match.index + match[0].length
  }
  for (let unit = position; unit < text.length; unit++) kept.push(origins[unit] ?? 0)
  return { text: result + text.slice(position), origins: kept }
}
