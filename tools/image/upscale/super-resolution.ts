import { floatData, floats } from '../../../src/engines/onnx/tensor.ts'
import type { Samples } from '../../../src/media/image/frame.ts'
import { putPlanes, type Scaling, toPlanes } from '../../../src/models/planes.ts'
import { type Area, tilesOf } from '../../../src/models/tiles.ts'
import type { LoadedModel } from '../../../src/models/use-model.ts'
import type { StepContext } from '../../../src/tool/image-tool.ts'

/** How a network is fed: its own factor, and the pixels around a part that its answer depends on. */
export interface Network {
  factor: 2 | 3 | 4
  /** As far as its convolutions see: a part with so much around it comes out as in the whole picture. */
  overlap: number
  /** Sides must be a multiple of it. */
  align: 1 | 2
}

/** Longest side of what a network sees at once, px: half a gigabyte of memory for the residual dense network (measured). */
const TILE = 256

/** Rows and columns that an aligned network needs besides are the last ones again. */
function aligned(
  samples: Samples,
  { left, top, width, height }: Area,
  align: number,
): { planes: Float32Array; area: Area } {
  const scaling = scalingOf(samples)
  const planes = toPlanes({ ...samples, left, top, across: width, down: height }, scaling)
  const across = Math.ceil(width / align) * align
  const down = Math.ceil(height / align) * align
  if (across === width && down === height) return { planes, area: { left, top, width, height } }
  const padded = new Float32Array(3 * across * down)
  for (let plane = 0; plane < 3; plane += 1)
    for (let row = 0; row < down; row += 1)
      for (let column = 0; column < across; column += 1)
        padded[(plane * down + row) * across + column] =
          planes[(plane * height + Math.min(row, height - 1)) * width + Math.min(column, width - 1)]!
  return { planes: padded, area: { left, top, width: across, height: down } }
}

const whiteOf = ({ data }: Samples): number => (data instanceof Uint16Array ? 65535 : 255)

/** All of these networks take RGB from 0 to 1. */
function scalingOf(samples: Samples): Scaling {
  const white = whiteOf(samples)
  return { order: 'rgb', mean: [0, 0, 0], deviation: [white, white, white] }
}

/**
 * A picture of one page enlarged by a network's own factor, part by part, in its own depth and colours. Alpha of the result
 * is left at 0: it is enlarged apart.
 */
export async function superResolve(
  samples: Samples,
  model: LoadedModel,
  { factor, overlap, align }: Network,
  context: StepContext,
): Promise<Samples> {
  const { width, height, channels } = samples
  const size = { width: width * factor, height: height * factor }
  const Kind = samples.data instanceof Uint16Array ? Uint16Array : Uint8Array
  const result: Samples = { ...samples, ...size, data: new Kind(size.width * size.height * channels) }
  const tiles = tilesOf(width, height, TILE, overlap)
  const [input, output] = [model.inputs[0]!.name, model.outputs[0]!.name]
  for (const [index, { seen, part }] of tiles.entries()) {
    context.progress((index / tiles.length) * 0.9, 'enlarging')
    const { planes, area } = aligned(samples, seen, align)
    const answer = await model.run({ [input]: floats(planes, [1, 3, area.height, area.width]) })
    putPlanes(
      floatData(answer[output]!),
      {
        width: area.width * factor,
        height: area.height * factor,
        left: (part.left - seen.left) * factor,
        top: (part.top - seen.top) * factor,
        across: part.width * factor,
        down: part.height * factor,
      },
      { ...result, left: part.left * factor, top: part.top * factor },
      whiteOf(samples),
    )
  }
  return result
}
