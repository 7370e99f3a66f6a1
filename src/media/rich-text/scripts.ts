import { attributeOf, elementsOf, type HtmlElement, parseHtml } from '../../engines/documents/html.ts'

/** JavaScript MIME types and modules (WHATWG HTML, 4.12.1; MIME Sniffing, 4.6); everything else is a data block. */
const JAVASCRIPT =
  /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/(?:javascript1\.[0-5]|jscript|livescript))$/i

/** Event handlers that run without user interaction: the others change nothing in a document that is only read. */
const BY_ITSELF = /^on(?:load|pageshow|readystatechange|beforeprint|begin)$/

/** The number of scripts and of event handlers for loading or printing that a browser would run. */
export async function countScripts(html: string): Promise<number> {
  // Parsing is expensive, and most converted pages have no scripts.
  if (!/<script|\bon[a-z]+\s*=|srcdoc/i.test(html)) return 0
  let count = 0
  for (const element of elementsOf(await parseHtml(html))) {
    if (element.tagName === 'script' && isProgram(element)) count += 1
    count += element.attrs.filter(({ name, value }) => BY_ITSELF.test(name) && value.trim() !== '').length
    if (element.tagName === 'iframe') count += await countScripts(attributeOf(element, 'srcdoc') ?? '')
  }
  return count
}

function isProgram(element: HtmlElement): boolean {
  const language = attributeOf(element, 'language')
  const type = attributeOf(element, 'type') ?? (language ? `text/${language}` : '')
  if (!JAVASCRIPT.test(type.trim())) return false
  if (['src', 'href', 'xlink:href'].some((name) => attributeOf(element, name))) return true
  return element.childNodes.some((node) => 'value' in node && node.value.trim() !== '')
}
