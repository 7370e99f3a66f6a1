import { graphemes, pieces } from '../../text-pieces.ts'
import type { TextFace } from './text-fonts.ts'
import { advance, hasInk } from './text-line.ts'

/**
 * The explicit lines of a text; removes control characters, which no font has, and replaces lone surrogates with
 * U+FFFD.
 */
export function ownLines(text: string): string[] {
  return Buffer.from(text)
    .toString()
    .split(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/)
    .map((line) =>
      line
        .replace(/\t/g, '    ')
        .replace(/\p{Cc}/gu, '')
        .trimEnd(),
    )
}

/** Number of letters measured at once in a long text, and the maximum length to measure as a whole, in UTF-16 units. */
const AT_ONCE = 8
const MEASURED_WHOLE = 200

function groupsOf(text: string): string[] {
  const letters = graphemes(text)
  return Array.from({ length: Math.ceil(letters.length / AT_ONCE) }, (_, index) =>
    letters.slice(index * AT_ONCE, (index + 1) * AT_ONCE).join(''),
  )
}

/** The width of a piece of a line, in em; long ones are measured in parts, because they may be wider than any image. */
async function widthOf(text: string, face: TextFace): Promise<number> {
  if (!hasInk(text)) return 0
  if (text.length <= MEASURED_WHOLE) return advance(text, face)
  let sum = 0
  for (const group of groupsOf(text)) sum += await advance(group, face)
  return sum
}

export interface Broken {
  lines: string[]
  /** A word did not fit on its own line. */
  split: boolean
}

/**
 * Breaks text into lines no wider than `width`, in em; wider words are broken between letters.
 * @param width every line contains at least one letter, however narrow it is
 */
export async function breakLines(text: string, face: TextFace, width: number): Promise<Broken> {
  const lines: string[] = []
  let split = false
  for (const own of ownLines(text)) {
    let line = ''
    let used = 0
    const take = async (piece: string): Promise<void> => {
      const wide = await widthOf(piece.trimEnd(), face)
      if (line !== '' && used + wide > width) {
        lines.push(line.trimEnd())
        line = ''
        used = 0
      }
      const letters = wide > width ? graphemes(piece) : []
      if (letters.length > 1) {
        split = true
        for (const letter of letters) await take(letter)
        return
      }
      line += piece
      used += piece === piece.trimEnd() ? wide : await widthOf(piece, face)
    }
    for (const piece of pieces(own)) await take(piece)
    lines.push(line.trimEnd())
  }
  return { lines, split }
}

/** Shortens a line to at most about `width` em: keeps its start, middle or end. */
export async function cutLine(
  line: string,
  face: TextFace,
  width: number,
  keep: 'start' | 'middle' | 'end',
): Promise<string> {
  if ((await widthOf(line, face)) <= width) return line
  const groups = groupsOf(line)
  const widths = await Promise.all(groups.map((group) => widthOf(group, face)))
  let rest = widths.reduce((sum, one) => sum + one, 0)
  let [first, last] = [0, groups.length]
  let fromStart = keep === 'end'
  while (rest > width && last - first > 1) {
    rest -= fromStart ? widths[first++]! : widths[--last]!
    if (keep === 'middle') fromStart = !fromStart
  }
  return groups.slice(first, last).join('')
}
