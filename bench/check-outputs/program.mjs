// Programs that are asked for a second opinion. One that is missing is named at the end, and its facts are left out.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
export const missing = new Set()

/** What a program prints, or undefined where it fails or is not installed. */
export async function output(program, ...args) {
  try {
    const { stdout } = await run(program, args, { timeout: 60_000, maxBuffer: 256e6, encoding: 'utf8' })
    return stdout
  } catch (error) {
    if (error.code === 'ENOENT') missing.add(program)
    return undefined
  }
}

/** What a program writes, as bytes; undefined where it fails or is not installed. */
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

/** Words of a text as a Map of word → count; what only layout changes (case, punctuation, hyphens, ligatures) does not count. */
export function wordsOf(text) {
  const counts = new Map()
  for (const word of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [])
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Up to `most` entries of one Map of counts that another has not, or has fewer of. */
export function lostWords(before, after, most = 8) {
  const lost = []
  const joined = [...after.keys()].join(' ')
  for (const [word, count] of before) {
    if ((after.get(word) ?? 0) >= count) continue
    // A word may have been joined with its neighbour, or cut in two, by another layout: it is lost when nothing has it.
    if (joined.includes(word) && !after.has(word)) continue
    if (!after.has(word)) lost.push(word)
  }
  return lost.length > most ? [...lost.slice(0, most), `… ${lost.length} in all`] : lost
}

/** Letters and digits of a text with how often each is there; accents, which layouts attach differently, do not count. */
function lettersOf(text) {
  const counts = new Map()
  for (const letter of text
    .normalize('NFKD')
    .toLowerCase()
    .match(/[\p{L}\p{N}]/gu) ?? [])
    counts.set(letter, (counts.get(letter) ?? 0) + 1)
  return counts
}

/** How much is seen of a text, signs as well, but for accents. */
export const visibleIn = (text) => text.normalize('NFKD').match(/[^\s\p{M}]/gu)?.length ?? 0

/**
 * Words of `before` that `after` has not, when letters are gone, too: the same letters in other words are another order of
 * reading (formulas, columns, turned pages), which readers of text find differently.
 */
export function lostText(before, after) {
  const letters = lettersOf(after)
  const isShort = [...lettersOf(before)].some(([letter, count]) => (letters.get(letter) ?? 0) < count)
  return isShort ? lostWords(wordsOf(before), wordsOf(after)) : []
}

/** Words of `before` that `after` has not, even when spaces, hyphens and line ends are taken out of it. */
export function missingWords(before, after) {
  const lost = lostWords(wordsOf(before), wordsOf(after), Number.POSITIVE_INFINITY)
  const joined = after
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
  const missing = lost.filter((word) => !joined.includes(word))
  return missing.length > 8 ? [...missing.slice(0, 8), `… ${missing.length} in all`] : missing
}
