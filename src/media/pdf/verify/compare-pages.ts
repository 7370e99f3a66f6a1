import type { PDFDocument } from '../../../engines/mupdf.ts'
import { valueAt } from '../structure/trees.ts'
import { charactersOf, isEndless, lostCharacters, sumOf } from './page-characters.ts'
import { contentBytes, MAX_RESOURCES, type PlacedPage } from './page-facts.ts'

/** The pages of a result, each with the source pages that it shows. */
export type ShownPages = readonly (readonly PlacedPage[])[]

/** Names that both readers spell identically: they differ for escapes and non-ASCII bytes. */
const PLAIN = /^[\x21-\x22\x24-\x7e ]*$/

/**
 * Resources of the sources that are missing from the result, as texts such as `page 2: /Font/F1`.
 * @param pages the resources a reader finds on each page, by path
 */
export function missingResources(shown: ShownPages, pages: ReadonlyArray<ReadonlyMap<string, string>>): string[] {
  return shown.flatMap((placed, index) => {
    const found = pages[index] ?? new Map<string, string>()
    if (found.size >= MAX_RESOURCES) return []
    return placed.flatMap(({ at, facts }) =>
      [...facts.resources].flatMap(([path, what]) => {
        if (!PLAIN.test(path) || facts.resources.size >= MAX_RESOURCES) return []
        const there = found.get(at + path)
        const isSame = there === what || (there !== undefined && !(PLAIN.test(there) && PLAIN.test(what)))
        return isSame ? [] : [`page ${index + 1}: ${path}`]
      }),
    )
  })
}

/** Pages (from 1) of the result whose content is shorter than that of the source pages shown on them. */
export function shortenedPages(shown: ShownPages, saved: PDFDocument): number[] {
  return shown.flatMap((placed, index) => {
    const page = saved.findPage(index)
    const resources = page.getInheritable('Resources')
    const isShort = placed.some(({ at, facts }) => {
      const content = at === '' ? page : valueAt(resources, at)
      return content === undefined || contentBytes(content) < facts.contentBytes
    })
    return isShort ? [index + 1] : []
  })
}

/** Pages (from 1) of the result that lack letters or digits of the source pages shown on them. */
export function pagesWithoutText(shown: ShownPages, saved: PDFDocument): number[] {
  return shown.flatMap((placed, index) => {
    const expected = placed.flatMap(({ facts }) => (facts.characters?.size ? [facts.characters] : []))
    if (expected.length === 0) return []
    const found = charactersOf(saved, index, 0)
    const isComplete = found ? lostCharacters(sumOf(expected), found).length === 0 : isEndless(saved, index)
    return isComplete ? [] : [index + 1]
  })
}
