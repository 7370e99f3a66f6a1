import { MediaprocError } from '../../../../src/errors.ts'
import { firstOf } from '../../../../src/lists.ts'
import { outputName } from '../../../../src/media/naming.ts'
import type { PdfHandle } from '../../../../src/media/pdf/handle.ts'
import { selectPages } from '../../../../src/media/pdf/page/rearrange.ts'
import { renderPage } from '../../../../src/media/pdf/page/render.ts'
import { loadOutline } from '../../../../src/media/pdf/structure/outline.ts'
import { extractPageTexts } from '../../../../src/media/pdf/structure/text.ts'

/** Pages (from 1) of a part, and its file name. */
export interface Part {
  name: string
  pages: number[]
}

const range = (first: number, end: number): number[] => Array.from({ length: end - first }, (_, index) => first + index)

const numberedName = (part: number): string => `part-${part}.pdf`

const numbered = (groups: readonly number[][]): Part[] =>
  groups.map((pages, index) => ({ name: numberedName(index + 1), pages }))

/** Parts of equal length; the last one may be shorter. */
export function partsOfLength({ pageCount }: PdfHandle, length: number): Part[] {
  const starts = Array.from({ length: Math.ceil(pageCount / length) }, (_, index) => 1 + index * length)
  return numbered(starts.map((start) => range(start, Math.min(pageCount + 1, start + length))))
}

/** A title as part of a file name: without characters that file systems refuse, and of one line. */
function nameOf(title: string): string {
  const plain = title.replace(/[/\\:*?"<>|\p{Cc}]+/gu, ' ').replace(/\s+/g, ' ')
  return plain
    .trim()
    .replace(/^\.+|\.+$/g, '')
    .trim()
}

interface Start {
  page: number
  title: string
}

/** Bookmarks of the levels 1 to `depth` that lead to a page, in the order of their pages. */
function startsOf({ pdf, pageCount }: PdfHandle, depth: number): Start[] {
  const starts: Start[] = []
  const collect = (items: ReturnType<typeof loadOutline>, level: number): void => {
    for (const { title, page, down } of items ?? []) {
      if (page !== undefined && page >= 0 && page < pageCount) starts.push({ page: page + 1, title: title ?? '' })
      if (level < depth) collect(down ?? null, level + 1)
    }
  }
  collect(loadOutline(pdf), 1)
  return starts.sort((one, other) => one.page - other.page)
}

/**
 * One part for each page that a bookmark leads to, named by its first bookmark with a number before it. Pages before the
 * first bookmark are a part called `front`.
 * @param depth levels of bookmarks that begin a part
 * @throws MediaprocError TARGET_UNREACHABLE without bookmarks, INVALID_FILE for bookmarks in a loop or too deep
 */
export function partsByBookmark(document: PdfHandle, depth: number, warn: (message: string) => void): Part[] {
  const starts = startsOf(document, depth)
  if (starts.length === 0)
    throw new MediaprocError('TARGET_UNREACHABLE', 'The document has no bookmarks that lead to its pages', {
      hint: 'Split it by pages, size or blank pages instead.',
    })
  const first = starts.filter(({ page }, index) => page !== starts[index - 1]?.page)
  const others = starts.length - first.length
  if (others > 0)
    warn(`${others} of ${starts.length} bookmarks lead to a page on which a part already begins: they begin none`)
  const all = firstOf(first).page > 1 ? [{ page: 1, title: 'front' }, ...first] : first
  const digits = String(all.length).length
  // The number makes the names unique.
  return all.map(({ page, title }, index) => ({
    name: outputName(`${String(index + 1).padStart(digits, '0')} ${nameOf(title)}`.trim(), '', 'pdf'),
    pages: range(page, all[index + 1]?.page ?? document.pageCount + 1),
  }))
}

/** Resolution for finding blank pages, dpi, and the least grey of paper, of 255. */
const BLANK = { dpi: 36, grey: 200 }
/** Dust and staples of a scan may cover this share of a blank page. */
const DUST = 0.001

async function isBlank(document: PdfHandle, page: number): Promise<boolean> {
  const { data } = await renderPage(document, page, { dpi: BLANK.dpi })
  let dark = 0
  for (let at = 1; at < data.length; at += 3) if ((data[at] ?? 0) < BLANK.grey) dark += 1
  return dark <= (data.length / 3) * DUST
}

/**
 * Parts between blank pages, which are left out, as between the separator sheets of a scan.
 * @throws MediaprocError TARGET_UNREACHABLE when all pages are blank
 */
export async function partsBetweenBlanks(
  document: PdfHandle,
  { progress, warn }: { progress: (fraction: number) => void; warn: (message: string) => void },
): Promise<Part[]> {
  const texts = extractPageTexts(document)
  const groups: number[][] = []
  let own: number[] = []
  let blanks = 0
  for (let page = 1; page <= document.pageCount; page += 1) {
    if (texts[page - 1]?.trim() === '' && (await isBlank(document, page))) {
      blanks += 1
      if (own.length > 0) groups.push(own)
      own = []
    } else own.push(page)
    progress(page / document.pageCount)
  }
  if (own.length > 0) groups.push(own)
  if (groups.length === 0) throw new MediaprocError('TARGET_UNREACHABLE', 'All pages are blank')
  if (blanks === 0) warn('No page is blank: the result is one part')
  return numbered(groups)
}

/** The size of a document of these pages, bytes. */
async function sizeOf(document: PdfHandle, pages: number[]): Promise<number> {
  const part = await selectPages(document, pages)
  try {
    return (await part.save()).length
  } finally {
    part.close()
  }
}

/** How often the size of a part is estimated from another number of its pages. */
const MAX_ESTIMATES = 5

/** Parts of at most a number of bytes, each with as many pages as fit. A page that is larger is a part, with a warning. */
export async function* partsOfSize(
  document: PdfHandle,
  maxBytes: number,
  warn: (message: string) => void,
): AsyncGenerator<Part> {
  const { pageCount, sourceBytes } = document
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`
  const most = sourceBytes > 0 ? Math.floor((pageCount * maxBytes) / sourceBytes) : pageCount
  let guess = Math.max(1, Math.min(pageCount, most))
  for (let first = 1, part = 1; first <= pageCount; part += 1) {
    // Fewer pages are never larger, so the largest number that fits is between one that does and one that does not.
    let [fits, least] = [0, pageCount - first + 2]
    let count = Math.min(guess, pageCount - first + 1)
    for (let tries = 1; fits + 1 < least; tries += 1) {
      const bytes = await sizeOf(document, range(first, first + count))
      if (bytes <= maxBytes) fits = count
      else least = count
      if (count === 1 && bytes > maxBytes)
        warn(`Page ${first} alone has ${megabytes(bytes)}, which is more than ${megabytes(maxBytes)}`)
      // Most pages of a document have similar sizes; if not, the number is found by halving.
      const expected = tries < MAX_ESTIMATES ? (count * maxBytes) / bytes : (fits + least) / 2
      count = Math.max(fits + 1, Math.min(least - 1, Math.floor(expected)))
    }
    guess = Math.max(1, fits)
    yield { name: numberedName(part), pages: range(first, first + guess) }
    first += guess
  }
}
