import type { Sources } from './variables.ts'

/** Words that are no plain technical English, with what to write in their place. */
const WORDS: Readonly<Record<string, string>> = {
  anew: 'again, or a verb with re-: rewritten, recreated',
  foreseen: 'expected',
  'for ever': 'without expiry, without end',
  resists: 'fails, cannot be removed',
  shall: 'must, will, or nothing',
  whoever: 'the caller, the client, anyone who, or the user who',
  wish: 'option, requirement, request',
  wished: 'requested, required',
  wishes: 'options, requirements',
}

/** Words that the program and its pages avoid as well; names of tests and old code in benchmarks may have them. */
const PROGRAM_WORDS: Readonly<Record<string, string>> = {
  'are told': 'are reported, are notified, receive',
  'asked of': 'required by, requested from',
  'at rest': 'unchanged, idle',
  'goes on': 'continues',
  hears: 'detects, transcribes, receives',
  'is told': 'is reported, is notified, receives',
  'lies beside': 'is next to',
  'look after': 'manage',
  'so many bytes': 'n bytes, the given number of bytes',
  somebody: 'a user, the caller, another process',
  'stands beside': 'is next to',
  'stands in for': 'replaces',
}

/**
 * Words that neither code, comments nor pages use, as sentences.
 * @param texts files by path
 * @param isProgram whether a file is part of the program or one of its pages
 */
export function wordFaults(texts: Sources, isProgram: (path: string) => boolean = () => false): string[] {
  const found: string[] = []
  for (const [path, text] of texts)
    for (const [word, better] of Object.entries(isProgram(path) ? { ...WORDS, ...PROGRAM_WORDS } : WORDS)) {
      const at = text.search(new RegExp(`\\b${word}\\b`, 'i'))
      if (at >= 0) found.push(`${path}:${text.slice(0, at).split('\n').length}: "${word}": write ${better}`)
    }
  return found
}
