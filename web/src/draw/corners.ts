/** Four corners as a text: `X,Y X,Y X,Y X,Y`, in pixels or percent of the picture. */
import { clamp, type Point, type Size } from './rectangle.ts'

const NUMBER = /^(-?[\d.]+)(%?)$/

/** The corners in pixels; undefined for other texts. */
export function cornersOf(text: unknown, picture: Size): Point[] | undefined {
  if (typeof text !== 'string') return undefined
  const pairs = text.trim().split(/[\s;]+/)
  const points = pairs.map((pair) => {
    const [x = Number.NaN, y = Number.NaN] = pair.split(',').map((part, index) => {
      const [, number, percent] = NUMBER.exec(part) ?? []
      if (number === undefined) return Number.NaN
      return percent ? (Number(number) / 100) * (index === 0 ? picture.width : picture.height) : Number(number)
    })
    return { x, y }
  })
  return points.length === 4 && points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))
    ? points
    : undefined
}

/** Corners as whole pixels. */
export const cornersText = (points: readonly Point[], picture: Size): string =>
  points
    .map(({ x, y }) => `${Math.round(clamp(x, 0, picture.width))},${Math.round(clamp(y, 0, picture.height))}`)
    .join(' ')

/** Corners at a distance from the edges of the picture, clockwise from the upper left. */
export function cornersInside({ width, height }: Size, share = 0.1): Point[] {
  const [left, right] = [width * share, width * (1 - share)]
  const [top, bottom] = [height * share, height * (1 - share)]
  return [
    ...[
      { x: left, y: top },
      { x: right, y: top },
    ],
    ...[
      { x: right, y: bottom },
      { x: left, y: bottom },
    ],
  ]
}
