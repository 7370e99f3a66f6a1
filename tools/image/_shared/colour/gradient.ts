import type { Size } from '../../../../src/media/image/frame.ts'

export interface GradientStop {
  /** #rrggbb */
  color: string
  /** Position along the line, percent. */
  position: number
}

const stopsOf = (stops: readonly GradientStop[]): string =>
  [...stops]
    .sort((one, other) => one.position - other.position)
    .map(({ color, position }) => `<stop offset="${position}%" stop-color="${color}"/>`)
    .join('')

/**
 * An SVG gradient over a box, in its pixels, with the gradient line of CSS linear-gradient (CSS Images 3, section 3.1):
 * it runs through the centre, and its length gives the corners the end colours.
 * @param angle degrees: 0 up, 90 right
 */
export function linearGradient(id: string, box: Size, angle: number, stops: readonly GradientStop[]): string {
  const radians = (angle * Math.PI) / 180
  const [sine, cosine] = [Math.sin(radians), Math.cos(radians)]
  const half = (Math.abs(box.width * sine) + Math.abs(box.height * cosine)) / 2
  const [x, y] = [box.width / 2, box.height / 2]
  const line = `x1="${x - sine * half}" y1="${y + cosine * half}" x2="${x + sine * half}" y2="${y - cosine * half}"`
  return `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" ${line}>${stopsOf(stops)}</linearGradient>`
}

/** An SVG radial gradient from the centre to 70 percent of the sides (catalogue: beautify). */
export function radialGradient(id: string, stops: readonly GradientStop[]): string {
  return `<radialGradient id="${id}" cx="50%" cy="50%" r="70%">${stopsOf(stops)}</radialGradient>`
}
