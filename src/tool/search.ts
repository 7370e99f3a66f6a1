import { distance } from 'fastest-levenshtein'
import { typeOfName } from '../media/type.ts'
import type { CatalogueEntry } from './catalogue.ts'
import { kebabCase, type Setting } from './settings.ts'

/** A search result. */
export interface Found {
  entry: CatalogueEntry
  /** Names of settings that matched, if the words do not occur in the id or the summary. */
  settings: string[]
}

/** The weight of a match by place: an id names what a tool does, a summary only mentions things. */
const WEIGHTS = { idWord: 8, idBeginning: 5, summaryWord: 3, summaryBeginning: 2, setting: 1 } as const

/** Synonyms: each row lists words that match each other in ids and summaries. */
const SAME_MEANING: readonly (readonly string[])[] = [
  ['shrink', 'smaller', 'reduce', 'compress', 'minify'],
  ['enlarge', 'bigger', 'larger', 'upscale'],
  ['merge', 'join', 'combine', 'concat', 'concatenate'],
  ['trim', 'cut', 'clip', 'shorten'],
  ['remove', 'delete', 'erase'],
  ['rotate', 'turn', 'flip'],
  ['image', 'picture', 'photo'],
  ['video', 'movie', 'film'],
  ['audio', 'sound', 'music'],
  ['encrypt', 'protect', 'password'],
  ['transcribe', 'speech', 'subtitles', 'captions'],
]

/** Minimum prefix length in characters: shorter ones match too many words. */
const MIN_BEGINNING_LENGTH = 3

/** Lower-cased words in one spelling: British or American, with or without verb endings. */
const wordsOf = (text: string): string[] =>
  (kebabCase(text).match(/[a-z0-9]+/g) ?? []).map((word) =>
    word
      .replace(/colour/, 'color')
      .replace(/grey/, 'gray')
      .replace(/is(e|es|ed|ing|ation)$/, 'iz$1'),
  )

/** A word and its synonyms. */
const meaningsOf = (word: string): readonly string[] => SAME_MEANING.find((row) => row.includes(word)) ?? [word]

/** Whether one word is a prefix of the other: `merge` and `merged`, `normal` and `normalize`. */
function beginsAlike(one: string, other: string): boolean {
  return one.length < other.length
    ? one.length >= MIN_BEGINNING_LENGTH && other.startsWith(one)
    : other.length >= MIN_BEGINNING_LENGTH && one.startsWith(other)
}

/** The score of one search word for a tool; 0 if it does not occur. */
function scoreOf(
  word: string,
  id: readonly string[],
  summary: readonly string[],
  settings: readonly string[][],
): number {
  if (id.includes(word)) return WEIGHTS.idWord
  if (id.some((own) => beginsAlike(own, word))) return WEIGHTS.idBeginning
  if (summary.includes(word)) return WEIGHTS.summaryWord
  if (summary.some((own) => beginsAlike(own, word))) return WEIGHTS.summaryBeginning
  return settings.some((names) => names.some((own) => beginsAlike(own, word))) ? WEIGHTS.setting : 0
}

/** The same including synonyms, which score less. */
function scoreOfMeaning(word: string, ...where: [string[], string[], readonly string[][]]): number {
  const own = scoreOf(word, ...where)
  if (own > 0) return own
  const [id, summary] = where
  return Math.max(...meaningsOf(word).map((other) => scoreOf(other, id, summary, []))) / 2
}

/** The words that a setting accepts: `sepia` is an effect. Formats are excluded, as most tools have them. */
const wordsAmong = ({ enum: members = [] }: Setting): string[] =>
  members.map(String).filter((member) => typeOfName(`x.${member}`) === undefined)

/** The words of a tool by place. */
interface ToolWords {
  id: string[]
  summary: string[]
  /** Names of settings, and the words of each in the same order. */
  names: string[]
  settings: string[][]
}

