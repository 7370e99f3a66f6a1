import type { Size } from '../../../../src/media/image/frame.ts'
import type { Area, Tile } from '../../../../src/models/tiles.ts'
import { type Edges, edgeRectangles } from '../layout/edges.ts'
import { partsOf, type Sight, tileAround } from './plan.ts'

/** How the area around an image is filled, in pixels of the method's input. */
export interface BandOptions {
  /** The width added at a time; absent: all at once. */
  band?: number
  /** The width along the old border, of the added area, that is filled a second time from both sides. */
  strip: number
}

/** Tiles for the area around an image, in order, and those of the strip along its border. */
export interface BandTiles {
  bands: Tile[]
  seams: Tile[]
}

/** An area expanded on all sides, clipped to the canvas. */
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

/** The area between the outer and the inner rectangle, as rectangles. */
export function ringOf(outer: Area, inner: Area): Area[] {
  const edges: Edges = {
    left: inner.left - outer.left,
    top: inner.top - outer.top,
    right: outer.left + outer.width - inner.left - inner.width,
    bottom: outer.top + outer.height - inner.top - inner.height,
  }
  return edgeRectangles(outer, edges)
}

/** Pieces of a ring with tiles that extend by half their size on each side, within bounds. */
const tilesOfRing = (outer: Area, inner: Area, side: number, bounds: Area): Tile[] =>
  ringOf(outer, inner)
    .flatMap((rectangle) => partsOf(rectangle, Math.ceil(side / 2)))
    .map((part) => tileAround(part, side, bounds))

/**
 * Tiles that fill a canvas around an image, band by band from the image outwards: a tile sees only as far as the width
 * of its band, so that most of its input is known. If this needs too many tiles, the whole is scaled down for the
 * method.
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
