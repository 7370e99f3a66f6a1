import type { QrMatrix } from '../../../../src/engines/pictures/qrcode.ts'

export const DOT_STYLES = ['square', 'rounded', 'dots', 'classy', 'classy-rounded', 'extra-rounded'] as const
export const CORNER_STYLES = ['square', 'rounded', 'dot', 'extra-rounded'] as const

export type DotStyle = (typeof DOT_STYLES)[number]
export type CornerStyle = (typeof CORNER_STYLES)[number]

export interface QrLook {
  /** Side of the image, px. */
  side: number
  /** Quiet zone, modules. */
  margin: number
  /** #rrggbb */
  dark: string
  /** #rrggbb or transparent */
  light: string
  dotStyle: DotStyle
  cornerStyle: CornerStyle
}

/** Modules per side of a finder pattern (ISO/IEC 18004, 6.3.3). */
const FINDER = 7

/**
 * A rectangle with a separate radius for each corner (top left, top right, bottom right, bottom left), as path data.
 */
function roundRect(
  x: number,
  y: number,
  width: number,
  height: number,
  radii: readonly [number, number, number, number],
): string {
  const [a, b, c, d] = radii
  const arc = (radius: number, dx: number, dy: number): string =>
    radius ? `a${radius} ${radius} 0 0 1 ${dx} ${dy}` : ''
  return (
    `M${x + a} ${y}h${width - a - b}${arc(b, b, b)}v${height - b - c}${arc(c, -c, c)}` +
    `h${-(width - c - d)}${arc(d, -d, -d)}v${-(height - d - a)}${arc(a, a, -a)}z`
  )
}

/**
 * One module. Rounded styles round a corner only if both neighbours at it are light, so that modules merge; `classy`
 * rounds two opposite corners.
 */
function drawModule(style: DotStyle, x: number, y: number, dark: (dx: number, dy: number) => boolean): string {
  const free = (dx: number, dy: number): boolean => !dark(dx, 0) && !dark(0, dy)
  const corners = (radius: number, which = [true, true, true, true]): string => {
    const open = [free(-1, -1), free(1, -1), free(1, 1), free(-1, 1)]
    const radii = open.map((isFree, index) => (isFree && which[index] ? radius : 0)) as [number, number, number, number]
    return roundRect(x, y, 1, 1, radii)
  }
  switch (style) {
    case 'dots':
      return roundRect(x + 0.05, y + 0.05, 0.9, 0.9, [0.45, 0.45, 0.45, 0.45])
    case 'rounded':
      return corners(0.3)
    case 'extra-rounded':
      return corners(0.5)
    case 'classy':
      return corners(0.5, [true, false, true, false])
    case 'classy-rounded':
      return corners(0.4, [true, false, true, false])
    default:
      return `M${x} ${y}h1v1h-1z`
  }
}

const equal = (radius: number): [number, number, number, number] => [radius, radius, radius, radius]

/** Not quite a circle: with a full one, rows near the centre lose the widths 1, 1, 3, 1, 1 by which readers find it. */
const ROUND = 3.2

/** A finder pattern: its frame as an outer and an inner shape, and the dot inside. Filled even-odd. */
function drawFinder(style: CornerStyle, x: number, y: number): string {
  const radius = { square: 0, rounded: 1.2, 'extra-rounded': 2.4, dot: ROUND }[style]
  const inner = Math.max(0, radius - 1)
  // Catalogue: a square inner dot for square frames, a round one otherwise.
  const dot = style === 'square' ? 0 : 1.5
  return (
    roundRect(x, y, FINDER, FINDER, equal(radius)) +
    roundRect(x + 1, y + 1, FINDER - 2, FINDER - 2, equal(inner)) +
    roundRect(x + 2, y + 2, 3, 3, equal(dot))
  )
}

/** The code as an SVG document of `side` pixels. */
export function drawQr(matrix: QrMatrix, look: QrLook): string {
  const { side, margin, dark, light, dotStyle, cornerStyle } = look
  const last = matrix.side - FINDER
  const inFinder = (row: number, column: number): boolean =>
    (row < FINDER && (column < FINDER || column >= last)) || (row >= last && column < FINDER)
  const isDark = (row: number, column: number): boolean =>
    row >= 0 &&
    column >= 0 &&
    row < matrix.side &&
    column < matrix.side &&
    !inFinder(row, column) &&
    matrix.dark(row, column)
  let modules = ''
  for (let row = 0; row < matrix.side; row += 1)
    for (let column = 0; column < matrix.side; column += 1)
      if (isDark(row, column)) modules += drawModule(dotStyle, column, row, (dx, dy) => isDark(row + dy, column + dx))
  const finders = drawFinder(cornerStyle, 0, 0) + drawFinder(cornerStyle, last, 0) + drawFinder(cornerStyle, 0, last)
  const span = matrix.side + 2 * margin
  const ground =
    light === 'transparent'
      ? ''
      : `<rect x="${-margin}" y="${-margin}" width="${span}" height="${span}" fill="${light}"/>`
  // Square modules must join without hairlines; curves must be smooth.
  const rendering = dotStyle === 'square' ? ' shape-rendering="crispEdges"' : ''
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="${-margin} ${-margin} ${span} ${span}">` +
    `${ground}<path d="${modules}" fill="${dark}"${rendering}/><path d="${finders}" fill="${dark}" fill-rule="evenodd"${cornerStyle === 'square' ? rendering : ''}/></svg>`
  )
}
