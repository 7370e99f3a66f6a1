import type { Picture, Section } from '../../../../src/engines/documents/rich-text.ts'
import type { Mupdf } from '../../../../src/engines/mupdf.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { alignedTables } from './aligned-tables.ts'
import { type Columns, columnsOf } from './columns.ts'
import { drawingsOf } from './drawings.ts'
import { type Box, isWithin, type Line, type PageText } from './lines.ts'
import { type ContentBox, contentBox } from './page-layout.ts'
import type { PageParts } from './page-parts.ts'
import { drawRegion } from './pictures.ts'
import { type Grid, type PlacedGrid, ruledTables } from './tables.ts'
import { type TextBlock, textBlocks } from './text-blocks.ts'

/** The content of a page. */
export type Item = TextBlock | { kind: 'table'; grid: Grid } | ({ kind: 'picture'; picture: Picture } & Box)

/** A page after its content is analysed. */
export interface Page {
  items: Item[]
  box: ContentBox
  part: PageText
  columns: Columns | undefined
  /** Shared by the pages of one size. */
  look: PageLook
}

export type PageLook = Pick<Section, 'page' | 'header' | 'footer'>

export interface DrawnPicture extends Box {
  order: number
  picture: Picture
}

/** A page after the library has released it. */
export interface DrawnPage extends Omit<PageParts, 'pictures' | 'close'> {
  pictures: DrawnPicture[]
}

/** With this many lines beside it, text runs around a picture. */
const LEAST_BESIDE = 2

/** Lines beside a picture. */
const besideOf = (box: Box, lines: readonly Line[]): Line[] =>
  lines.filter(
    ({ x0, x1, y0, y1 }) => (x1 <= box.x0 + 2 || x0 >= box.x1 - 2) && (y0 + y1) / 2 > box.y0 && (y0 + y1) / 2 < box.y1,
  )

/** The content of a page (from 0), in order, and the number of background images. */
export async function itemsOf(
  mupdf: Mupdf,
  document: PdfHandle,
  index: number,
  part: DrawnPage,
): Promise<{ items: Item[]; behind: number }> {
  const { pictures, vectors, origin } = part
  const columns = columnsOf(part)
  const pageRight = contentBox(part).right
  const tables: PlacedGrid[] = ruledTables(part.lines, vectors, part)
  const drawings = drawingsOf(part, tables)
  const placed: { order: number; item: Item }[] = tables.map(({ grid, order }) => ({
    order,
    item: { kind: 'table', grid },
  }))
  const page = document.pdf.loadPage(index)
  let behind = 0
  try {
    for (const box of drawings) {
      const within = part.lines.filter((line) => isWithin(line, box))
      const order = within[0]?.order ?? orderOf(box, part.lines, tables)
      part.lines = part.lines.filter((line) => !within.includes(line))
      placed.push({
        order,
        item: { kind: 'picture', picture: await drawRegion(mupdf, page, box, origin), ...box },
      })
    }
    for (const picture of pictures) {
      const [wide, high] = [picture.x1 - picture.x0, picture.y1 - picture.y0]
      if (drawings.some((box) => isWithin(picture, box))) continue
      if (part.lines.length > 0 && wide * high > part.width * part.height * 0.85) {
        behind += 1
        continue
      }
      const { order: _order, picture: shown, ...box } = picture
      const beside = columns ? [] : besideOf(box, part.lines)
      if (beside.length >= LEAST_BESIDE) {
        const order = Math.min(...beside.map((line) => line.order)) - 0.5
        placed.push({ order, item: { kind: 'picture', picture: { ...shown, floatX: box.x0 }, ...box } })
      } else
        placed.push({
          order: orderOf(picture, part.lines, tables),
          item: { kind: 'picture', picture: shown, ...box },
        })
    }
  } finally {
    page.destroy()
  }
  for (const { grid, order } of alignedTables(part.lines)) placed.push({ order, item: { kind: 'table', grid } })
  placed.sort((one, other) => one.order - other.order)
  const items: Item[] = []
  let rest = part.lines
  for (const { order, item } of placed) {
    items.push(
      ...textBlocks(
        rest.filter((line) => line.order < order),
        pageRight,
      ),
      item,
    )
    rest = rest.filter((line) => line.order >= order)
  }
  items.push(...textBlocks(rest, pageRight))
  return { items, behind }
}

/**
 * The position of an image in the text: before the content that starts beside or below it, in its own column if that
 * has any.
 */
function orderOf(box: Box, lines: readonly Line[], tables: readonly PlacedGrid[]): number {
  const all = [...lines, ...tables.map(({ grid, order }) => ({ ...grid, order }))]
  const below = all.filter(({ y0 }) => y0 >= box.y0 - 2)
  const own = below.filter(({ x0, x1 }) => x0 < box.x1 && x1 > box.x0)
  const first = Math.min(...(own.length > 0 ? own : below).map(({ order }) => order))
  return first - 0.5
}
