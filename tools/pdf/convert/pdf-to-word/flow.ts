import type { Block, Paragraph } from '../../../../src/engines/documents/rich-text.ts'
import { firstOf, lastOf } from '../../../../src/lists.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { headingLevels } from './headings.ts'
import type { Line } from './lines.ts'
import { Lists } from './lists.ts'
import type { Item } from './page-items.ts'
import type { ContentBox } from './page-layout.ts'
import { tableBlock } from './table-block.ts'
import { alignOf, type BaseLook, codeOf, goesOn, inlinesOf, type TextBlock } from './text-blocks.ts'

export interface Page {
  items: Item[]
  box: ContentBox
  height: number
}

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
  for (const [page, { items, box, height }] of pages.entries()) {
    for (const item of items) {
      const last = result.at(-1)
      if (last && isText(last.item) && isText(item) && !isHeading(last.item) && goesOn(last.item, item)) {
        const { left, right, lines } = last.item
        last.item = {
          ...last.item,
          lines: [...lines, ...item.lines],
          left: Math.min(left, item.left),
          right: Math.max(right, item.right),
        }
      } else result.push({ item, page })
    }
    if (items.length > 0 && box.bottom < height * EARLY && page < pages.length - 1)
      result.push({ item: { kind: 'break' }, page })
  }
  return result
}

/** All pages as one text; a page that ends early is followed by a page break. */
export function flow(pages: readonly Page[], base: BaseLook, document: PdfHandle): Block[] {
  for (const [page, { items }] of pages.entries()) for (const item of items) if (isText(item)) item.page = page
  const texts = pages.flatMap(({ items }) => items.filter(isText))
  const levelOf = headingLevels(texts, base, document)
  const all = joined(pages, (block) => levelOf(block) !== undefined)
  const blocks: Block[] = []
  const lists = new Lists()
  const code: Line[] = []
  let anchored = -1
  for (const [index, { item, page }] of all.entries()) {
    const { box } = pages[page]!
    const anchors = page > anchored ? { anchors: [`page-${page + 1}`] } : {}
    if (item.kind === 'text' && levelOf(item) === undefined && !(codeOf(item.lines) && !item.list)) {
      const align = alignOf(item, box)
      const paragraph: Paragraph = {
        kind: 'paragraph',
        inlines: inlinesOf(item.lines, base),
        ...(align && { align }),
        ...anchors,
        ...spaceAfter(item, all[index + 1]?.item),
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
    if (item.kind === 'break') blocks.push({ kind: 'page-break' })
    else if (item.kind === 'table') blocks.push(tableBlock(item.grid, base))
    else if (item.kind === 'picture') {
      const isCentred = Math.abs((item.x0 + item.x1) / 2 - (box.left + box.right) / 2) < 20
      blocks.push({ kind: 'paragraph', inlines: [item.picture], ...(isCentred && { align: 'center' }), ...anchors })
      anchored = page
    } else if (levelOf(item) !== undefined) {
      const align = alignOf(item, box)
      const mark =
        item.list && item.list.style !== 'bullet' ? [{ kind: 'text' as const, text: `${item.list.mark} ` }] : []
      const inlines = [...mark, ...inlinesOf(item.lines, base, { plain: true })]
      blocks.push({
        kind: 'heading',
        level: levelOf(item)!,
        inlines,
        ...(align && align !== 'justify' && { align }),
        ...anchors,
      })
      anchored = page
    } else addCode(blocks, code, item)
  }
  return blocks
}

/** Consecutive paragraphs of code become one block, so that their indents are relative to each other. */
function addCode(blocks: Block[], code: Line[], { lines }: TextBlock): void {
  const goesOn = blocks.at(-1)?.kind === 'code'
  if (!goesOn) code.length = 0
  code.push(...lines)
  blocks.splice(goesOn ? -1 : blocks.length, 1, codeOf(code)!)
}

/** The space between a paragraph and the next one, if that is below it. */
function spaceAfter(item: TextBlock, next: Placed['item'] | undefined): { spaceAfter?: number } {
  if (!isText(next)) return {}
  const [last, first] = [lastOf(item.lines), firstOf(next.lines)]
  const gap = first.baseline - last.baseline - first.size * 1.25
  return gap > -first.size && gap < 60 ? { spaceAfter: Math.max(0, Math.round(gap)) } : {}
}
