import type { DefaultTreeAdapterTypes } from 'parse5'
import type { Engine } from '../engine.ts'
import { libraryEngine } from '../library.ts'

export type HtmlNode = DefaultTreeAdapterTypes.ChildNode
export type HtmlElement = DefaultTreeAdapterTypes.Element

/** Parses HTML like a browser, however damaged it is. */
export async function parseHtml(text: string): Promise<HtmlElement> {
  const { parse } = await import('parse5')
  const document = parse(text, { scriptingEnabled: false })
  return document.childNodes.find((node): node is HtmlElement => 'tagName' in node)!
}

/** All elements in document order; uses an explicit stack, as nesting is unlimited. */
export function* elementsOf(root: HtmlElement): Generator<HtmlElement> {
  const waiting: HtmlNode[] = [root]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!('tagName' in node)) continue
    yield node
    for (let index = node.childNodes.length - 1; index >= 0; index--) waiting.push(node.childNodes[index]!)
  }
}

/** The value of an attribute. */
export function attributeOf(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value
}

export const html: Engine = libraryEngine({
  id: 'html',
  purpose: 'reading HTML',
  licence: 'MIT',
  package: 'parse5',
})
