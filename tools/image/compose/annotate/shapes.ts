import type { Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'
import { parseHex } from '../../_shared/colour/colours.ts'
import { EQUAL_CONTRAST, LUMINANCE, linearOf } from '../../_shared/colour/srgb.ts'
import type { Mark, Point } from './marks.ts'

/** How marks are drawn that do not say otherwise. */
export interface Style {
  /** #rrggbb */
  color: string
  /** Width of lines, px. */
  width: number
  /** Font size, px. */
  size: number
  /** A light or dark rim around lines and letters, so that they show on every ground. */
  outline: boolean
}

/** Yellow of a highlighter pen, if no colour is given. */
export const HIGHLIGHT = '#ffe600'
const HIGHLIGHT_OPACITY = 0.4
/** Opacity of the black around spotlights. */
const DARK = 0.6

/** Black or white, whichever contrasts more with a colour. */
export function contrasting(color: string): '#000000' | '#ffffff' {
  const [red, green, blue] = parseHex(color).map((value) => linearOf(value / 255)) as [number, number, number]
  return LUMINANCE[0] * red + LUMINANCE[1] * green + LUMINANCE[2] * blue > EQUAL_CONTRAST ? '#000000' : '#ffffff'
}

/** The width of the rim around lines of a width, px. */
export const rimOf = (width: number): number => Math.max(1, width * 0.3)

const number = (value: number): string => String(Math.round(value * 100) / 100)

/** The outline of an arrow: a shaft that widens towards the head, and the head. */
function arrowPath(from: Point, to: Point, width: number): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const [across, down] = [(to.x - from.x) / length, (to.y - from.y) / length]
  const head = Math.min(length, width * 4.5)
  // Along the arrow and to its side, px.
  const outline: [number, number][] = [
    [0, width * 0.35],
    [length - head * 0.85, width * 0.65],
    [length - head, head * 0.5],
    [length, 0],
    [length - head, -head * 0.5],
    [length - head * 0.85, -width * 0.65],
    [0, -width * 0.35],
  ]
  const points = outline.map(
    ([along, aside]) =>
      `${number(from.x + across * along - down * aside)} ${number(from.y + down * along + across * aside)}`,
  )
  return `M${points.join('L')}Z`
}

const rectangle = ({ left, top, width, height }: Area, radius: number): string =>
  `<rect x="${number(left)}" y="${number(top)}" width="${number(width)}" height="${number(height)}" rx="${number(Math.min(radius, width / 2, height / 2))}"`

/** A shape whose rim and body differ in stroke only. */
function stroked(shape: string, color: string, width: number, outline: boolean): string {
  const stroke = (colour: string, wide: number): string =>
    `${shape} fill="none" stroke="${colour}" stroke-width="${number(wide)}" stroke-linejoin="round" stroke-linecap="round"/>`
  return (outline ? stroke(contrasting(color), width + 2 * rimOf(width)) : '') + stroke(color, width)
}

function drawn(mark: Mark, style: Style): string {
  const { color = style.color, width = style.width } = mark
  if (mark.kind === 'arrow') {
    const path = `<path d="${arrowPath(mark.from, mark.to, width)}" stroke-linejoin="round"`
    const rim = style.outline
      ? `${path} fill="none" stroke="${contrasting(color)}" stroke-width="${number(2 * rimOf(width))}"/>`
      : ''
    return `${rim}${path} fill="${color}"/>`
  }
  if (mark.kind === 'line') {
    const { from, to } = mark
    const line = `<line x1="${number(from.x)}" y1="${number(from.y)}" x2="${number(to.x)}" y2="${number(to.y)}"`
    return stroked(line, color, width, style.outline)
  }
  if (mark.kind === 'box') return stroked(rectangle(mark.area, width), color, width, style.outline)
  if (mark.kind === 'ellipse') {
    const { left, top, width: wide, height } = mark.area
    const ellipse = `<ellipse cx="${number(left + wide / 2)}" cy="${number(top + height / 2)}" rx="${number(wide / 2)}" ry="${number(height / 2)}"`
    return stroked(ellipse, color, width, style.outline)
  }
  if (mark.kind === 'highlight')
    return `${rectangle(mark.area, 0)} fill="${mark.color ?? HIGHLIGHT}" fill-opacity="${HIGHLIGHT_OPACITY}"/>`
  if (mark.kind === 'cover')
    return `${rectangle(mark.area, 0)} shape-rendering="crispEdges" fill="${mark.color ?? '#000000'}"/>`
  return ''
}

/** Everything outside the spotlights, darkened. */
function aroundSpotlights(spotlights: readonly Area[], { width: radius }: Style): string {
  if (spotlights.length === 0) return ''
  const holes = spotlights.map((area) => `${rectangle(area, 2 * radius)} fill="#000000"/>`).join('')
  return (
    `<mask id="spotlights"><rect width="100%" height="100%" fill="#ffffff"/>${holes}</mask>` +
    `<rect width="100%" height="100%" fill="#000000" fill-opacity="${DARK}" mask="url(#spotlights)"/>`
  )
}

/** The SVG of all marks but texts, numbers and those that change the picture's own pixels. */
export function drawShapes(marks: readonly Mark[], style: Style, { width, height }: Size): string | undefined {
  const spotlights = marks.flatMap((mark) => (mark.kind === 'spotlight' ? [mark.area] : []))
  const shapes = aroundSpotlights(spotlights, style) + marks.map((mark) => drawn(mark, style)).join('')
  if (shapes === '') return undefined
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`
}
