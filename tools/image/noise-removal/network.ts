import { floatData, floats } from '../../../src/engines/onnx/tensor.ts'
import type { Samples } from '../../../src/media/image/frame.ts'
import { putPlanes, toPlanes } from '../../../src/models/planes.ts'
import { type Area, tilesOf } from '../../../src/models/tiles.ts'
import type { LoadedModel } from '../../../src/models/use-model.ts'
import type { StepContext } from '../../../src/tool/image-tool.ts'
import type { DenoiseWishes } from '../_shared/denoise/tiers.ts'

/** Longest side of what the network sees at once, what is around each part, and the multiple that sides must be of, px. */
const TILE = { side: 512, overlap: 32, align: 64 } as const

/** What is seen, with its last rows and columns reflected up to a multiple that the network takes. */
function padded(
  planes: Float32Array,
  { width, height }: Area,
): { planes: Float32Array; width: number; height: number } {
  const across = Math.ceil(width / TILE.align) * TILE.align
  const down = Math.ceil(height / TILE.align) * TILE.align
  const reflected = (at: number, length: number): number => {
    const period = Math.max(1, 2 * length - 2)
    const place = at % period
    return place < length ? place : period - place
  }
  const result = new Float32Array(3 * across * down)
  for (let plane = 0; plane < 3; plane += 1)
    for (let y = 0; y < down; y += 1) {
      const from = (plane * height + reflected(y, height)) * width
      const to = (plane * down + y) * across
      for (let x = 0; x < across; x += 1) result[to + x] = planes[from + reflected(x, width)]!
    }
  return { planes: result, width: across, height: down }
}

/**
 * Noise taken out by SCUNet (K. Zhang et al., "Practical Blind Denoising via Swin-Conv-UNet", 2022), part by part, in the
 * picture's own depth; the strength mixes the original in again, and detail is kept by the original's lightness. Not run on
 * its real weights here: they could not be had.
 */
export async function denoisedByNetwork(
  samples: Samples,
  model: LoadedModel,
  { strength, detailPreservation, colorNoise }: DenoiseWishes,
  context: StepContext,
): Promise<Samples> {
  const { data, width, height } = samples
  const white = data instanceof Uint16Array ? 65535 : 255
  const scaling = { order: 'rgb', mean: [0, 0, 0], deviation: [white, white, white] } as const
  const clean: Samples = { ...samples, data: data instanceof Uint16Array ? data.slice() : Uint8Array.from(data) }
  const tiles = tilesOf(width, height, TILE.side, TILE.overlap)
  for (const [index, { seen, part }] of tiles.entries()) {
    context.progress((index / tiles.length) * 0.9, 'denoising')
    const planes = toPlanes(
      { ...samples, left: seen.left, top: seen.top, across: seen.width, down: seen.height },
      scaling,
    )
    const input = padded(planes, seen)
    const output = model.outputs[0]!.name
    const answer = await model.run({ [model.inputs[0]!.name]: floats(input.planes, [1, 3, input.height, input.width]) })
    const cut = { left: part.left - seen.left, top: part.top - seen.top, across: part.width, down: part.height }
    const place = { ...clean, left: part.left, top: part.top }
    putPlanes(floatData(answer[output]!), { width: input.width, height: input.height, ...cut }, place, white)
  }
  mixed(samples, clean, {
    luma: (strength / 100) * (1 - detailPreservation / 200),
    chroma: Math.max(strength, colorNoise) / 100,
  })
  return clean
}

/** The original mixed into what is clean, in place: by the share of the clean one in lightness and in colour. */
function mixed({ data, channels }: Samples, clean: Samples, { luma, chroma }: { luma: number; chroma: number }): void {
  const white = data instanceof Uint16Array ? 65535 : 255
  const isGrey = channels < 3
  for (let at = 0; at < data.length; at += channels) {
    const change = (channel: number): number => clean.data[at + channel]! - data[at + channel]!
    if (isGrey) {
      clean.data[at] = data[at]! + luma * change(0) + 0.5
      continue
    }
    const ofLuma = 0.299 * change(0) + 0.587 * change(1) + 0.114 * change(2)
    for (let channel = 0; channel < 3; channel += 1) {
      const value = data[at + channel]! + luma * ofLuma + chroma * (change(channel) - ofLuma)
      clean.data[at + channel] = Math.min(white, Math.max(0, value)) + 0.5
    }
  }
}
