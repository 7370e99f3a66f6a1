import type { Size } from '../../../../src/media/image/frame.ts'
import type { Area, Tile } from '../../../../src/models/tiles.ts'
import { union } from '../layout/bounds.ts'

/** The input size of a method. */
export interface Sight {
  /** Minimum input size, if the image is large enough, px. */
  least: number
  /** Larger input is scaled down to this longest side, px. */
  most: number
  /** Width of a tile as a multiple of the thickness of its hole. */
  context: number
  /** Maximum number of tiles per image: with more, tiles become larger and are scaled down for the method. */
  tiles: number
}

/**
 * Holes closer to each other than about this are filled together, px; the distance grows if there are too many tiles.
 */
const BLOCK = 32

/** Maximum number of pixels for measuring distances; larger masks are scaled down first. */
const MEASURED_PIXELS = 1e6

/** Marks unknown pixels. */
const FAR = 65535

/** Whether anything is missing in an area of an image of this width. */
export const isHoleIn = (
  holes: Uint8Array,
  width: number,
  { left, top, width: across, height: down }: Area,
): boolean => {
  for (let y = top; y < top + down; y += 1)
    if (holes.subarray(y * width + left, y * width + left + across).includes(1)) return true
  return false
}

/** A tile that sees a square around a part, within bounds. */
export function tileAround(part: Area, side: number, bounds: Area): Tile {
  const place = (start: number, length: number, from: number, whole: number): [number, number] => {
    const seen = Math.min(whole, Math.max(side, length))
    const wanted = Math.round(start + length / 2 - seen / 2)
    return [Math.min(from + whole - seen, Math.max(from, wanted)), seen]
  }
  const [left, width] = place(part.left, part.width, bounds.left, bounds.width)
  const [top, height] = place(part.top, part.height, bounds.top, bounds.height)
  return { part, seen: { left, top, width, height } }
}

/** Splits an area into even parts with sides no longer than this, row by row. */
export function partsOf({ left, top, width, height }: Area, longest: number): Area[] {
  const cuts = (start: number, length: number): [number, number][] => {
    const count = Math.max(1, Math.ceil(length / longest))
    const at = (index: number): number => start + Math.round((index * length) / count)
    return Array.from({ length: count }, (_, index) => [at(index), at(index + 1)])
  }
  return cuts(top, height).flatMap(([upper, lower]) =>
    cuts(left, width).map(([from, to]) => ({ left: from, top: upper, width: to - from, height: lower - upper })),
  )
}

/** Separate hole areas: the bounding boxes of adjacent blocks. */
export function areasOf(holes: Uint8Array, { width, height }: Size, block = BLOCK): Area[] {
  const [across, down] = [Math.ceil(width / block), Math.ceil(height / block)]
  const blockAt = (x: number, y: number): Area => ({
    left: x * block,
    top: y * block,
    width: Math.min(block, width - x * block),
    height: Math.min(block, height - y * block),
  })
  const open = new Uint8Array(across * down)
  for (let y = 0; y < down; y += 1)
    for (let x = 0; x < across; x += 1) open[y * across + x] = isHoleIn(holes, width, blockAt(x, y)) ? 1 : 0
  const areas: Area[] = []
  for (let start = 0; start < open.length; start += 1) {
    if (open[start] !== 1) continue
    open[start] = 0
    const blocks = [start]
    for (let next = 0; next < blocks.length; next += 1) {
      const [x, y] = [blocks[next]! % across, Math.floor(blocks[next]! / across)]
      for (let row = Math.max(0, y - 1); row <= Math.min(down - 1, y + 1); row += 1)
        for (let column = Math.max(0, x - 1); column <= Math.min(across - 1, x + 1); column += 1) {
          if (open[row * across + column] !== 1) continue
          open[row * across + column] = 0
          blocks.push(row * across + column)
        }
    }
    areas.push(tightened(holes, width, union(blocks.map((at) => blockAt(at % across, Math.floor(at / across))))))
  }
  return areas
}

