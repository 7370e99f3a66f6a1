import type { PageLayout } from '../../../../src/engines/documents/rich-text.ts'
import type { PageText } from './lines.ts'
import type { BaseLook } from './text-blocks.ts'

/** Bounds of the content of a page. */
export interface ContentBox {
  left: number
  right: number
  top: number
  bottom: number
  /** Size of the page itself. */
  middle: number
}

/** The look of most letters. */
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

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!

/** The size of the first page, and margins as most pages have them. */
export function layoutOf(pages: readonly PageText[]): PageLayout {
  const { width, height } = pages[0]!
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
  // Text that ends in the middle of a page says nothing of its margin.
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
  // Lines of other letters may be a little longer: a right margin as the left one, where the text is ragged.
  return {
    width,
    height,
    margins: { left, right: Math.min(right, Math.max(left, 18)), top, bottom: Math.max(18, bottom) },
  }
}

/** The content of a page, and its margins: a title alone does not fill the width. */
export function textBox(part: PageText, { margins }: PageLayout): ContentBox {
  const box = contentBox(part)
  return { ...box, left: Math.min(box.left, margins.left), right: Math.max(box.right, part.width - margins.right) }
}
