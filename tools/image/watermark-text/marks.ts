import { drawText } from '../../../src/media/image/text.ts'
import { croppedTo, type Drawing, turned } from '../_shared/layers/text-layer.ts'

export interface MarkWishes {
  text: string
  font: string
  fontSize: number
  color: string
  position: 'center' | 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right' | 'tiled'
  rotation: number
}

/** From anchor to anchor of tiled copies, of the size of the letters (catalogue). */
const TILE_STEP = { across: 6, down: 4 }

/** So many copies at most (catalogue). */
const MAX_COPIES = 500

/**
 * The centres of tiled copies; the grid lies in the middle of the page. Where the steps of the catalogue would give more
 * than MAX_COPIES, both grow alike until they do not: the whole page is marked, not its upper part.
 */
export function tileAnchors(page: { width: number; height: number }, size: number): { x: number; y: number }[] {
  let step = { across: TILE_STEP.across * size, down: TILE_STEP.down * size }
  const count = (): { columns: number; rows: number } => ({
    columns: Math.max(1, Math.ceil(page.width / step.across)),
    rows: Math.max(1, Math.ceil(page.height / step.down)),
  })
  while (count().columns * count().rows > MAX_COPIES) step = { across: step.across * 1.02, down: step.down * 1.02 }
  const { columns, rows } = count()
  const along = (side: number, index: number, steps: number, length: number): number =>
    Math.round(side / 2 + (index - (steps - 1) / 2) * length)
  return Array.from({ length: columns * rows }, (_, index) => ({
    x: along(page.width, index % columns, columns, step.across),
    y: along(page.height, Math.floor(index / columns), rows, step.down),
  }))
}

/** The text at its place on a page, or its copies all over it; nothing where none of it is on the page. */
export async function drawMarks(page: { width: number; height: number }, wishes: MarkWishes): Promise<Drawing[]> {
  const { text, font, fontSize, color, position, rotation } = wishes
  const isLeft = position.endsWith('left')
  const isRight = position.endsWith('right')
  const keep = isLeft ? 'start' : isRight ? 'end' : 'middle'
  const align = isLeft ? 'left' : isRight ? 'right' : 'center'
  // Turned, text may reach over the page's diagonal on both sides of its anchor.
  const reach = 2 * Math.hypot(page.width, page.height)
  const drawn = await drawText({ text, font, size: fontSize, color, align, reach, keep })
  const { png, width, height, middle } = drawn
  if (position === 'tiled') {
    const centred = await turned({ png, width, height, left: -width / 2, top: -middle }, rotation, { x: 0, y: 0 })
    return tileAnchors(page, fontSize).map(({ x, y }) => ({ ...centred, left: x + centred.left, top: y + centred.top }))
  }
  // The distance of a corner from both edges is the size of the letters (catalogue).
  const x = isLeft ? fontSize : isRight ? page.width - fontSize : page.width / 2
  const y = position.startsWith('top')
    ? fontSize
    : position.startsWith('bottom')
      ? page.height - fontSize
      : page.height / 2
  const left = isLeft ? x : isRight ? x - width : x - width / 2
  const top = position.startsWith('top') ? y : position.startsWith('bottom') ? y - height : y - middle
  const shown = await croppedTo(await turned({ png, width, height, left, top }, rotation, { x, y }), page)
  return shown ? [shown] : []
}
