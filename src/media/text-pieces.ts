/** Scripts written without spaces: lines break between their words, or anywhere. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
/** Characters that never start a line: closing punctuation, and small or lengthening kana. */
const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}\u3005\u30fcぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u
/** Characters that never end a line. */
const OPENING = /[\p{Ps}\p{Pi}]$/u

let segmenters: { words: Intl.Segmenter; letters: Intl.Segmenter } | undefined

function segmenter(granularity: 'words' | 'letters'): Intl.Segmenter {
  segmenters ??= {
    words: new Intl.Segmenter('en', { granularity: 'word' }),
    letters: new Intl.Segmenter('en', { granularity: 'grapheme' }),
  }
  return segmenters[granularity]
}

/** User-perceived characters: an emoji with its skin tone, a base letter with its accents. */
export function graphemes(text: string): string[] {
  return [...segmenter('letters').segment(text)].map(({ segment }) => segment)
}

/** Pieces of a line between which it may break; spaces stay at the end of a piece. */
export function pieces(line: string): string[] {
  const found: string[] = []
  for (const { segment } of segmenter('words').segment(line)) {
    const last = found.at(-1)
    if (last === undefined) found.push(segment)
    else if (/^\s+$/.test(segment)) found[found.length - 1] = last + segment
    else {
      const isOpen = /\s$/.test(last) || ((UNSPACED.test(last) || UNSPACED.test(segment)) && !OPENING.test(last))
      if (isOpen && !CLOSING.test(segment)) found.push(segment)
      else found[found.length - 1] = last + segment
    }
  }
  return found
}
