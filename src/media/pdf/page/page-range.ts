import { MediaprocError } from '../../../errors.ts'

/** Maximum length of a page range, in characters (spec/catalogue: extract-pages). */
export const MAX_RANGE_LENGTH = 200

function invalid(sentence: string): MediaprocError {
  return new MediaprocError('INVALID_SETTINGS', sentence, {
    hint: 'Pages are written like 1-5,8,10-z: z is the last page, r2 the last but one, 5-1 counts down.',
  })
}

const plural = (count: number) => (count === 1 ? '1 page' : `${count} pages`)

/**
 * The error for a page outside the document depends on the file and not only on the setting: TARGET_UNREACHABLE
 * everywhere. Over HTTP the catalogue requires 422 for tools with a range, and 400 for those with a list.
 */
const OUTSIDE_STATUS = { range: 422, list: 400 } as const

/** Parses a page name (`12`, `z`, `r3`, in lower case) to a page number; throws when the page does not exist. */
function pageNumber(name: string, pageCount: number, grammar: keyof typeof OUTSIDE_STATUS): number {
  if (name === 'z') return pageCount
  const fromEnd = name.startsWith('r')
  const digits = fromEnd ? name.slice(1) : name
  const number = Number(digits)
  if (number === 0) throw invalid(`Page ${name} does not exist: pages are counted from 1`)
  if (number > pageCount) {
    const sentence = `Page ${name} was requested, but the document has ${plural(pageCount)}`
    throw new MediaprocError('TARGET_UNREACHABLE', sentence, {
      hint: 'Name pages that the document has; z is the last one.',
      status: OUTSIDE_STATUS[grammar],
    })
  }
  return fromEnd ? pageCount + 1 - number : number
}

/**
 * Parses a range in qpdf's grammar to page numbers (from 1), keeping order and repetitions: items `P` or `P-Q` joined
 * by commas, where a page is `N`, `z` (the last) or `rN` (the N-th from the end); `P-Q` counts down when P is the later
 * one. At most 200 characters of `0-9 r z , -` (any case), so no spaces, no exclusions and no `:even`. Nothing is
 * clamped: a syntax error is INVALID_SETTINGS, a page outside the document is TARGET_UNREACHABLE.
 */
export function parsePageRange(text: string, pageCount: number): number[] {
  if (text.length > MAX_RANGE_LENGTH) {
    throw invalid(`The page range has ${text.length} characters, at most ${MAX_RANGE_LENGTH} are read`)
  }
  if (text === '') throw invalid('The page range is empty')
  const range = text.toLowerCase()
  const stranger = /[^0-9rz,-]/.exec(range)
  if (stranger) throw invalid(`The page range "${text}" has "${stranger[0]}" in it, which has no meaning there`)
  const pages: number[] = []
  for (const item of range.split(',')) {
    const parts = /^(z|r?\d+)(?:-(z|r?\d+))?$/.exec(item)
    if (!parts) {
      throw invalid(
        item === '' ? `The page range "${text}" has an empty item` : `"${item}" is neither a page nor a range of pages`,
      )
    }
    const first = pageNumber(parts[1]!, pageCount, 'range')
    const last = parts[2] === undefined ? first : pageNumber(parts[2], pageCount, 'range')
    const step = first <= last ? 1 : -1
    for (let page = first; page !== last + step; page += step) pages.push(page)
  }
  return pages
}

/**
 * Parses a list as accepted by `pdf-to-image` to page numbers (from 1): empty or `all` (any case) is every page,
 * otherwise `N` and `N-M` joined by commas, with optional spaces; `z` and `rN` are supported too. The result is
 * ascending without repetitions. A reversed range or an empty item is INVALID_SETTINGS, a page outside the document
 * TARGET_UNREACHABLE.
 */
export function parsePageList(text: string, pageCount: number): number[] {
  const list = text.trim().toLowerCase()
  if (list === '' || list === 'all') return Array.from({ length: pageCount }, (_, index) => index + 1)
  const pages = new Set<number>()
  for (const item of list.split(',').map((part) => part.trim())) {
    const parts = /^(z|r?\d+)(?:\s*-\s*(z|r?\d+))?$/.exec(item)
    if (!parts) {
      throw invalid(
        item === '' ? `The page list "${text}" has an empty item` : `"${item}" is neither a page nor a range of pages`,
      )
    }
    const first = pageNumber(parts[1]!, pageCount, 'list')
    const last = parts[2] === undefined ? first : pageNumber(parts[2], pageCount, 'list')
    if (first > last) throw invalid(`The pages ${item} run backwards`)
    for (let page = first; page <= last; page++) pages.add(page)
  }
  return [...pages].sort((one, other) => one - other)
}

/**
 * Parses a list of plain numbers as accepted by `ocr-pdf` to page numbers (from 1): `all` (any case) is every page,
 * otherwise `N` and `N-M` joined by commas, with optional spaces. The result is ascending without repetitions. An empty
 * list or a reversed range is INVALID_SETTINGS, a page outside the document TARGET_UNREACHABLE.
 */
export function parseNumberedPages(text: string, pageCount: number): number[] {
  if (text.trim() === '') throw invalid('The page list is empty')
  const stranger = text.trim().toLowerCase() === 'all' ? null : /[^0-9,\s-]/.exec(text)
  if (stranger) throw invalid(`The page list "${text}" has "${stranger[0]}" in it, which has no meaning there`)
  return parsePageList(text, pageCount)
}