/** Splitting a text is most of the work of a search, and the catalogue hardly changes. */
const wordsOfTools = new WeakMap<CatalogueEntry, ToolWords>()

function wordsOfTool(entry: CatalogueEntry): ToolWords {
  const known = wordsOfTools.get(entry)
  if (known) return known
  const rows = Object.entries(entry.settings)
  const made = {
    id: [entry.section, ...wordsOf(entry.id)],
    summary: wordsOf(entry.summary),
    names: rows.map(([name]) => name),
    settings: rows.map(([name, row]) => wordsOf([name, ...wordsAmong(row)].join(' '))),
  }
  wordsOfTools.set(entry, made)
  return made
}

/**
 * Tools that match a text, best first: every word, or a synonym of it, must occur in the section, the id, the summary,
 * or a setting and its accepted words.
 * On equal scores, tools come before presets and shorter ids come first.
 */
export function searchTools(text: string, entries: readonly CatalogueEntry[]): Found[] {
  const words = wordsOf(text)
  if (words.length === 0) return []
  const found = entries.flatMap((entry) => {
    const { id, summary, names, settings } = wordsOfTool(entry)
    const scores = words.map((word) => scoreOfMeaning(word, id, summary, settings))
    if (scores.includes(0)) return []
    const met = names.filter((_name, index) =>
      words.some(
        (word, at) => scores[at] === WEIGHTS.setting && settings[index]!.some((own) => beginsAlike(own, word)),
      ),
    )
    const score = scores.reduce<number>((total, one) => total + one, 0)
    return [{ entry, settings: met, score }]
  })
  return found
    .sort(
      (one, other) =>
        other.score - one.score ||
        Number(one.entry.base !== undefined) - Number(other.entry.base !== undefined) ||
        one.entry.id.length - other.entry.id.length,
    )
    .map(({ entry, settings }) => ({ entry, settings }))
}

/** Tools whose id contains all words of a text, such as `merge` for `merge-pdf`. */
export function toolsByIdWords(text: string, entries: readonly CatalogueEntry[]): CatalogueEntry[] {
  const words = wordsOf(text)
  const named = entries.filter(({ id }) => words.length > 0 && words.every((word) => wordsOf(id).includes(word)))
  return searchTools(text, named).map(({ entry }) => entry)
}

/** A transposition of two letters costs less than a wrong letter. */
const SWAPPED = 0.5

/** The number of wrong letters allowed for a word of the given length. */
const mayDiffer = (word: string): number => (word.length < 6 ? 1 : 2)

const letters = (word: string): string => [...word].sort().join('')

/** The word of a list nearest to a misspelled one; the first on ties. */
function meantWord(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = mayDiffer(word) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= least) continue
    const isSwapped = candidate.length === word.length && letters(candidate) === letters(word)
    const apart = Math.min(distance(word, candidate), isSwapped ? SWAPPED : Number.POSITIVE_INFINITY)
    if (apart < least) [best, least] = [candidate, apart]
  }
  return best
}

/**
 * The corrected text for a search without results: misspelled words (`resze`) are replaced by words that tools have.
 * @returns undefined if no word is close enough
 */
export function correctedSearch(text: string, entries: readonly CatalogueEntry[]): string | undefined {
  // Words in ids take precedence over words in summaries.
  const known = new Set([
    ...entries.flatMap(({ id, section }) => [...wordsOf(id), section]),
    ...SAME_MEANING.flat(),
    ...entries.flatMap(({ summary }) => wordsOf(summary)),
    ...entries.flatMap(({ settings }) => Object.keys(settings).flatMap(wordsOf)),
  ])
  const words = wordsOf(text).map((word) =>
    searchTools(word, entries).length > 0
      ? word
      : meantWord(
          word,
          [...known].filter((one) => one.length >= MIN_BEGINNING_LENGTH),
        ),
  )
  return words.every((word) => word !== undefined) ? words.join(' ') : undefined
}