/** Trims rows and columns without holes from the edges. */
function tightened(holes: Uint8Array, width: number, given: Area): Area {
  let { left, top, width: across, height: down } = given
  const isFree = (area: Area): boolean => !isHoleIn(holes, width, area)
  while (down > 1 && isFree({ left, top, width: across, height: 1 })) {
    top += 1
    down -= 1
  }
  while (down > 1 && isFree({ left, top: top + down - 1, width: across, height: 1 })) down -= 1
  while (across > 1 && isFree({ left, top, width: 1, height: down })) {
    left += 1
    across -= 1
  }
  while (across > 1 && isFree({ left: left + across - 1, top, width: 1, height: down })) across -= 1
  return { left, top, width: across, height: down }
}

/**
 * The distance of the innermost pixel of an area's holes from the known area, px, by the longer of both directions.
 * Nothing is known beyond the image.
 */
export function depthOf(holes: Uint8Array, width: number, area: Area): number {
  const step = Math.max(1, Math.ceil(Math.sqrt((area.width * area.height) / MEASURED_PIXELS)))
  const [across, down] = [Math.ceil(area.width / step), Math.ceil(area.height / step)]
  // The area's pixels with a border of their surroundings; pixels outside the image count as holes.
  const stride = across + 2
  const depths = new Uint16Array(stride * (down + 2)).fill(FAR)
  const height = holes.length / width
  for (let y = -1; y <= down; y += 1) {
    const row = area.top + y * step
    if (row < 0 || row >= height) continue
    for (let x = -1; x <= across; x += 1) {
      const column = area.left + x * step
      if (column >= 0 && column < width && holes[row * width + column] === 0) depths[(y + 1) * stride + x + 1] = 0
    }
  }
  for (let y = 1; y <= down; y += 1)
    for (let x = 1, at = y * stride + 1; x <= across; x += 1, at += 1) {
      if (depths[at] === 0) continue
      const above = Math.min(depths[at - stride - 1]!, depths[at - stride]!, depths[at - stride + 1]!)
      depths[at] = Math.min(FAR - 1, depths[at - 1]!, above) + 1
    }
  let most = 0
  for (let y = down; y >= 1; y -= 1)
    for (let x = across, at = y * stride + across; x >= 1; x -= 1, at -= 1) {
      if (depths[at] === 0) continue
      const below = Math.min(depths[at + stride - 1]!, depths[at + stride]!, depths[at + stride + 1]!)
      const depth = Math.min(depths[at]!, Math.min(FAR - 1, depths[at + 1]!, below) + 1)
      depths[at] = depth
      if (depth > most) most = depth
    }
  return Math.min(most, Math.max(across, down)) * step
}

/**
 * Tiles for the holes of an area: one if all of them fit in the centre of the visible area, otherwise those of its
 * halves. Long, thin holes such as scratches are thus filled piece by piece.
 */
function tilesIn(holes: Uint8Array, size: Size, given: Area, least: number, context: number): Tile[] {
  if (!isHoleIn(holes, size.width, given)) return []
  const area = tightened(holes, size.width, given)
  const side = Math.max(least, Math.round(context * 2 * depthOf(holes, size.width, area)))
  const longest = Math.max(area.width, area.height)
  if (2 * longest <= side) return [tileAround(area, side, { left: 0, top: 0, ...size })]
  return partsOf(area, Math.ceil(longest / 2)).flatMap((part) => tilesIn(holes, size, part, least, context))
}

/**
 * Tiles that cover all holes of an image. Each shows at least as much around a hole as the hole is thick, in full size
 * if that fits.
 */
export function tilesFor(holes: Uint8Array, size: Size, sight: Sight): Tile[] {
  for (let growth = 1; ; growth *= 1.25) {
    const least = Math.round(sight.least * growth)
    const areas = areasOf(holes, size, Math.round(BLOCK * growth))
    const tiles = areas.flatMap((area) => tilesIn(holes, size, area, least, sight.context))
    if (tiles.length <= sight.tiles || least >= 2 * Math.max(size.width, size.height)) return tiles
  }
}
