import { attributeOf, elementsOf, type HtmlElement, parseHtml } from '../../engines/documents/html.ts'
import type { Block, Inline, Picture, RichText } from '../../engines/documents/rich-text.ts'
import { type HtmlOptions, HtmlReader, pictureAddress } from './html-reader.ts'
import { dataPicture, richPicture } from './picture.ts'

export type { HtmlOptions } from './html-reader.ts'

export interface HtmlResult extends Omit<RichText, 'title'> {
  title: string | undefined
  /** Number of images, frames and scripts that were skipped. */
  leftOut: number
  /** Addresses of the skipped images, as written in the document. */
  missingPictures: string[]
}

/**
 * Reads HTML as a document, by the meaning of its elements, not their appearance. No script runs and nothing is loaded
 * except embedded images.
 */
export async function fromHtml(html: string, options: HtmlOptions = {}): Promise<HtmlResult> {
  const root = await parseHtml(html)
  const { pictures, missing } = await loadPictures(root, options)
  const reader = new HtmlReader(pictures, options)
  const body = root.childNodes.find((node): node is HtmlElement => node.nodeName === 'body')
  const blocks: Block[] = body ? reader.blocks(body) : []
  const language = attributeOf(root, 'lang') ?? attributeOf(root, 'xml:lang')
  return {
    title: titleOf(root),
    ...(language !== undefined && /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(language) && { language }),
    blocks,
    leftOut: missing.length + reader.leftOut,
    missingPictures: missing,
  }
}

function titleOf(root: HtmlElement): string | undefined {
  for (const element of elementsOf(root))
    if (element.tagName === 'title' && element.namespaceURI.endsWith('xhtml')) {
      const text = element.childNodes.map((node) => ('value' in node ? node.value : '')).join('')
      return text.replace(/\s+/g, ' ').trim() || undefined
    }
  return undefined
}

async function loadPictures(root: HtmlElement, { load }: HtmlOptions) {
  const pictures = new Map<HtmlElement, Picture>()
  const missing: string[] = []
  for (const element of elementsOf(root)) {
    const address = pictureAddress(element)
    if (address === undefined) continue
    const bytes = dataPicture(address) ?? load?.(address)
    const [width, height] = ['width', 'height'].map((side) => pixels(element, side))
    const picture = bytes && (await richPicture(bytes, attributeOf(element, 'alt') ?? '', { width, height }))
    if (picture) pictures.set(element, picture)
    else missing.push(address)
  }
  return { pictures, missing }
}

/** A side in CSS pixels, from the attribute or the style; percentages are ignored. */
function pixels(element: HtmlElement, side: string): number | undefined {
  if (element.tagName !== 'img') return undefined
  const style = new RegExp(`(?:^|[;\\s])${side}\\s*:\\s*([\\d.]+)px`, 'i').exec(
    attributeOf(element, 'style') ?? '',
  )?.[1]
  const value = Number(style ?? /^\s*(\d+(?:\.\d+)?)(?:px)?\s*$/.exec(attributeOf(element, side) ?? '')?.[1])
  return value > 0 && value < 20_000 ? value : undefined
}

/** Reads plain text as a document: paragraphs are separated by empty lines; single line ends are kept. */
export function fromPlainText(text: string): Block[] {
  const paragraphs = text.replace(/\r\n?/g, '\n').split(/\n[ \t]*\n+/)
  return paragraphs.flatMap((paragraph) => {
    const lines = paragraph.replace(/^\n+|\n+$/g, '').split('\n')
    if (lines.every((line) => line.trim() === '')) return []
    const inlines = lines.flatMap((line, index): Inline[] => [
      ...(index > 0 ? [{ kind: 'break' } as const] : []),
      { kind: 'text', text: line },
    ])
    return [{ kind: 'paragraph' as const, inlines }]
  })
}
