import { lastOf } from '../../lists.ts'
import { escaped } from '../rich-text/to-html.ts'

export interface NavigationEntry {
  level: number
  text: string
  address: string
}

interface Node extends NavigationEntry {
  children: Node[]
}

/** The table of contents of a book: headings nested in the ones above them, even if a level was skipped. */
export function navigation(title: string, entries: readonly NavigationEntry[]): string {
  const top: Node[] = []
  const open: Node[] = []
  for (const entry of entries) {
    const node: Node = { ...entry, children: [] }
    while (open.length > 0 && lastOf(open).level >= entry.level) open.pop()
    const siblings = open.at(-1)?.children ?? top
    siblings.push(node)
    open.push(node)
  }
  return `<nav epub:type="toc" id="toc">\n<h1>${escaped(title)}</h1>\n${list(top)}\n</nav>`
}

const list = (nodes: readonly Node[]): string =>
  `<ol>\n${nodes.map(({ text, address, children }) => `<li><a href="${address}">${escaped(text)}</a>${children.length > 0 ? `\n${list(children)}\n` : ''}</li>`).join('\n')}\n</ol>`
