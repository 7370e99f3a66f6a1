/** The languages of the HTTP interface. */
export const LANGUAGES = ['auto', 'en', 'de', 'fr', 'es', 'zh', 'ja', 'ko', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]
export type OneLanguage = Exclude<Language, 'auto'>

/** The Tesseract name of a language, and the model that contains its data, if the store has one. */
export interface TesseractData {
  name: string
  model?: string
}

export const TESSERACT_DATA: Readonly<Record<OneLanguage, TesseractData>> = {
  en: { name: 'eng', model: 'tesseract-eng' },
  de: { name: 'deu', model: 'tesseract-deu' },
  fr: { name: 'fra', model: 'tesseract-fra' },
  es: { name: 'spa', model: 'tesseract-spa' },
  zh: { name: 'chi_sim', model: 'tesseract-chi-sim' },
  ja: { name: 'jpn', model: 'tesseract-jpn' },
  ko: { name: 'kor', model: 'tesseract-kor' },
  ru: { name: 'rus' },
}

const LATIN: readonly OneLanguage[] = ['en', 'de', 'fr', 'es']

/** The languages of a script by Tesseract's name; those of Latin script for any other. */
export function languagesOfScript(script: string): readonly OneLanguage[] {
  if (script === 'Japanese' || script === 'Hiragana' || script === 'Katakana') return ['ja']
  if (script === 'Korean' || script === 'Hangul') return ['ko']
  if (script === 'Cyrillic') return ['ru']
  return script.startsWith('Han') ? ['zh', 'ja'] : LATIN
}

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const KOREAN = /\p{Script=Hangul}/u
const CHINESE = /\p{Script=Han}/u

/** Whether most letters of a text are Cyrillic. */
export function isCyrillic(text: string): boolean {
  const cyrillic = text.match(/\p{Script=Cyrillic}/gu)?.length ?? 0
  return cyrillic > 0 && 2 * cyrillic > (text.match(/\p{L}/gu)?.length ?? 0)
}

/** The language implied by a script; `auto` for Latin script, which several languages share. */
export function languageOfText(text: string): Language {
  if (JAPANESE.test(text)) return 'ja'
  if (KOREAN.test(text)) return 'ko'
  if (isCyrillic(text)) return 'ru'
  return CHINESE.test(text) ? 'zh' : 'auto'
}

/** The languages for display. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  auto: 'the language',
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  zh: 'Chinese',
  ja: 'Japanese',
  ko: 'Korean',
  ru: 'Russian',
}

/** Letters that a language requires. */
export const OWN_LETTERS: Readonly<Partial<Record<Language, string>>> = {
  de: 'äöüßÄÖÜ',
  fr: 'àâçéèêëîïôûùœ',
  es: 'áéíóúñü¿¡',
}

/** Whether two adjacent characters are written without a space, as in Chinese and Japanese. */
export const isUnspaced = (one: string, other: string): boolean =>
  WITHOUT_SPACES.test(one) && WITHOUT_SPACES.test(other)

const WITHOUT_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]$/u
