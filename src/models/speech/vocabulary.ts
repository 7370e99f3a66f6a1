/** The special tokens of Whisper's multilingual vocabulary (its contract). */
export const TOKENS = {
  endOfText: 50_257,
  startOfTranscript: 50_258,
  firstLanguage: 50_259,
  translate: 50_358,
  transcribe: 50_359,
  startOfModel: 50_360,
  startOfPrevious: 50_361,
  noSpeech: 50_362,
  noTimestamps: 50_363,
  /** 0.00 s; the tokens after it count fiftieths of a second up to 30 s. */
  firstTimestamp: 50_364,
} as const

/** Seconds between timestamps. */
export const TIMESTAMP_STEP = 0.02

/** The model's languages in token order, by ISO 639 codes. */
export const LANGUAGES = [
  ...['en', 'zh', 'de', 'es', 'ru', 'ko', 'fr', 'ja', 'pt', 'tr', 'pl', 'ca', 'nl', 'ar', 'sv', 'it', 'id', 'hi', 'fi'],
  ...['vi', 'he', 'uk', 'el', 'ms', 'cs', 'ro', 'da', 'hu', 'ta', 'no', 'th', 'ur', 'hr', 'bg', 'lt', 'la', 'mi', 'ml'],
  ...['cy', 'sk', 'te', 'fa', 'lv', 'bn', 'sr', 'az', 'sl', 'kn', 'et', 'mk', 'br', 'eu', 'is', 'hy', 'ne', 'mn', 'bs'],
  ...['kk', 'sq', 'sw', 'gl', 'mr', 'pa', 'si', 'km', 'sn', 'yo', 'so', 'af', 'oc', 'ka', 'be', 'tg', 'sd', 'gu', 'am'],
  ...[
    'yi',
    'lo',
    'uz',
    'fo',
    'ht',
    'ps',
    'tk',
    'nn',
    'mt',
    'sa',
    'lb',
    'my',
    'bo',
    'tl',
    'mg',
    'as',
    'tt',
    'haw',
    'ln',
  ],
  ...['ha', 'ba', 'jw', 'su'],
] as const

export type SpokenLanguage = (typeof LANGUAGES)[number]

/** The token of a language. */
export function languageToken(language: SpokenLanguage): number {
  return TOKENS.firstLanguage + LANGUAGES.indexOf(language)
}

export const isTimestamp = (token: number): boolean => token >= TOKENS.firstTimestamp

/** The time of a timestamp token, in seconds from the start of its window. */
export const secondsOf = (token: number): number => (token - TOKENS.firstTimestamp) * TIMESTAMP_STEP
