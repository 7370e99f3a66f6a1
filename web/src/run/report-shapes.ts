/** What of a report can be drawn: found by the shape of its values. */

type Item = Readonly<Record<string, unknown>>

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value)

export interface Channel {
  name: string
  counts: readonly number[]
}

const LEVELS = 256

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length === LEVELS && value.every((one) => typeof one === 'number')

/** Channels of a histogram; undefined for other values. */
export function histogramOf(value: unknown): Channel[] | undefined {
  if (!isItem(value)) return undefined
  const entries = Object.entries(value)
  if (entries.length === 0 || !entries.every(([, counts]) => isCounts(counts))) return undefined
  return entries.map(([name, counts]) => ({ name, counts: counts as number[] }))
}

export interface Outline {
  /** Its place in the list, from 1, as in the table. */
  number: number
  /** Corners in pixels of the picture. */
  points: readonly { x: number; y: number }[]
}

const numberIn = (item: Item, ...names: string[]): number | undefined => {
  const found = names.map((name) => item[name]).find((value) => typeof value === 'number')
  return found as number | undefined
}

/** Names of the corners of a position, clockwise. */
const CORNERS = ['topLeft', 'topRight', 'bottomRight', 'bottomLeft']

function pointsOf(value: Item): Outline['points'] | undefined {
  const corners = CORNERS.map((name) => value[name])
  if (corners.every(isItem)) {
    const points = corners.map((corner) => ({
      x: numberIn(corner, 'x') ?? Number.NaN,
      y: numberIn(corner, 'y') ?? Number.NaN,
    }))
    return points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)) ? points : undefined
  }
  const [x, y] = [numberIn(value, 'x', 'left'), numberIn(value, 'y', 'top')]
  const [width, height] = [numberIn(value, 'w', 'width'), numberIn(value, 'h', 'height')]
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined
  return [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
  ]
}

/** The outline of an item: of itself, or of a member such as `position` or `box`. */
function outlineOf(item: Item): Outline['points'] | undefined {
  return (
    pointsOf(item) ??
    ['position', 'box', 'bbox', 'bounds']
      .map((name) => item[name])
      .filter(isItem)
      .map(pointsOf)[0]
  )
}

/** Outlines of the items of a report's list: positions of barcodes, faces. Empty if there are none. */
export function outlinesIn(report: Item): Outline[] {
  for (const list of Object.values(report)) {
    if (!Array.isArray(list) || !list.every(isItem)) continue
    const found = list.flatMap((item, index) => {
      const points = outlineOf(item)
      return points ? [{ number: index + 1, points }] : []
    })
    if (found.length > 0) return found
  }
  return []
}
