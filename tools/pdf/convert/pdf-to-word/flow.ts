import type { Block, Paragraph, Picture, Section } from '../../../../src/engines/documents/rich-text.ts'
import { firstOf, lastOf } from '../../../../src/lists.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { columnOf } from './columns.ts'
import { headingLevels } from './headings.ts'
import type { Box, Line } from './lines.ts'
import { Lists } from './lists.ts'
import type { Item, Page } from './page-items.ts'
import { Sections } from './sections.ts'
import { aroundAll, groundOf } from './shading.ts'
import { tableBlock } from './table-block.ts'
import { alignOf, type BaseLook, codeOf, goesOn, inlinesOf, type TextBlock } from './text-blocks.ts'

/** A page whose content ends above this share of its height has an intentional page break. */
const EARLY = 0.7

interface Placed {
  item: Item | { kind: 'break' }
  page: number
}

const isText = (item: Placed['item'] | undefined): item is TextBlock => item?.kind === 'text'

/** Joins paragraphs that were split by the end of a column or page. */
function joined(pages: readonly Page[], isHeading: (block: TextBlock) => boolean): Placed[] {
  const result: Placed[] = []
  for (const [page, { items, box, part }] of pages.entries()) {
    for (const item of items) {
      const last = result.at(-1)
      if (last && isText(last.item) && isText(item) && !isHeading(last.item) && goesOn(last.item, item)) {
        const { left, right, lines } = last.item
        last.item = {
          ...last.item,
          lines: [...lines, ...item.lines],
          left: Math.min(left, item.left),
          right: Math.max(right, item.right),
          shape: longest(last.item, item),
        }
      } else result.push({ item, page })
    }
    if (items.length > 0 && box.bottom < part.height * EARLY && page < pages.length - 1)
      result.push({ item: { kind: 'break' }, page })
  }
  return result
}

function longest(one: TextBlock, next: TextBlock): NonNullable<TextBlock['shape']> {
  const shape = one.shape ?? one
  return shape.lines.length >= next.lines.length ? shape : next
}

/** All pages as one text; a page that ends early is followed by a page break. */
export function flow(
  pages: readonly Page[],
  base: BaseLook,
  document: PdfHandle,
): { blocks: Block[]; sections: Section[] } {
  for (const [page, { items }] of pages.entries()) for (const item of items) if (isText(item)) item.page = page
  const texts = pages.flatMap(({ items }) => items.filter(isText))
  const levelOf = headingLevels(texts, base, document)
  const all = joined(pages, (block) => levelOf(block) !== undefined)
  const blocks: Block[] = []
  const lists = new Lists()
  const code: Line[] = []
  const floats: Picture[] = []
  const sections = new Sections()
  let anchored = -1
  for (const [index, { item, page }] of all.entries()) {
    const { box, part } = pages[page]!
    if (item.kind !== 'break' && sections.enter(blocks, item, pages[page]!)) lists.close()
    const anchors = page > anchored ? { anchors: [`page-${page + 1}`] } : {}
    if (item.kind === 'text' && levelOf(item) === undefined && !(codeOf(item.lines) && !item.list)) {
      const align = alignOf(item.shape ?? item, box)
      const shading = groundOf(aroundAll((item.shape ?? item).lines), part)
      const paragraph: Paragraph = {
        kind: 'paragraph',
        inlines: [...floats.splice(0), ...inlinesOf(item.lines, base, { ground: shading })],
        ...(align && { align }),
        ...(shading && { shading }),
        ...anchors,
        ...spaceAfter(item, nextOf(all, index)),
      }
      anchored = page
      if (item.list) lists.add(blocks, paragraph, item.list)
      else if (!lists.takes(item, paragraph)) {
        lists.close()
        blocks.push(paragraph)
      }
      continue
    }
    lists.close()
    const isFloat = item.kind === 'picture' && item.picture.floatX !== undefined
    if (floats.length > 0 && !isFloat) blocks.push({ kind: 'paragraph', inlines: floats.splice(0), spaceAfter: 0 })
    if (item.kind === 'break') blocks.push({ kind: 'page-break' })
    else if (item.kind === 'table') blocks.push(tableBlock(item.grid, base, part))
    else if (isFloat) floats.push(item.picture)
    else if (item.kind === 'picture') {
      const before = all[index - 1]
      const last = blocks.at(-1)
      // Pictures in a row stay in a row.
      if (last?.kind === 'paragraph' && before?.page === page && isBeside(before.item, item))
        blocks[blocks.length - 1] = { ...last, inlines: [...last.inlines, { kind: 'text', text: ' ' }, item.picture] }
      else {
        const align = pictureAlign(item, columnOf([item], pages[page]!.columns) ?? { x0: box.left, x1: box.right })
        blocks.push({ kind: 'paragraph', inlines: [item.picture], ...(align && { align }), ...anchors })
      }
      anchored = page
    } else if (levelOf(item) !== undefined) {
      const align = alignOf(item, box)
      const mark =
        item.list && item.list.style !== 'bullet' ? [{ kind: 'text' as const, text: `${item.list.mark} ` }] : []
      const ground = groundOf(aroundAll(item.lines), part)
      const inlines = [...mark, ...inlinesOf(item.lines, base, { isHeading: true, ground })]
      blocks.push({
        kind: 'heading',
        level: levelOf(item)!,
        inlines,
        ...(align && align !== 'justify' && { align }),
        ...(ground && { shading: ground }),
        // The block before it has the measured space.
        ...((isText(all[index - 1]?.item) || all[index - 1]?.page !== page) && { spaceBefore: 0 }),
        ...spaceAfter(item, nextOf(all, index)),
        ...anchors,
      })
      anchored = page
    } else addCode(blocks, code, item)
  }
  if (floats.length > 0) blocks.push({ kind: 'paragraph', inlines: floats })
  return { blocks, sections: sections.all }
}

const isBeside = (one: Placed['item'], other: Box): boolean =>
  one.kind === 'picture' && Math.min(one.y1, other.y1) - Math.max(one.y0, other.y0) > (other.y1 - other.y0) / 2

function pictureAlign({ x0, x1 }: Box, space: { x0: number; x1: number }): 'center' | 'right' | undefined {
  if (Math.abs((x0 + x1) / 2 - (space.x0 + space.x1) / 2) < 20) return 'center'
  return Math.abs(x1 - space.x1) < 8 ? 'right' : undefined
}

/** Consecutive paragraphs of code become one block, so that their indents are relative to each other. */
function addCode(blocks: Block[], code: Line[], { lines }: TextBlock): void {
  const goesOn = blocks.at(-1)?.kind === 'code'
  if (!goesOn) code.length = 0
  code.push(...lines)
  blocks.splice(goesOn ? -1 : blocks.length, 1, codeOf(code)!)
}

/** The next item that takes space of its own. */
const nextOf = (all: readonly Placed[], index: number): Placed['item'] | undefined =>
  all.slice(index + 1).find(({ item }) => !(item.kind === 'picture' && item.picture.floatX !== undefined))?.item

/** The space between a paragraph and the next one, if that is below it. */
function spaceAfter(item: TextBlock, next: Placed['item'] | undefined): { spaceAfter?: number } {
  if (!isText(next)) return {}
  const [last, first] = [lastOf(item.lines), firstOf(next.lines)]
  const gap = first.baseline - last.baseline - first.size * 1.25
  return gap > -first.size && gap < 60 ? { spaceAfter: Math.max(0, Math.round(gap)) } : {}
}
