import type { Block, Table } from '../../../../src/engines/documents/rich-text.ts'
import type { Line, PageText } from './lines.ts'
import { groundOf } from './shading.ts'
import type { Grid, GridCell } from './tables.ts'
import { alignOf, type BaseLook, inlinesOf, textBlocks } from './text-blocks.ts'

/** Cell padding, points. */
const PADDING = 9

const isBold = (lines: readonly Line[]): boolean =>
  lines.every((line) => line.spans.every(({ bold, text }) => bold || text.trim() === ''))

/** A table for output: its first row is the header if it is bold and the rest is not. */
export function tableBlock({ rows, widths }: Grid, base: BaseLook, page: PageText): Table {
  const [first, ...rest] = rows
  const isHeader =
    first!.some(({ lines }) => lines.length > 0) &&
    first!.every(({ lines }) => isBold(lines)) &&
    rest.some((cells) => cells.some(({ lines }) => !isBold(lines)))
  return {
    kind: 'table',
    widths,
    rows: rows.map((cells, row) => ({
      isHeader: row === 0 && isHeader,
      cells: cells.map((cell) => {
        const shading = groundOf(cell, page)
        return {
          columnSpan: cell.columnSpan,
          rowSpan: cell.rowSpan,
          blocks: cellBlocks(cell, base, shading),
          ...(shading && { shading }),
        }
      }),
    })),
  }
}

/** Lists in cells keep their markers as text. */
function cellBlocks({ lines, x0, x1 }: GridCell, base: BaseLook, ground: string | undefined): Block[] {
  return textBlocks(lines).map(({ list, ...block }): Block => {
    const align = alignOf(block, { left: x0, right: x1 }, PADDING)
    const inlines = inlinesOf(block.lines, base, { ground })
    return {
      kind: 'paragraph',
      inlines: list ? [{ kind: 'text', text: `${list.mark} ` }, ...inlines] : inlines,
      ...(align && align !== 'justify' && { align }),
    }
  })
}
