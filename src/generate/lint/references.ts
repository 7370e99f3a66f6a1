import { dirname, join, normalize } from 'node:path'
import type { Sources } from './variables.ts'

/** `[words](target)` in Markdown, without those that lead to another site or stay on the page. */
const LINK = /\]\((?![a-z]+:|#|\/\/)<?([^)\s>#]+)[^)]*\)/g
/** A page that a comment or a sentence names. */
const PAGE = /(?<![\w./>}*$-])((?:[\w-]+\/)*[\w-]+\.md)\b/g
const COMMENT = /^\s*(?:\/\/|\/?\*).*|\s\/\/ .*/gm
const FENCE = /^```[\s\S]*?^```/gm
/** What a page says that its example writes is no reference. */
const MADE = /^Makes .*$/gm

/** Where a page may be that is named without its folder. */
const places = (from: string, name: string): string[] => [name, join('docs', name), join(dirname(from), name)]

/**
 * References that lead nowhere, as sentences: links of Markdown, and pages that comments and documentation name.
 * @param code files whose comments are looked at
 * @param pages Markdown files
 * @param exists whether there is a file or folder of this path
 */
export function referenceFaults(code: Sources, pages: Sources, exists: (path: string) => boolean): string[] {
  const faults: string[] = []
  const check = (from: string, name: string): void => {
    if (!places(from, name).some(exists)) faults.push(`${from}: there is no ${name}`)
  }
  for (const [path, text] of code)
    for (const [comment] of text.matchAll(COMMENT))
      for (const [, name = ''] of comment.matchAll(PAGE)) check(path, name)
  for (const [path, text] of pages) {
    const prose = text.replace(FENCE, '')
    for (const [, target = ''] of prose.matchAll(LINK)) {
      const to = normalize(join(dirname(path), decodeURI(target)))
      if (!exists(to)) faults.push(`${path}: the link to ${target} leads nowhere`)
    }
    for (const [, name = ''] of prose.replace(MADE, '').replace(LINK, '').matchAll(PAGE)) check(path, name)
  }
  return faults
}
