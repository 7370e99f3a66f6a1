import type { Sources } from './variables.ts'

/**
 * Words that are no plain technical English, as regular expressions, with what to write in their place. They apply to
 * code, comments, titles of tests and pages.
 */
const WORDS: Readonly<Record<string, string>> = {
  anew: 'again, or a verb with re-: rewritten, recreated',
  'asked of': 'required by, requested from',
  'at rest': 'unchanged, idle',
  '(?:a|the|this) film|films': 'video',
  foreseen: 'expected',
  'for ever': 'without expiry, without end',
  'goes on': 'continues',
  hears: 'detects, transcribes, receives',
  'lies(?! about)': 'is, is located',
  'look after': 'manage',
  '(?:a|the|this) recording|recordings': 'media file, audio, video',
  resists: 'fails, cannot be removed',
  shall: 'must, will, or nothing',
  'so many bytes': 'n bytes, the given number of bytes',
  somebody: 'a user, the caller, another process',
  'stands(?! out)': 'is, is in, replaces',
  'told|tells': 'reported, notified, receives',
  'what came': 'the input, received bytes',
  whoever: 'the caller, the client, anyone who, or the user who',
  wish: 'option, requirement, request',
  wished: 'requested, required',
  wishes: 'options, requirements',
}

/** A quoted word or a part of a file name, such as `'films'` or `film.mkv`, is no sentence. */
const word = (pattern: string): RegExp =>
  new RegExp(`(?<![\\w./-])(?!(?<=['"\`])(?:${pattern})['"\`])(?:${pattern})(?![\\w/-]|\\.\\w)`, 'i')

const PATTERNS = Object.entries(WORDS).map(([pattern, better]) => [word(pattern), better] as const)

/**
 * Words that neither code, comments nor pages use, as sentences.
 * @param texts files by path
 */
export function wordFaults(texts: Sources): string[] {
  const found: string[] = []
  for (const [path, text] of texts)
    for (const [pattern, better] of PATTERNS) {
      const match = pattern.exec(text)
      if (match) found.push(`${path}:${text.slice(0, match.index).split('\n').length}: "${match[0]}": write ${better}`)
    }
  return found
}
