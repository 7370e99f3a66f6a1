import type { Block, ListItem, Paragraph } from '../../../../src/engines/documents/rich-text.ts'
import { firstOf, lastOf } from '../../../../src/lists.ts'
import type { TextBlock } from './text-blocks.ts'

/** Markers this close to each other have the same level, points. */
const NEAR = 4

interface OpenList {
  items: ListItem[]
  style: NonNullable<TextBlock['list']>['style']
  start: number
  /** Position of its markers. */
  x: number
}

/** The open lists, from the outermost. */
export class Lists {
  #open: OpenList[] = []

  close(): void {
    this.#open = []
  }

  /** Adds a paragraph without a marker to the item whose text it continues. */
  takes(block: TextBlock, paragraph: Paragraph): boolean {
    const at = this.#open.findLastIndex(({ x }) => firstOf(block.lines).x0 > x + NEAR * 2)
    if (at < 0) return false
    this.#open.length = at + 1
    const item = lastOf(this.#open[at]!.items)
    item.blocks = [...item.blocks, paragraph]
    return true
  }

  /** Adds an item to the list it belongs to, by the indent of its marker. */
  add(blocks: Block[], paragraph: Paragraph, { style, number, x }: NonNullable<TextBlock['list']>): void {
    while (this.#open.length > 0 && lastOf(this.#open).x > x + NEAR) this.#open.pop()
    const last = this.#open.at(-1)
    const isSameLevel = last !== undefined && Math.abs(last.x - x) <= NEAR
    if (isSameLevel && last.style === style && (style === 'bullet' || number === last.start + last.items.length)) {
      last.items.push({ blocks: [paragraph] })
      return
    }
    if (isSameLevel) this.#open.pop()
    const list: OpenList = { items: [{ blocks: [paragraph] }], style, start: style === 'bullet' ? 1 : number, x }
    const { items, start } = list
    const numbering = style === 'letter' ? ({ numbering: 'letter' } as const) : {}
    const block: Block = { kind: 'list', ordered: style !== 'bullet', start, items, ...numbering }
    const parent = this.#open.at(-1)?.items.at(-1)
    if (parent) parent.blocks = [...parent.blocks, block]
    else blocks.push(block)
    this.#open.push(list)
  }
}
