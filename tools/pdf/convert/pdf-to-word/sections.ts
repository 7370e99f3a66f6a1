import type { Block, Section } from '../../../../src/engines/documents/rich-text.ts'
import { columnOf } from './columns.ts'
import type { Item, Page, PageLook } from './page-items.ts'

/** Splits the blocks of a document where the size of its pages or the number of columns changes. */
export class Sections {
  readonly all: Section[] = []
  #look: PageLook | undefined
  #count = 0

  /** Notes the next item; returns whether it starts a section. Removes a page break that the section makes. */
  enter(blocks: Block[], item: Item, { look, columns }: Page): boolean {
    const boxes = item.kind === 'text' ? item.lines : [item.kind === 'table' ? item.grid : item]
    // The lines of a paragraph can continue in another column.
    const isInColumn = columns !== undefined && boxes.every((box) => columnOf([box], columns) !== undefined)
    const count = isInColumn ? columns.length : 1
    if (look === this.#look && count === this.#count) return false
    const isBroken = blocks.at(-1)?.kind === 'page-break'
    if (isBroken) blocks.pop()
    const gaps = isInColumn ? columns.slice(1).map(({ x0 }, index) => x0 - columns[index]!.x1) : []
    this.all.push({
      ...look,
      start: blocks.length,
      isContinuous: look === this.#look && !isBroken,
      ...(isInColumn && { columns: { count, gap: Math.min(...gaps) } }),
    })
    this.#look = look
    this.#count = count
    return true
  }
}
