import type { Size } from '../../../../src/media/image/frame.ts'
import { linearGradient } from '../../_shared/colour/gradient.ts'
import type { Rectangle } from '../../_shared/layout/edges.ts'

export interface BorderStyle {
  width: number
  /** #rrggbb */
  color: string
  color2: string
  style: 'solid' | 'gradient' | 'pattern'
  gradientAngle: number
  pattern: 'stripes' | 'dots' | 'checker'
}

/** librsvg refuses drawings beyond 32767 px. */
const MAX_SIDE = 16_384

/** One repeating unit of a pattern, `cell` px wide and high, on a background of the first colour. */
function tile(cell: number, { color, color2, pattern }: BorderStyle): string {
  const half = cell / 2
  const shapes = {
    // A stripe at 45 degrees, half the cell wide, whose ends join those of the next cells.
    stripes: `<path fill="${color2}" d="M0 ${half}L${half} 0H${cell}L0 ${cell}ZM${cell} ${half}V${cell}H${half}Z"/>`,
    dots: `<circle fill="${color2}" cx="${half}" cy="${half}" r="${cell * 0.3}"/>`,
    checker: `<path fill="${color2}" d="M0 0H${half}V${half}H0ZM${half} ${half}H${cell}V${cell}H${half}Z"/>`,
  }
  return `<pattern id="fill" patternUnits="userSpaceOnUse" width="${cell}" height="${cell}"><rect width="${cell}" height="${cell}" fill="${color}"/>${shapes[pattern]}</pattern>`
}

/** A rectangle split into pieces small enough to draw. */
function pieces({ left, top, width, height }: Rectangle): Rectangle[] {
  const parts: Rectangle[] = []
  for (let x = 0; x < width; x += MAX_SIDE)
    for (let y = 0; y < height; y += MAX_SIDE)
      parts.push({
        left: left + x,
        top: top + y,
        width: Math.min(MAX_SIDE, width - x),
        height: Math.min(MAX_SIDE, height - y),
      })
  return parts
}

/** Drawings of a border with a gradient or a pattern across the whole canvas. Cell size: catalogue. */
export function borderDrawing(
  canvas: Size,
  parts: readonly Rectangle[],
  style: BorderStyle,
): { left: number; top: number; svg: string }[] {
  const { color, color2, gradientAngle } = style
  const stops = [
    { color, position: 0 },
    { color: color2, position: 100 },
  ]
  const fill =
    style.style === 'gradient'
      ? linearGradient('fill', canvas, gradientAngle, stops)
      : tile(Math.max(4, style.width), style)
  return parts.flatMap(pieces).map(({ left, top, width, height }) => ({
    left,
    top,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}"><defs>${fill}</defs><rect x="${left}" y="${top}" width="${width}" height="${height}" fill="url(#fill)"/></svg>`,
  }))
}
