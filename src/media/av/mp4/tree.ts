import { boxesIn } from '../../boxes.ts'
import { Doubt, expect, known } from '../doubt.ts'

/** The content of a box, with its inner boxes by type. */
export interface Branch {
  /** The bytes after size and type. */
  body: Buffer
  inside: ReadonlyMap<string, readonly Branch[]>
}

/** Boxes that may be inside of another one. Other boxes have an effect that only ffprobe knows. */
export interface Shape {
  /** Bytes before the first inner box. */
  skips?: number
  /** By type; `true` for a box without inner ones. */
  boxes: Readonly<Record<string, Shape | true>>
}

/** More boxes inside of one than any file with a few tracks has: a file may state millions. */
const MAX_BOXES = 100

/** Reads boxes of known types. @throws Doubt for other types, sizes that do not fit, and too many boxes */
export function readTree(body: Buffer, { skips = 0, boxes }: Shape): Branch {
  const inside = new Map<string, Branch[]>()
  const boxesInside = known(boxesIn(body, { start: skips, end: body.length }))
  expect(boxesInside.length <= MAX_BOXES)
  for (const { type, body: from, end } of boxesInside) {
    const shape = Object.hasOwn(boxes, type) ? boxes[type] : undefined
    if (!shape) throw new Doubt()
    const bytes = body.subarray(from, end)
    const branch = shape === true ? { body: bytes, inside: new Map() } : readTree(bytes, shape)
    inside.set(type, [...(inside.get(type) ?? []), branch])
  }
  return { body, inside }
}

/** The only box of a type; undefined if there is none. @throws Doubt if there are several */
export function optional({ inside }: Branch, type: string): Branch | undefined {
  const found = inside.get(type) ?? []
  expect(found.length <= 1)
  return found[0]
}

/** The only box along a path of types. @throws Doubt if there is none */
export const only = (branch: Branch, ...path: readonly string[]): Branch =>
  path.reduce((parent, type) => known(optional(parent, type)), branch)
