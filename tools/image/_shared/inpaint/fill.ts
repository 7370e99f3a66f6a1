import type { Samples } from '../../../../src/media/image/frame.ts'
import type { Area, Tile } from '../../../../src/models/tiles.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { paste } from './paste.ts'
import { isHoleIn, type Sight, tilesFor } from './plan.ts'
import { type Answer, type View, viewOf } from './view.ts'

/** An inpainting method. */
export interface Filler {
  /** Its name in results. */
  method: string
  sight: Sight
  /** Areas of the image that must not be copied into holes. */
  barred?: readonly Area[]
  fill(view: View): Promise<Answer>
}

/** Fills the holes of tiles, in place and one after the other: a tile sees the areas filled before it. */
export async function fillTiles(
  samples: Samples,
  holes: Uint8Array,
  tiles: readonly Tile[],
  filler: Filler,
  { signal, progress }: Pick<StepContext, 'signal' | 'progress'>,
): Promise<void> {
  for (const [index, tile] of tiles.entries()) {
    signal.throwIfAborted()
    progress((index / tiles.length) * 0.9, 'filling in')
    // Hole areas can overlap: this one was filled with another.
    if (!isHoleIn(holes, samples.width, tile.part)) continue
    const view = viewOf(samples, holes, tile.seen, filler.sight.most, filler.barred)
    paste(samples, holes, tile, view, await filler.fill(view))
  }
}

/**
 * Fills the holes of a single-page image, in place, in its own depth and colours. Known pixels stay bit-identical.
 * @param holes one byte per pixel, 1 if it is missing; all are 0 afterwards
 */
export async function fillHoles(
  samples: Samples,
  holes: Uint8Array,
  filler: Filler,
  context: Pick<StepContext, 'signal' | 'progress'>,
): Promise<void> {
  await fillTiles(samples, holes, tilesFor(holes, samples, filler.sight), filler, context)
}
