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

/**
 * Words that neither code, comments nor pages use, as sentences.
 * @param texts files by path
 */
export function wordFaults(texts: Sources): string[] {
  const found: string[] = []
  for (const [path, text] of texts)
    for (const [word, better] of Object.entries(WORDS)) {
      const at = text.search(new RegExp(`\\b${word}\\b`, 'i'))
      if (at >= 0) found.push(`${path}:${text.slice(0, at).split('\n').length}: "${word}": write ${better}`)
    }
  return found
}
