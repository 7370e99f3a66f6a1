import type { PDFDocument } from '../../../engines/mupdf.ts'
import { drawnBytes } from './drawn-bytes.ts'

/** The number of occurrences of each letter and digit on a page. */
export type Characters = ReadonlyMap<string, number>

/**
 * Maximum number of pages whose text is compared; a page takes 2 to 10 ms. Fonts and content are compared on all pages.
 */
const SAMPLED_PAGES = 3

/** Uses the characters of the glyphs, not replacement text from marks, which not all readers support. */
const OF_GLYPHS = 'ignore-actualtext'

/** Content longer than this is not parsed for text, in bytes: maps and drawings have millions of lines. */
const MAX_CONTENT = 1024 * 1024
/** The same for content with everything that it draws, as often as it does: 8 MiB take about two seconds. */
const MAX_DRAWN = 8 * 1024 * 1024

/** The indexes of the first page, the last, and pages at equal distances in between. */
export function sampledPages(count: number, samples = SAMPLED_PAGES): number[] {
  const last = Math.min(samples, count) - 1
  return Array.from({ length: last + 1 }, (_, sample) => Math.round((sample * (count - 1)) / Math.max(1, last)))
}

/** Whether reading the text of a page would take too long, because its drawings repeat each other. */
export const isEndless = (pdf: PDFDocument, index: number): boolean =>
  drawnBytes(pdf.findPage(index), MAX_DRAWN) > MAX_DRAWN

/**
 * Letters and digits in the content of a page, without annotations; undefined for a page that is too long or cannot be
 * read. Their order is ignored: it depends on where line ends are detected, which can change when text is moved.
 */
export function charactersOf(pdf: PDFDocument, index: number, contentBytes: number): Characters | undefined {
  if (contentBytes > MAX_CONTENT) return undefined
  try {
    if (isEndless(pdf, index)) return undefined
    const page = pdf.loadPage(index)
    const list = page.toDisplayList(false)
    const text = list.toStructuredText(OF_GLYPHS)
    const characters = counted(text.asText())
    text.destroy()
    list.destroy()
    page.destroy()
    return characters
  } catch {
    // Drawing reports damage that the tool leaves unchanged.
    return undefined
  }
}

/**
 * Some writers store symbols in the private use area. Accents are skipped: whether one belongs to its letter depends on
 * its position.
 */
function counted(text: string): Characters {
  const counts = new Map<string, number>()
  for (const character of text.normalize('NFKD').match(/[\p{L}\p{N}\p{Co}]/gu) ?? [])
    counts.set(character, (counts.get(character) ?? 0) + 1)
  return counts
}

/** Characters of `before` that are missing in `after`, once per missing occurrence. */
export function lostCharacters(before: Characters, after: Characters): string[] {
  return [...before].flatMap(([character, count]) =>
    Array<string>(Math.max(0, count - (after.get(character) ?? 0))).fill(character),
  )
}

/** The combined characters of several pages. */
export function sumOf(parts: readonly Characters[]): Characters {
  const sum = new Map<string, number>()
  for (const part of parts) for (const [character, count] of part) sum.set(character, (sum.get(character) ?? 0) + count)
  return sum
}
