import { LANGUAGE_NAMES, type Language, type OneLanguage, OWN_LETTERS, TESSERACT_DATA } from './languages.ts'
import type { Unread } from './paddle.ts'
import type { TextRun } from './text-run.ts'

/**
 * Recognisers whose dictionary lacks letters of some languages: accented Latin letters, Cyrillic, kana and the euro
 * sign.
 */
const LACKING: ReadonlySet<string> = new Set(['ppocrv4-rec-mobile'])

/** Frequent words that are unique to a language, also without accents. */
const WORDS: Readonly<Partial<Record<OneLanguage, RegExp>>> = {
  de: /^(und|der|die|das|den|dem|nicht|ist|ein|eine|mit|von|zu|auf|sich|sie|wir|ihr|uber|fur|bitte|auch|nach|bei|oder|aus)$/i,
  fr: /^(le|les|des|est|et|une|dans|pour|que|qui|sur|pas|avec|vous|nous|au|aux|du|ce|cette|par|plus|tres|etait|prix)$/i,
  es: /^(el|los|las|que|del|una|por|para|con|esta|este|como|mas|pero|muy|donde|precio|anos?|y)$/i,
  en: /^(the|of|and|to|is|are|for|with|that|this|from|you|your|we|our|not|be|have|has|was|at|it|by|or)$/i,
}

/** A language is detected from at least this many of its words, and this lead over any other language. */
const LEAST_WORDS = 2
const MORE_WORDS = 1.5

/** Detects the Latin-script language of a text from frequent words; undefined if unclear. */
export function guessedLanguage(text: string): OneLanguage | undefined {
  const words = text.split(/[^\p{L}]+/u)
  const counts = Object.entries(WORDS)
    .map(([language, pattern]) => ({
      language: language as OneLanguage,
      count: words.filter((word) => pattern.test(word)).length,
    }))
    .sort((one, other) => other.count - one.count)
  const [first, second] = counts
  return first!.count >= LEAST_WORDS && first!.count >= MORE_WORDS * second!.count ? first!.language : undefined
}

/** Kana in the dictionary of PP-OCRv4, which never occur in Chinese text. */
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Lower case followed by upper case: letters of Cyrillic script that were read as the Latin ones they resemble. */
const MIXED_CASE = /\p{Ll}\p{Lu}/u
/** The share of such words, their minimum number, and the maximum mean confidence, on a page of Cyrillic script. */
const LEAST_MIXED = 0.25
const LEAST_MIXED_WORDS = 3
const MOST_CONFIDENCE = 0.92

/** Whether a page is probably Cyrillic, judged by the reading of a recogniser that only knows Latin letters. */
function resemblesCyrillic(runs: readonly TextRun[]): boolean {
  const words = runs.flatMap(({ text }) => text.split(/\s+/u).filter((word) => /\p{L}.*\p{L}/u.test(word)))
  const mixed = words.filter((word) => MIXED_CASE.test(word)).length
  const letters = runs.reduce((sum, { text }) => sum + text.length, 0)
  const confidence = runs.reduce((sum, one) => sum + one.text.length * one.confidence, 0) / Math.max(1, letters)
  return mixed >= LEAST_MIXED_WORDS && mixed >= LEAST_MIXED * words.length && confidence <= MOST_CONFIDENCE
}

const CYRILLIC = {
  what: 'Cyrillic letters',
  languages: 'ru',
  reader: `Tesseract with its data ${TESSERACT_DATA.ru.name} reads them`,
} as const

/** Text that a recogniser may have missed, and the languages to read it with. */
export interface Lack {
  /** For display, as the end of "the text may lack …". */
  what: string
  languages: Language
  /** What reads them, if that is not a model of the standard tier. */
  reader?: string
  /** Only these runs are affected; the others are fine. */
  runs?: ReadonlySet<TextRun>
  /** The findings may not be text at all: without a second reading nothing is reported. */
  isDoubtful?: true
}

/**
 * Whether a recogniser lacks letters for a page: judged by the requested language, by the words and script that were
 * read, and by places with ink where no character was read.
 */
export function lackOf(
  model: string,
  language: Language,
  runs: readonly TextRun[],
  { glyphs, places }: Unread,
): Lack | undefined {
  if (!LACKING.has(model)) return undefined
  const text = runs.map((run) => run.text).join(' ')
  const kana = { what: 'kana, which its dictionary does not have', languages: language }
  if (language === 'ja' || (language === 'auto' && KANA.test(text))) return kana
  if (language === 'ru') return CYRILLIC
  const spoken = language === 'auto' ? guessedLanguage(text) : language
  const own = spoken && OWN_LETTERS[spoken]
  if (own)
    return { what: `letters of ${LANGUAGE_NAMES[spoken]} such as ${[...own].slice(0, 4).join(' ')}`, languages: spoken }
  if (language === 'auto' && spoken === undefined && resemblesCyrillic(runs)) return CYRILLIC
  const count = glyphs.reduce((sum, one) => sum + one, 0)
  const characters = count === 1 ? 'a character' : `${count} characters`
  const lacking = new Set(runs.filter((_, at) => glyphs[at]! > 0))
  if (count > 0)
    return { what: `${characters} that its dictionary does not have, such as €`, languages: language, runs: lacking }
  // A page of kana only, or a pattern.
  return runs.length === 0 && places.length > 0 && language === 'auto' ? { ...kana, isDoubtful: true } : undefined
}

/** The dictionary of PP-OCRv4 has no euro sign and reads it as "element of", which never occurs next to a number. */
export function withEuroSigns(runs: readonly TextRun[]): TextRun[] {
  const replaced = (text: string): string => text.replaceAll('∈', '€')
  return runs.map((run) =>
    /(\d\s*∈|∈\s*\d)/u.test(run.text)
      ? { ...run, text: replaced(run.text), words: run.words.map((word) => ({ ...word, text: replaced(word.text) })) }
      : run,
  )
}

/** How much of a run another one must cover, and its minimum confidence and length, to replace it. */
const COVERS = 0.7
const SURE_RUN = 0.7

/** Replaces runs with those that another recogniser read at the same place. */
export function patchedRuns(
  runs: readonly TextRun[],
  lacking: ReadonlySet<TextRun>,
  others: readonly TextRun[],
): TextRun[] {
  return runs.map((run) => {
    if (!lacking.has(run)) return run
    const { centre, width, height } = run.box
    const other = others.find(({ box, text, confidence }) => {
      const left = Math.max(centre.x - width / 2, box.centre.x - box.width / 2)
      const right = Math.min(centre.x + width / 2, box.centre.x + box.width / 2)
      const isThere =
        Math.abs(box.centre.y - centre.y) < height / 2 && right - left >= COVERS * Math.max(width, box.width)
      return isThere && confidence >= SURE_RUN && text.length >= run.text.length
    })
    return other ?? run
  })
}
