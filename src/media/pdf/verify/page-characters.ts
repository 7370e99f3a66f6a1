import type { PDFDocument } from '../../../engines/mupdf.ts'

/** How often each letter and digit is on a page. */
export type Characters = ReadonlyMap<string, number>

/** Pages of one document whose text is compared; a page takes 2 to 10 ms. Their fonts and content are compared on all. */
const SAMPLED_PAGES = 3

/** What glyphs stand for, and not the text that marks may give in their place: not all readers use it. */
const OF_GLYPHS = 'ignore-actualtext'

/** Longer content of a page is not read for its text, in bytes: maps and drawings have millions of lines. */
const MAX_CONTENT = 1024 * 1024

/** The indices of the first page, the last, and those between at equal distances. */
export function sampledPages(count: number, samples = SAMPLED_PAGES): number[] {
  const last = Math.min(samples, count) - 1
  return Array.from({ length: last + 1 }, (_, sample) => Math.round((sample * (count - 1)) / Math.max(1, last)))
}

/**
 * Letters and digits in the content of a page, without annotations; undefined for a page that is too long or cannot be read.
 * Their order is left out: it depends on where lines are found to end, which the same text may change when it is moved.
 */
export function charactersOf(pdf: PDFDocument, index: number, contentBytes: number): Characters | undefined {
  if (contentBytes > MAX_CONTENT) return undefined
  try {
    const page = pdf.loadPage(index)
    const list = page.toDisplayList(false)
    const text = list.toStructuredText(OF_GLYPHS)
    const characters = counted(text.asText())
    text.destroy()
    list.destroy()
    page.destroy()
    return characters
  } catch {
    // Drawing reports damage that the tool leaves as it is.
    return undefined
  }
}

/** Pictographs of some writers are in the private area. Accents are left out: whether one belongs to its letter depends on its place. */
function counted(text: string): Characters {
  const counts = new Map<string, number>()
  for (const character of text.normalize('NFKD').match(/[\p{L}\p{N}\p{Co}]/gu) ?? [])
    counts.set(character, (counts.get(character) ?? 0) + 1)
  return counts
}

/** Characters of `before` that are not in `after`, as often as they are missing. */
export function lostCharacters(before: Characters, after: Characters): string[] {
  return [...before].flatMap(([character, count]) =>
    Array<string>(Math.max(0, count - (after.get(character) ?? 0))).fill(character),
  )
}

/** The characters of several pages together. */
export function sumOf(parts: readonly Characters[]): Characters {
  const sum = new Map<string, number>()
  for (const part of parts) for (const [character, count] of part) sum.set(character, (sum.get(character) ?? 0) + count)
  return sum
}
