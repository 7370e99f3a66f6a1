import type { Font, Image, Matrix, PDFDocument, Rect } from '../../../../src/engines/mupdf.ts'
import { fieldLines } from './field-lines.ts'
import { fontFamily, isMonospaced } from './fonts.ts'
import { noteLinks, noteRules } from './line-marks.ts'
import type { Box, Line, Look, PageText, Vector } from './lines.ts'

export interface PagePicture extends Box {
  order: number
  transform: Matrix
  /** Valid while the page is open. */
  image: Image
}

export interface PageParts extends PageText {
  /** The page's corner in the library's own coordinates. */
  origin: { x: number; y: number }
  pictures: PagePicture[]
  /** Number of characters without a Unicode mapping. */
  unreadable: number
  close(): void
}

const boxOf = ([x0, y0, x1, y1]: Rect): Box => ({ x0, y0, x1, y1 })

const hex = (color: readonly number[]): string => {
  const [red = 0, green = red, blue = red] = color
  return `#${[red, green, blue]
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

/** The content of a page (from 0), with its links. Images can be drawn until it is closed. */
export function readPage(pdf: PDFDocument, index: number): PageParts {
  const page = pdf.loadPage(index)
  const [left, top, right, bottom] = page.getBounds()
  const text = page.toStructuredText('preserve-images,preserve-whitespace,vectors')
  const lines: Line[] = []
  const pictures: PagePicture[] = []
  const vectors: Vector[] = []
  const looks = new Map<unknown, Omit<Look, 'size' | 'color'>>()
  const fonts: Font[] = []
  /** The library returns a new object for every letter; their pointers identify fonts. */
  const lookOf = (font: Font) => {
    const known = looks.get(font.pointer)
    if (known) {
      font.destroy()
      return known
    }
    const look = { font: fontFamily(font), bold: font.isBold(), italic: font.isItalic(), mono: isMonospaced(font) }
    looks.set(font.pointer, look)
    // Kept until the end, so that no other font reuses its address.
    fonts.push(font)
    return look
  }
  let line: Line | undefined
  let isUpright = true
  let order = 0
  let unreadable = 0
  text.walk({
    beginLine(box, mode, [across]) {
      // Vertical and rotated text does not fit in running text; it is kept as separate lines.
      isUpright = mode === 0 && across > 0.7
      line = { ...boxOf(box), spans: [], baseline: box[3], size: 0, order: order++ }
    },
    onChar(character, [, y], font, size, quad, color) {
      if (!line) return
      if (character === '\ufffd') {
        unreadable += 1
        return
      }
      const xs = [quad[0], quad[2], quad[4], quad[6]]
      const look = { ...lookOf(font), size, color: hex(color) }
      const last = line.spans.at(-1)
      const same =
        last &&
        last.font === look.font &&
        last.bold === look.bold &&
        last.italic === look.italic &&
        Math.abs(last.size - size) < 0.2 &&
        last.color === look.color &&
        Math.abs(last.baseline - y) < 0.5
      const [x0, x1] = isUpright ? [Math.min(...xs), Math.max(...xs)] : [line.x0, line.x1]
      if (same || (last && !isUpright)) {
        last.text += character
        last.x1 = x1
      } else {
        const own = { text: character, baseline: y, x0, x1, y0: line.y0, y1: line.y1, underline: false, strike: false }
        line.spans.push({ ...look, ...own })
      }
      // A space can have the size or position of other letters.
      if (size > line.size && character.trim() !== '') [line.size, line.baseline] = [size, y]
    },
    endLine() {
      if (line?.spans.some((span) => span.text.trim() !== '')) lines.push(line)
      line = undefined
    },
    onImageBlock: (box, transform, image) => {
      pictures.push({ ...boxOf(box), order: order++, transform, image })
    },
    onVector: (box, { isStroked }: { isStroked: boolean }, color) => {
      vectors.push({ ...boxOf(box), isStroked, color: hex(color) })
    },
  })
  const shift = (box: Box): void => {
    box.x0 -= left
    box.x1 -= left
    box.y0 -= top
    box.y1 -= top
  }
  for (const one of lines) {
    shift(one)
    one.baseline -= top
    for (const span of one.spans) {
      shift(span)
      span.baseline -= top
    }
  }
  for (const one of [...vectors, ...pictures]) shift(one)
  lines.push(...fieldLines(page, lines, { left, top }))
  lines.sort((one, other) => one.order - other.order)
  noteLinks(lines, page.getLinks(), (link) => {
    const box = boxOf(link.getBounds())
    shift(box)
    const address = link.isExternal() ? link.getURI() : `#page-${pdf.resolveLink(link) + 1}`
    return { box, address }
  })
  noteRules(lines, vectors)
  for (const font of fonts) font.destroy()
  const close = (): void => {
    text.destroy()
    page.destroy()
  }
  return {
    origin: { x: left, y: top },
    width: right - left,
    height: bottom - top,
    lines,
    pictures,
    vectors,
    unreadable,
    close,
  }
}
