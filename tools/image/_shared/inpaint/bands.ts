import type { Size } from '../../../../src/media/image/frame.ts'
import type { Area, Tile } from '../../../../src/models/tiles.ts'
import { type Edges, edgeRectangles } from '../layout/edges.ts'
import { partsOf, type Sight, tileAround } from './plan.ts'

/** How room around a picture is filled, in pixels of what a method sees. */
export interface BandOptions {
  /** Width added at a time; absent: all at once. */
  band?: number
  /** Width of the added area along the old border that is filled again, from both sides. */
  strip: number
}

/** Tiles of room around a picture, in their order, and those of the strip along its border. */
export interface BandTiles {
  bands: Tile[]
  seams: Tile[]
}

/** An area that grows on all sides, as far as the canvas reaches. */
function grown({ left, top, width, height }: Area, by: number, canvas: Size): Area {
  const x = Math.max(0, left - by)
  const y = Math.max(0, top - by)
  return {
    left: x,
    top: y,
    width: Math.min(canvas.width, left + width + by) - x,
    height: Math.min(canvas.height, top + height + by) - y,
  }
}

/** The outer area without the inner one, as rectangles. */
export function ringOf(outer: Area, inner: Area): Area[] {
  const edges: Edges = {
    left: inner.left - outer.left,
    top: inner.top - outer.top,
    right: outer.left + outer.width - inner.left - inner.width,
    bottom: outer.top + outer.height - inner.top - inner.height,
  }
  return edgeRectangles(outer, edges)
}

/** Pieces of a ring with tiles that see half as much again on each side, within bounds. */
const tilesOfRing = (outer: Area, inner: Area, side: number, bounds: Area): Tile[] =>
  ringOf(outer, inner)
    .flatMap((rectangle) => partsOf(rectangle, Math.ceil(side / 2)))
    .map((part) => tileAround(part, side, bounds))

/**
 * Tiles that fill a canvas around a picture, band after band from the picture outwards: a tile sees no further than its own
 * band, so that most of what it sees is known. Where that took too many, all of it is made smaller for the method.
 */
export function bandTiles(canvas: Size, picture: Area, { band, strip }: BandOptions, sight: Sight): BandTiles {
  const whole = { left: 0, top: 0, ...canvas }
  if (band === undefined) return { bands: [{ part: whole, seen: whole }], seams: [] }
  for (let growth = 1; ; growth *= 1.25) {
    const side = Math.round(sight.least * growth)
    const step = Math.max(1, Math.round(band * growth))
    const bands: Tile[] = []
    for (let known = picture; known.width < canvas.width || known.height < canvas.height; ) {
      const next = grown(known, step, canvas)
      bands.push(...tilesOfRing(next, known, side, next))
      known = next
    }
    const edge = grown(picture, Math.round(strip * growth), canvas)
    const seams = tilesOfRing(edge, picture, side, whole)
    if (bands.length + seams.length <= sight.tiles || side >= 2 * Math.max(canvas.width, canvas.height))
      return { bands, seams }
  }
}
