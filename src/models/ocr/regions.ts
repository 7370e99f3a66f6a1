import { cornersOf, grownBox, type Point, smallestBox, type TurnedBox } from './geometry.ts'

/** Text probabilities, 0 to 255, row by row. */
export interface TextMap {
  data: Uint8Array
  width: number
  height: number
}

/** DB (differentiable binarisation) parameters; values of RapidOCR for PP-OCRv4 to v6. */
const TEXT_FROM = 0.3 * 255
const LEAST_SCORE = 0.5
const UNCLIP = 1.6
/** px of the map, before and after a box is expanded. */
const LEAST_SIDE = 3
const LEAST_GROWN_SIDE = 5
const MOST_BOXES = 1000

/** Runs of text per row: a flat list of `[row, first, last]`, and the label of each. */
interface Runs {
  places: number[]
  parents: number[]
}

function rootOf(parents: number[], label: number): number {
  let root = label
  while (parents[root] !== root) root = parents[root]!
  for (let at = label; at !== root; ) {
    const next = parents[at]!
    parents[at] = root
    at = next
  }
  return root
}

/** Runs of a map row, dilated by 2 x 2: a pixel is text if it, its left, upper or upper left neighbour is. */
function* runsOfRow({ data, width }: TextMap, row: number): Generator<[number, number]> {
  const own = row * width
  const isText = (column: number): boolean =>
    data[own + column]! > TEXT_FROM || (row > 0 && data[own - width + column]! > TEXT_FROM)
  let from = -1
  for (let column = 0; column < width; column += 1) {
    if (isText(column)) {
      if (from < 0) from = column
    } else if (from >= 0) {
      yield [from, column]
      // The previous run reaches into this column, and may touch the next one.
      from = -1
    }
  }
  if (from >= 0) yield [from, width - 1]
}

/** Joins runs that touch, also diagonally. */
function joinedRuns(map: TextMap): Runs {
  const places: number[] = []
  const parents: number[] = []
  let above: number[] = []
  for (let row = 0; row < map.height; row += 1) {
    const here: number[] = []
    let at = 0
    let before = Number.NEGATIVE_INFINITY
    for (const [from, last] of runsOfRow(map, row)) {
      const isSame = from <= before + 1
      const label = parents.length
      parents.push(label)
      places.push(row, from, last)
      if (isSame) parents[rootOf(parents, label)] = rootOf(parents, label - 1)
      before = last
      while (at < above.length && places[above[at]! * 3 + 2]! < from - 1) at += 1
      for (let next = at; next < above.length && places[above[next]! * 3 + 1]! <= last + 1; next += 1)
        parents[rootOf(parents, label)] = rootOf(parents, above[next]!)
      here.push(label)
    }
    above = here
  }
  return { places, parents }
}

/** The outermost pixels of each shape, row by row: sufficient for its convex hull. */
export function shapesOf(map: TextMap): Point[][] {
  const { places, parents } = joinedRuns(map)
  const shapes = new Map<number, Point[]>()
  for (let label = 0; label < parents.length; label += 1) {
    const root = rootOf(parents, label)
    const points = shapes.get(root) ?? []
    const y = places[label * 3]!
    points.push({ x: places[label * 3 + 1]!, y }, { x: places[label * 3 + 2]!, y })
    shapes.set(root, points)
  }
  return [...shapes.values()]
}

/** The mean of the map within a box, 0 to 1. */
export function meanWithin({ data, width, height }: TextMap, box: TurnedBox): number {
  const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)]
  const across = (box.width * Math.abs(cos) + box.height * Math.abs(sin)) / 2
  const down = (box.width * Math.abs(sin) + box.height * Math.abs(cos)) / 2
  let [sum, count] = [0, 0]
  const last = Math.min(height - 1, Math.floor(box.centre.y + down))
  const right = Math.min(width - 1, Math.floor(box.centre.x + across))
  for (let y = Math.max(0, Math.ceil(box.centre.y - down)); y <= last; y += 1)
    for (let x = Math.max(0, Math.ceil(box.centre.x - across)); x <= right; x += 1) {
      const [dx, dy] = [x - box.centre.x, y - box.centre.y]
      if (Math.abs(dx * cos + dy * sin) > box.width / 2 + 1e-9) continue
      if (Math.abs(dy * cos - dx * sin) > box.height / 2 + 1e-9) continue
      sum += data[y * width + x]!
      count += 1
    }
  return count === 0 ? 0 : sum / count / 255
}

/**
 * The text boxes in a map. The network is trained on shrunken boxes: each is expanded by area × 1.6 / perimeter, to the
 * bounds of its outline offset with round joins.
 */
export function textBoxes(map: TextMap): TurnedBox[] {
  const boxes: TurnedBox[] = []
  for (const shape of shapesOf(map)) {
    if (boxes.length === MOST_BOXES) break
    const box = smallestBox(shape)
    if (Math.min(box.width, box.height) < LEAST_SIDE || meanWithin(map, box) < LEAST_SCORE) continue
    const grown = grownBox(box, (box.width * box.height * UNCLIP) / (2 * (box.width + box.height)))
    if (Math.min(grown.width, grown.height) >= LEAST_GROWN_SIDE) boxes.push(grown)
  }
  return boxes
}

/** Maximum difference in height of two boxes of one line, and maximum distance of their centres, in heights. */
const MOST_TALLER = 1.6
const MOST_BESIDE = 0.3

/** Whether two boxes are overlapping parts of one line: in large print, words are detected separately. */
function areOfOneLine(one: TurnedBox, other: TurnedBox): boolean {
  const [lower, higher] = [Math.min(one.height, other.height), Math.max(one.height, other.height)]
  if (higher > MOST_TALLER * lower || Math.abs(one.angle - other.angle) > 0.1) return false
  if (one.width < one.height || other.width < other.height / 2) return false
  const [cos, sin] = [Math.cos(one.angle), Math.sin(one.angle)]
  const [x, y] = [other.centre.x - one.centre.x, other.centre.y - one.centre.y]
  const [along, beside] = [Math.abs(x * cos + y * sin), Math.abs(y * cos - x * sin)]
  return beside < MOST_BESIDE * lower && along < (one.width + other.width) / 2
}

/** Merges boxes that overlap within a line: text in both would be read twice. */
export function joinedBoxes(boxes: readonly TurnedBox[]): TurnedBox[] {
  const joined: TurnedBox[] = []
  for (const box of [...boxes].sort((one, other) => one.centre.x - other.centre.x)) {
    let whole = box
    for (let at = 0; at < joined.length; at += 1) {
      if (!areOfOneLine(joined[at]!, whole)) continue
      whole = smallestBox([...cornersOf(joined[at]!), ...cornersOf(whole)])
      joined.splice(at, 1)
      at = -1
    }
    joined.push(whole)
  }
  return joined
}
