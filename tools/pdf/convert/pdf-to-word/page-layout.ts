import type { PageLayout } from '../../../../src/engines/documents/rich-text.ts'
import { firstOf } from '../../../../src/lists.ts'
import { median } from '../../../../src/median.ts'
import type { PageText } from './lines.ts'
import type { BaseLook } from './text-blocks.ts'

/** Bounds of a page's content. */
export interface ContentBox {
  left: number
  right: number
  top: number
  bottom: number
  /** Of the page itself. */
  middle: number
}

/** The most frequent text style. */
export function baseLook(pages: readonly PageText[]): BaseLook {
  const counts = new Map<string, number>()
  for (const { lines } of pages)
    for (const { spans } of lines)
      for (const { font, size, text, mono } of spans) {
        const key = `${Math.round(size * 2) / 2} ${font}`
        counts.set(key, (counts.get(key) ?? 0) + text.trim().length * (mono ? 0.5 : 1))
      }
  const [most] = [...counts].sort(([, one], [, other]) => other - one)
  if (!most) return { font: 'Calibri', size: 11 }
  const [size = '11', ...font] = most[0].split(' ')
  return { font: font.join(' '), size: Math.max(4, Number(size)) }
}

export function contentBox({ lines, width, height }: PageText): ContentBox {
  if (lines.length === 0) return { left: 0, right: width, top: 0, bottom: height, middle: width / 2 }
  const of = (pick: (values: number[]) => number, side: 'x0' | 'x1' | 'y0' | 'y1'): number =>
    pick(lines.map((line) => line[side]))
  const [least, most] = [(values: number[]) => Math.min(...values), (values: number[]) => Math.max(...values)]
  return {
    left: of(least, 'x0'),
    right: of(most, 'x1'),
    top: of(least, 'y0'),
    bottom: of(most, 'y1'),
    middle: width / 2,
  }
}

/** The size of the first page, and the margins of most pages. */
export function layoutOf(pages: readonly PageText[]): PageLayout {
  const { width, height } = firstOf(pages)
  const same = pages.filter(
    (page) => page.lines.length > 0 && Math.abs(page.width - width) < 2 && Math.abs(page.height - height) < 2,
  )
  const margin = (values: number[], side: number): number =>
    Math.min(Math.max(values.length > 0 ? median(values) : 72, 18), side / 4)
  const boxes = same.map((page) => ({ ...contentBox(page), ...page }))
  const [left, right] = [
    margin(
      boxes.map((box) => box.left),
      width,
    ),
    margin(
      boxes.map((box) => box.width - box.right),
      width,
    ),
  ]
  // Text that ends in the middle of a page does not define its margin.
  const top = margin(
    boxes.map((box) => box.top),
    height,
  )
  const bottom = Math.min(
    margin(
      boxes.map((box) => box.height - box.bottom),
      height,
    ),
    top * 1.2,
  )
  // Lines in other fonts can be slightly longer: for ragged text, the right margin equals the left one.
  return {
    width,
    height,
    margins: { left, right: Math.min(right, Math.max(left, 18)), top, bottom: Math.max(18, bottom) },
  }
}

/** The bounds of a page's content, extended to its margins: a title alone does not fill its width. */
export function textBox(part: PageText, { margins }: PageLayout): ContentBox {
  const box = contentBox(part)
  return { ...box, left: Math.min(box.left, margins.left), right: Math.max(box.right, part.width - margins.right) }
}
