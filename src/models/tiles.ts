import { floatData, floats } from '../engines/onnx/tensor.ts'
import type { Samples } from '../media/image/frame.ts'
import { putPlanes, toPlanes } from './tensors.ts'
import type { LoadedModel } from './use-model.ts'

/** A rectangle of a picture, px. */
export interface Area {
  left: number
  top: number
  width: number
  height: number
}

export interface Tile {
  /** What the model sees: the part with its surroundings, as far as there is picture. */
  seen: Area
  /** What is taken of its answer. The parts of all tiles cover the picture once. */
  part: Area
}

/**
 * A picture cut for a model: every part is seen with `overlap` pixels around it. Where the overlap is no less than the
 * model's receptive field, what comes out is equal to a run over the whole picture.
 * @param side the longest side of what the model sees, px; more than twice the overlap
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

/** Even parts of a length, none longer than the side leaves beside its overlaps. */
function cuts(length: number, side: number, overlap: number): [number, number][] {
  if (length <= side) return [[0, length]]
  const count = Math.ceil(length / (side - 2 * overlap))
  return Array.from({ length: count }, (_, index) => [
    Math.round((index * length) / count),
    Math.round(((index + 1) * length) / count),
  ])
}

/** How a network of RGB from 0 to 1 takes pictures of any size. */
export interface TileNetwork {
  /** What comes out is so many times as wide and as high as what goes in. */
  factor: number
  /** The longest side of what it sees at once, px; more than twice the overlap. */
  side: number
  /** Pixels around a part that its answer depends on: a part with so much around it comes out as in the whole picture. */
  overlap: number
  /** Sides must be a multiple of it; what is missing is the picture reflected at its edge. */
  align: number
}

/**
 * A picture of one page through such a network, part by part, in its own depth and colours. Alpha stays where the size stays,
 * and is 0 where the network enlarges. Outside of the picture the network sees the picture reflected at its edge: the
 * convolutions pad with zeros, and a zero is black, so that the border would come out darker.
 * @param onPart before each part, with the share that is done
 */
export async function inTiles(
  samples: Samples,
  model: Pick<LoadedModel, 'inputs' | 'outputs' | 'run'>,
  { factor, side, overlap, align }: TileNetwork,
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
  const [input, output] = [model.inputs[0]!.name, model.outputs[0]!.name]
  for (const [index, { seen, part }] of tiles.entries()) {
    onPart(index / tiles.length)
    const place = { ...samples, left: seen.left, top: seen.top, across: seen.width, down: seen.height }
    const planes = toPlanes(place, { order: 'rgb', mean: [0, 0, 0], deviation: [white, white, white] })
    const across = Math.ceil((part.width + 2 * overlap) / align) * align
    const down = Math.ceil((part.height + 2 * overlap) / align) * align
    const view = { left: part.left - overlap - seen.left, top: part.top - overlap - seen.top, across, down }
    const answer = await model.run({ [input]: floats(reflected(planes, seen, view), [1, 3, down, across]) })
    const cut = {
      ...{ width: across * factor, height: down * factor },
      ...{ left: overlap * factor, top: overlap * factor },
      ...{ across: part.width * factor, down: part.height * factor },
    }
    const into = { ...result, left: part.left * factor, top: part.top * factor }
    putPlanes(floatData(answer[output]!), cut, into, white)
  }
  return result
}

/** As `tilesOf`, for tiles that have the overlap on every side, also outside of the picture. */
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

/** A view of three planes; outside of them they are reflected at their edges. */
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
