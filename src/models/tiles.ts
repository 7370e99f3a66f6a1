import { floatData, floats } from '../engines/onnx/tensor.ts'
import { firstOf } from '../lists.ts'
import type { Samples } from '../media/image/frame.ts'
import { putPlanes, toPlanes } from './tensors.ts'
import type { LoadedModel } from './use-model.ts'

/** A rectangle of an image, px. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

export interface Tile {
  /** The model input: the part with its overlap, clipped to the image. */
  seen: Area
  /** The part of the output that is used. The parts of all tiles cover the image exactly once. */
  part: Area
}

/**
 * Splits an image into tiles: every part has `overlap` pixels around it. If the overlap is at least the model's
 * receptive field, the result equals a run over the whole image.
 * @param side the maximum side of the model input, px; more than twice the overlap
 */
export function tilesOf(width: number, height: number, side: number, overlap: number): Tile[] {
  const across = cuts(width, side, overlap)
  const down = cuts(height, side, overlap)
  return down.flatMap(([top, bottom]) =>
    across.map(([left, right]) => {
      const part = { left, top, width: right - left, height: bottom - top }
      const seenLeft = Math.max(0, left - overlap)
      const seenTop = Math.max(0, top - overlap)
      const seen = {
        left: seenLeft,
        top: seenTop,
        width: Math.min(width, right + overlap) - seenLeft,
        height: Math.min(height, bottom + overlap) - seenTop,
      }
      return { seen, part }
    }),
  )
}

/** Divides a length into equal parts that fit into a side with overlaps. */
function cuts(length: number, side: number, overlap: number): [number, number][] {
  if (length <= side) return [[0, length]]
  const count = Math.ceil(length / (side - 2 * overlap))
  return Array.from({ length: count }, (_, index) => [
    Math.round((index * length) / count),
    Math.round(((index + 1) * length) / count),
  ])
}

/** How a fully convolutional network on RGB from 0 to 1 processes images of any size. */
export interface TileNetwork {
  /** The scale factor of the output. */
  factor: number
  /** Maximum side of the input, px; more than twice the overlap. */
  side: number
  /**
   * Pixels of context that the output depends on: with this overlap, a tile gives the same result as the whole image.
   */
  overlap: number
  /** Sides must be a multiple of it; padded by reflection. */
  align: number
  /** All inputs have exactly this side, px; padded by reflection. */
  exactSide?: number
}

/**
 * Runs a one-page image through such a network, tile by tile, at its own depth and colours. Alpha is kept if the size
 * is unchanged, and is 0 if the network enlarges. The input is reflected beyond the image edge: the convolutions pad
 * with zeros, which are black, so that the border would come out darker.
 * @param onPart called before each tile with the progress, 0 to 1
 */
export async function inTiles(
  samples: Samples,
  model: Pick<LoadedModel, 'inputs' | 'outputs' | 'run'>,
  { factor, side, overlap, align, exactSide }: TileNetwork,
  onPart: (done: number) => void,
): Promise<Samples> {
  const { data, width, height, channels } = samples
  const white = data instanceof Uint16Array ? 65535 : 255
  const size = { width: width * factor, height: height * factor }
  const Kind = data instanceof Uint16Array ? Uint16Array : Uint8Array
  const result: Samples = {
    ...samples,
    ...size,
    data: factor === 1 ? Kind.from(data) : new Kind(size.width * size.height * channels),
  }
  const tiles = paddedTilesOf(width, height, side, overlap)
  const [input, output] = [firstOf(model.inputs).name, firstOf(model.outputs).name]
  for (const [index, { seen, part }] of tiles.entries()) {
    onPart(index / tiles.length)
    const place = { ...samples, left: seen.left, top: seen.top, across: seen.width, down: seen.height }
    const planes = toPlanes(place, { order: 'rgb', mean: [0, 0, 0], deviation: [white, white, white] })
    const across = exactSide ?? Math.ceil((part.width + 2 * overlap) / align) * align
    const down = exactSide ?? Math.ceil((part.height + 2 * overlap) / align) * align
    const view = { left: part.left - overlap - seen.left, top: part.top - overlap - seen.top, across, down }
    const answer = await model.run({ [input]: floats(reflected(planes, seen, view), [1, 3, down, across]) })
    const cut = {
      ...{ width: across * factor, height: down * factor },
      ...{ left: overlap * factor, top: overlap * factor },
      ...{ across: part.width * factor, down: part.height * factor },
    }
    const into = { ...result, left: part.left * factor, top: part.top * factor }
    putPlanes(floatData(answer[output]), cut, into, white)
  }
  return result
}

/** Like `tilesOf`, for tiles with overlap on every side, also beyond the image. */
function paddedTilesOf(width: number, height: number, side: number, overlap: number): Tile[] {
  const within = side - 2 * overlap
  return tilesOf(width, height, within, 0).map(({ part }) => {
    const left = Math.max(0, part.left - overlap)
    const top = Math.max(0, part.top - overlap)
    const right = Math.min(width, part.left + part.width + overlap)
    const bottom = Math.min(height, part.top + part.height + overlap)
    return { part, seen: { left, top, width: right - left, height: bottom - top } }
  })
}

/** A view of three planes; reflected at the edges. */
function reflected(
  planes: Float32Array,
  { width, height }: Area,
  { left, top, across, down }: { left: number; top: number; across: number; down: number },
): Float32Array {
  if (left === 0 && top === 0 && across === width && down === height) return planes
  const mirrored = (at: number, length: number): number => {
    const period = Math.max(1, 2 * length - 2)
    const place = ((at % period) + period) % period
    return place < length ? place : period - place
  }
  const columns = Uint32Array.from({ length: across }, (_, x) => mirrored(left + x, width))
  const result = new Float32Array(3 * across * down)
  for (let plane = 0; plane < 3; plane += 1)
    for (let y = 0; y < down; y += 1) {
      const from = (plane * height + mirrored(top + y, height)) * width
      const to = (plane * down + y) * across
      for (let x = 0; x < across; x += 1) result[to + x] = planes[from + columns[x]!]!
    }
  return result
}
