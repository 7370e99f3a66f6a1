/** Geometry of a rectangle on a picture, in its pixels. */

export interface Size {
  width: number
  height: number
}

export interface Rectangle extends Size {
  left: number
  top: number
}

/** Edges that a handle moves: -1 is left or top, 1 is right or bottom, 0 is none. */
export interface Handle {
  x: -1 | 0 | 1
  y: -1 | 0 | 1
}

export const HANDLES: readonly Handle[] = [
  ...([-1, 0, 1] as const).flatMap((y) => ([-1, 0, 1] as const).map((x) => ({ x, y }))),
].filter(({ x, y }) => x !== 0 || y !== 0)

export interface Limits {
  /** Size of the picture. */
  picture: Size
  /** Smallest side. */
  least: Size
  /** Width / height to be kept. */
  ratio?: number | undefined
}

export const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value))

/** The rectangle moved inside the picture. */
export function moved(rectangle: Rectangle, x: number, y: number, { picture }: Limits): Rectangle {
  const { left, top, width, height } = rectangle
  return {
    ...{ left: clamp(left + x, 0, Math.max(0, picture.width - width)), width },
    ...{ top: clamp(top + y, 0, Math.max(0, picture.height - height)), height },
  }
}

/** The start and length of a side whose start or end was moved. */
function movedSide(start: number, length: number, which: -1 | 0 | 1, by: number, least: number, whole: number) {
  const end = start + length
  if (which === -1) {
    const next = clamp(start + by, 0, Math.max(0, end - least))
    return { start: next, length: end - next }
  }
  return { start, length: which === 1 ? clamp(end + by, Math.min(start + least, whole), whole) - start : length }
}

/** The largest rectangle of a ratio that fits the limits, with the edges fixed that the handle does not move. */
function withRatio(rectangle: Rectangle, { x, y }: Handle, limits: Limits, ratio: number): Rectangle {
  const { picture, least } = limits
  const { left, top, width, height } = rectangle
  const [right, bottom] = [left + width, top + height]
  const [middleX, middleY] = [left + width / 2, top + height / 2]
  const roomX = x === -1 ? right : x === 1 ? picture.width - left : 2 * Math.min(middleX, picture.width - middleX)
  const roomY = y === -1 ? bottom : y === 1 ? picture.height - top : 2 * Math.min(middleY, picture.height - middleY)
  const wanted = x === 0 ? height * ratio : y === 0 ? width : Math.max(width, height * ratio)
  const smallest = Math.max(least.width, least.height * ratio)
  const wide = Math.min(Math.max(wanted, smallest), roomX, roomY * ratio)
  const high = wide / ratio
  return {
    left: x === -1 ? right - wide : x === 1 ? left : middleX - wide / 2,
    top: y === -1 ? bottom - high : y === 1 ? top : middleY - high / 2,
    ...{ width: wide, height: high },
  }
}

/** The rectangle after a handle was moved. */
export function resized(rectangle: Rectangle, handle: Handle, x: number, y: number, limits: Limits): Rectangle {
  const { picture, least, ratio } = limits
  const across = movedSide(rectangle.left, rectangle.width, handle.x, x, least.width, picture.width)
  const down = movedSide(rectangle.top, rectangle.height, handle.y, y, least.height, picture.height)
  const free = { left: across.start, top: down.start, width: across.length, height: down.length }
  return ratio === undefined ? free : withRatio(free, handle, limits, ratio)
}

/** A rectangle that spans two points, inside the picture. */
export function spanned(from: Point, to: Point, limits: Limits): Rectangle {
  const { width, height } = limits.picture
  const left = clamp(from.x, 0, width)
  const top = clamp(from.y, 0, height)
  const handle: Handle = { x: to.x < left ? -1 : 1, y: to.y < top ? -1 : 1 }
  return resized({ left, top, width: 0, height: 0 }, handle, to.x - left, to.y - top, limits)
}

export interface Point {
  x: number
  y: number
}

/** The largest centred rectangle of a share of the picture, of a ratio if one is given. */
export function centred({ picture, ratio }: Limits, share = 0.8): Rectangle {
  const whole = { width: picture.width * share, height: picture.height * share }
  const width = ratio === undefined ? whole.width : Math.min(whole.width, whole.height * ratio)
  const height = ratio === undefined ? whole.height : width / ratio
  return { left: (picture.width - width) / 2, top: (picture.height - height) / 2, width, height }
}

/** Whole pixels inside the picture. */
export function whole({ left, top, width, height }: Rectangle, picture: Size): Rectangle {
  const [x, y] = [Math.round(left), Math.round(top)]
  return {
    ...{ left: x, width: clamp(Math.round(left + width) - x, 1, Math.max(1, picture.width - x)) },
    ...{ top: y, height: clamp(Math.round(top + height) - y, 1, Math.max(1, picture.height - y)) },
  }
}
