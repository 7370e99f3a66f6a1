import type { FoundCode, Point } from '../../../../src/engines/pictures/zxing.ts'

/** A code as a box along its scan line: its centre, that line's direction, half its length and half its height. */
interface Box {
  middle: Point
  along: Point
  half: { length: number; height: number }
}

const between = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 })
const distance = (one: Point, other: Point): number => Math.hypot(other.x - one.x, other.y - one.y)

function boxOf({ corners: [topLeft, topRight, bottomRight, bottomLeft] }: FoundCode): Box {
  const [left, right] = [between(topLeft, bottomLeft), between(topRight, bottomRight)]
  const length = distance(left, right)
  const along = length === 0 ? { x: 1, y: 0 } : { x: (right.x - left.x) / length, y: (right.y - left.y) / length }
  const height = distance(between(topLeft, topRight), between(bottomLeft, bottomRight))
  return { middle: between(left, right), along, half: { length: length / 2, height: height / 2 } }
}

/** Minimum margin around a code in which another one can only be part of it; px. */
const MARGIN = 10
/** Bars that were read on a much smaller share of their height than adjacent ones were misread. */
const STRAY = 1 / 3

const MATRICES = new Set(['QRCode', 'MicroQRCode', 'RMQRCode', 'DataMatrix', 'Aztec', 'MaxiCode'])

/** Whether two readings are of the same bars or modules, completely or in part. */
function isSameCode(one: FoundCode, other: FoundCode): boolean {
  const [box, second] = [boxOf(one), boxOf(other)]
  const [x, y] = [second.middle.x - box.middle.x, second.middle.y - box.middle.y]
  const off = {
    length: Math.abs(x * box.along.x + y * box.along.y),
    height: Math.abs(y * box.along.x - x * box.along.y),
  }
  const isInside = (['length', 'height'] as const).every(
    (side) => off[side] <= box.half[side] + Math.max(MARGIN, box.half[side] / 5),
  )
  if (isInside || one.format !== other.format || MATRICES.has(one.format)) return isInside
  // Bars are read on some of their lines: the same ones can be found above or below.
  const gap = off.height - box.half.height - second.half.height
  if (off.length > Math.max(box.half.length, second.half.length)) return false
  if (one.text === other.text || one.text.includes(other.text) || other.text.includes(one.text))
    return gap <= box.half.length
  const heights = [box.half.height, second.half.height]
  return gap <= box.half.length / 5 && Math.min(...heights) < Math.max(...heights) * STRAY
}

/**
 * Chooses between two readings of the same code: a part of a text is wrong, and so is a text read on few lines against
 * many.
 */
function better(known: FoundCode, code: FoundCode): FoundCode {
  if (known.format !== code.format || known.text === code.text || MATRICES.has(code.format)) return known
  if (code.text.includes(known.text)) return code
  if (known.text.includes(code.text)) return known
  return boxOf(code).half.height * STRAY > boxOf(known).half.height ? code : known
}

/** Adds a code to the results, or replaces a worse reading of the same one. */
export function addCode(found: FoundCode[], code: FoundCode): void {
  const at = found.findIndex((known) => isSameCode(known, code))
  if (at < 0) found.push(code)
  else found[at] = better(found[at]!, code)
}
