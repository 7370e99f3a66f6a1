import type { Placement } from '../../../../src/media/pdf/image/picture-pages.ts'

/** Paper sizes in portrait, in points (catalogue: image-to-pdf). */
const PAPER = {
  A4: [595.28, 841.89],
  Letter: [612, 792],
  A3: [841.89, 1190.55],
  A5: [419.53, 595.28],
} as const

export type PageSize = keyof typeof PAPER

export const PAGE_SIZES = Object.keys(PAPER) as PageSize[]

export interface PageOptions {
  pageSize: PageSize
  orientation: 'portrait' | 'landscape'
  /** Margin on each edge, in points. */
  margin: number
}

/** The paper size in its orientation, in points. */
export function paperOf({ pageSize, orientation }: PageOptions): { width: number; height: number } {
  const [short, long] = PAPER[pageSize]
  return orientation === 'portrait' ? { width: short, height: long } : { width: long, height: short }
}

/** The area inside the margins, in points; can be empty. */
export function roomOf(options: PageOptions): { width: number; height: number } {
  const { width, height } = paperOf(options)
  return { width: width - 2 * options.margin, height: height - 2 * options.margin }
}

/** An image of this natural size (points) centred on its page, scaled down to fit but never up. */
export function placeOnPage(natural: { width: number; height: number }, options: PageOptions): Placement {
  const page = paperOf(options)
  const room = roomOf(options)
  const scale = Math.min(1, room.width / natural.width, room.height / natural.height)
  const [width, height] = [natural.width * scale, natural.height * scale]
  return { page, left: (page.width - width) / 2, bottom: (page.height - height) / 2, width, height }
}
