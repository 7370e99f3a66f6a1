import type { PDFPage, PDFWidget } from '../../../../src/engines/mupdf.ts'
import type { Box, Line } from './lines.ts'

/** Values of form fields, which are not part of the page's text; passwords are hidden, so they are skipped. */
export function fieldLines(
  page: PDFPage,
  lines: readonly Line[],
  { left, top }: { left: number; top: number },
): Line[] {
  return page.getWidgets().flatMap((widget) => {
    const [x0, y0, x1, y1] = widget.getBounds()
    const box = { x0: x0 - left, y0: y0 - top, x1: x1 - left, y1: y1 - top }
    return valuesOf(widget).map((text, index) => lineIn(box, text, index, lines))
  })
}

function valuesOf(widget: PDFWidget): string[] {
  if (widget.isCheckbox() || widget.isRadioButton()) return [widget.getValue() === 'Off' ? '\u2610' : '\u2612']
  if ((!widget.isText() || widget.isPassword()) && !widget.isChoice()) return []
  return widget
    .getValue()
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '')
}

/** The line of a field is placed on the row of adjacent words, or else at the field's position. */
function lineIn(box: Box, text: string, index: number, lines: readonly Line[]): Line {
  const middle = (box.y0 + box.y1) / 2
  const row = lines.filter(({ y0, y1 }) => y0 < middle && y1 > middle)
  const before = row.filter(({ x1 }) => x1 <= box.x0 + 2).at(-1)
  const after = row.find(({ x0 }) => x0 >= box.x1 - 2)
  const beside = index === 0 ? (before ?? after) : undefined
  const below = lines.find(({ y0 }) => y0 > box.y1)
  const order = before
    ? before.order + 0.3
    : after
      ? after.order - 0.3
      : below
        ? below.order - 0.3
        : Number.MAX_SAFE_INTEGER
  const size = beside?.size ?? Math.max(6, Math.min(11, (box.y1 - box.y0) * 0.7))
  const baseline = beside?.baseline ?? box.y0 + size * (1 + index * 1.2)
  const look = {
    font: beside?.spans[0]?.font ?? 'Arial',
    size,
    bold: false,
    italic: false,
    mono: false,
    color: '#000000',
  }
  const place = { x0: box.x0, x1: box.x1, y0: baseline - size, y1: baseline + size * 0.2, baseline }
  return {
    ...place,
    size,
    order: order + index / 1000,
    spans: [{ ...look, ...place, text, underline: false, strike: false }],
  }
}
