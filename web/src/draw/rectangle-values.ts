/** The rectangle in the values of a form, in pixels of the picture. */
import type { Values } from '../forms/values.ts'
import type { RectangleDrawing } from './drawings.ts'
import { type Rectangle, type Size, whole } from './rectangle.ts'

const SIDES = ['left', 'top', 'width', 'height'] as const

const isPercent = ({ unit }: RectangleDrawing, values: Values): boolean =>
  unit !== undefined && (values[unit.name] ?? unit.default) === 'percent'

const wholeOf = (side: (typeof SIDES)[number], { width, height }: Size): number =>
  side === 'left' || side === 'width' ? width : height

/** The rectangle of the form; undefined while a side has no value. */
export function rectangleIn(drawing: RectangleDrawing, values: Values, picture: Size): Rectangle | undefined {
  const { inside, rows } = drawing
  const place = inside ? ((values[inside.name] ?? {}) as Values) : values
  const found: Partial<Rectangle> = {}
  for (const side of SIDES) {
    const value = place[rows[side].name] ?? rows[side].default
    if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
    found[side] = isPercent(drawing, values) ? (value / 100) * wholeOf(side, picture) : value
  }
  return found as Rectangle
}

/** Hundredths of a percent: exact to the pixel of pictures of up to 10,000 pixels. */
const inPercent = (pixels: number, of: number): number => Math.round((pixels / of) * 10_000) / 100

/** Values with the rectangle, in whole pixels or in percent; undefined removes it. */
export function withRectangle(
  drawing: RectangleDrawing,
  values: Values,
  picture: Size,
  rectangle: Rectangle | undefined,
): Values {
  const { inside, rows } = drawing
  const fitted = rectangle && whole(rectangle, picture)
  const sides = SIDES.map((side) => {
    const value =
      fitted && (isPercent(drawing, values) ? inPercent(fitted[side], wholeOf(side, picture)) : fitted[side])
    return [rows[side].name, value] as const
  })
  if (!inside) return { ...values, ...Object.fromEntries(sides) }
  if (!fitted) return { ...values, [inside.name]: undefined }
  return { ...values, [inside.name]: { ...(values[inside.name] as Values | undefined), ...Object.fromEntries(sides) } }
}
