import type { Token } from 'markdown-it/index.js'
import { hasRightToLeft, startsRightToLeft } from './rich-text.ts'

/** A picture as a `data:` URI; undefined if it cannot be used. */
export type PictureLoader = (address: string) => Promise<string | undefined>

const TASK = /^\[([ xX])\](?=\s)/

/** Items that start with `[ ]` or `[x]` have a checkbox, as on GitHub. */
export function addTasks(tokens: readonly Token[]): void {
  for (const [index, item] of tokens.entries()) {
    const inline = tokens[index + 2]
    if (item.type !== 'list_item_open' || inline?.type !== 'inline') continue
    const first = inline.children?.[0]
    const mark = first?.type === 'text' ? TASK.exec(first.content)?.[1] : undefined
    if (first === undefined || mark === undefined) continue
    item.attrJoin('class', 'task')
    first.content = first.content.slice(3)
    // A new token of the library's class, without importing it.
    const box: Token = Object.assign(Object.create(Object.getPrototypeOf(first)), first, {
      type: 'html_inline',
      content: `<input type="checkbox" disabled${mark === ' ' ? '' : ' checked'}>`,
    })
    inline.children?.unshift(box)
  }
}

/** Blocks of text: browsers find the direction themselves. */
const TEXTS = /^(paragraph|heading|th|td)_open$/
/** Blocks of blocks, of which browsers ignore those with an own direction. */
const CONTAINERS = /^(bullet_list|ordered_list|list_item|blockquote|table)_open$/

/** In a text with right-to-left scripts the first letter of each block decides its direction. */
export function setDirections(tokens: readonly Token[], text: string): void {
  if (!hasRightToLeft(text)) return
  for (const [index, token] of tokens.entries()) {
    if (TEXTS.test(token.type)) token.attrSet('dir', 'auto')
    if (!CONTAINERS.test(token.type)) continue
    const first = tokens.slice(index).find(({ type, content }) => type === 'inline' && content.trim() !== '')
    token.attrSet('dir', first && startsRightToLeft(first.content) ? 'rtl' : 'ltr')
  }
}

/** Replaces the addresses of pictures by the pictures. */
export async function loadPictures(tokens: readonly Token[], load: PictureLoader): Promise<void> {
  for (const token of tokens) {
    if (token.type === 'image') {
      const loaded = await load(token.attrGet('src') ?? '')
      if (loaded !== undefined) token.attrSet('src', loaded)
    }
    if (token.children) await loadPictures(token.children, load)
  }
}
