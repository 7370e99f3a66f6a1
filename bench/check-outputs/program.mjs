// Independent programs that read the files. A missing program is listed at the end, and its properties are skipped.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
export const missing = new Set()

/** Output of a program as text; undefined if it fails or is not installed. */
export async function output(program, ...args) {
  try {
    const { stdout } = await run(program, args, { timeout: 60_000, maxBuffer: 256e6, encoding: 'utf8' })
    return stdout
  } catch (error) {
    if (error.code === 'ENOENT') missing.add(program)
    return undefined
  }
}

/** Output of a program as bytes; undefined if it fails or is not installed. */
export async function bytes(program, ...args) {
  try {
    return (await run(program, args, { timeout: 60_000, maxBuffer: 256e6, encoding: 'buffer' })).stdout
  } catch (error) {
    if (error.code === 'ENOENT') missing.add(program)
    return undefined
  }
}

export async function json(program, ...args) {
  const text = await output(program, ...args)
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Words of a text as a Map of word → count, ignoring layout changes (case, punctuation, hyphens, ligatures). */
export function wordsOf(text) {
  const counts = new Map()
  for (const word of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Up to `most` entries of one Map of counts that are missing or fewer in another. */
export function lostWords(before, after, most = 8) {
  const lost = []
  const joined = [...after.keys()].join(' ')
  for (const [word, count] of before) {
    if ((after.get(word) ?? 0) >= count) continue
    // Another layout may join or split words: a word is lost only if no word contains it.
    if (joined.includes(word) && !after.has(word)) continue
    if (!after.has(word)) lost.push(word)
  }
  return lost.length > most ? [...lost.slice(0, most), `… ${lost.length} in all`] : lost
}

/** Letters and digits of a text with their counts; ignores accents, which layouts attach differently. */
function lettersOf(text) {
  const counts = new Map()
  for (const letter of text
    .normalize('NFKD')
    .toLowerCase()
    .match(/[\p{L}\p{N}]/gu) ?? [])
    counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return counts
}

/** Amount of visible text including signs, without accents. */
export const visibleIn = (text) => text.normalize('NFKD').match(/[^\s\p{M}]/gu)?.length ?? 0

/**
 * Words of `before` that are missing in `after`, if letters are missing as well: the same letters in other words only
 * mean a different reading order (formulas, columns, rotated pages), which readers determine differently.
 */
export function lostText(before, after) {
  const letters = lettersOf(after)
  const isShort = [...lettersOf(before)].some(([letter, count]) => (letters.get(letter) ?? 0) < count)
  return isShort ? lostWords(wordsOf(before), wordsOf(after)) : []
}

/** Words of `before` that are missing in `after`, even without its spaces, hyphens and line breaks. */
export function missingWords(before, after) {
  const lost = lostWords(wordsOf(before), wordsOf(after), Number.POSITIVE_INFINITY)
  const joined = after
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  const missing = lost.filter((word) => !joined.includes(word))
  return missing.length > 8 ? [...missing.slice(0, 8), `… ${missing.length} in all`] : missing
}
