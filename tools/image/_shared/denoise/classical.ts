import { availableParallelism } from 'node:os'
import { mapConcurrently } from '../../../../src/concurrency.ts'
import { isSmall } from '../../../../src/engines/workers/idle-threads.ts'
import { askWorker } from '../../../../src/engines/workers/worker-thread.ts'
import { zip } from '../../../../src/lists.ts'
import type { Samples } from '../../../../src/media/image/frame.ts'
import { builtFile } from '../../../../src/root.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import type { DenoiseRequest, Filter } from './denoise-worker.ts'

/** Filters for lightness and colour; undefined leaves them unchanged. */
export interface ClassicalOptions {
  luma: Filter | undefined
  chroma: Filter | undefined
}

const WORKER = builtFile('tools/image/_shared/denoise/denoise-worker.js')

/** Rows per band: small enough for an even load across threads and for progress reports. */
const BAND = 256

/** Number of rows above and below a band that its pixels depend on. */
const marginOf = (filter: Filter): number => (filter.kind === 'bilateral' ? filter.reach : filter.search + filter.patch)

type Size = Pick<Samples, 'width' | 'height'>

/** Filters planes in bands on threads. */
async function filtered<Planes extends readonly Float32Array[]>(
  data: Planes,
  { width, height }: Size,
  filter: Filter,
  { signal }: StepContext,
  onBand: () => void,
): Promise<Planes> {
  const margin = marginOf(filter)
  const results = data.map((plane) => new Float32Array(plane.length))
  const tops = Array.from({ length: Math.ceil(height / BAND) }, (_, band) => band * BAND)
  await mapConcurrently(tops, availableParallelism(), async (top) => {
    const bottom = Math.min(height, top + BAND)
    const from = Math.max(0, top - margin)
    const to = Math.min(height, bottom + margin)
    const planes = { data: data.map((plane) => plane.slice(from * width, to * width)), width, height: to - from }
    const options = { signal, isReusable: isSmall(planes) }
    const done = await askWorker<DenoiseRequest, Float32Array[]>(WORKER, { planes, filter }, options)
    for (const [result, plane] of zip(results, done))
      result.set(plane.subarray((top - from) * width, (bottom - from) * width), top * width)
    onBand()
  })
  return results as readonly Float32Array[] as Planes
}

/**
 * Lightness and colour of RGB (ITU-R BT.601, as in JPEG), in 8-bit units: colour noise is coarse and ugly, lightness
 * noise fine and easily mistaken for detail.
 */
function opponent(
  { data, channels }: Samples,
  white: number,
): [luma: Float32Array, blue: Float32Array, red: Float32Array] {
  const count = data.length / channels
  const [luma, blueness, redness] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  for (let pixel = 0; pixel < count; pixel += 1) {
    const [red, green, blue] = [
      data[pixel * channels]! / white,
      data[pixel * channels + 1]! / white,
      data[pixel * channels + 2]! / white,
    ]
    const y = 0.299 * red + 0.587 * green + 0.114 * blue
    luma[pixel] = y
    blueness[pixel] = (blue - y) / 1.772
    redness[pixel] = (red - y) / 1.402
  }
  return [luma, blueness, redness]
}

/** Denoises a single-page image in its own depth and colours; keeps alpha. */
export async function denoised(
  samples: Samples,
  { luma, chroma }: ClassicalOptions,
  context: StepContext,
): Promise<Samples> {
  const { data, channels, width, height } = samples
  const size = { width, height }
  const white = data instanceof Uint16Array ? 257 : 1
  const isGrey = channels < 3
  const bands = Math.ceil(height / BAND) * ((luma ? 1 : 0) + (chroma && !isGrey ? 1 : 0))
  let done = 0
  const onBand = (): void => {
    done += 1
    context.progress((done / bands) * 0.9, 'denoising')
  }
  const result: Samples = { ...samples, data: data instanceof Uint16Array ? data.slice() : Uint8Array.from(data) }
  if (isGrey) {
    const plane = Float32Array.from({ length: width * height }, (_, pixel) => data[pixel * channels]! / white)
    const [clean] = luma ? await filtered([plane] as const, size, luma, context, onBand) : ([plane] as const)
    for (let pixel = 0; pixel < plane.length; pixel += 1) result.data[pixel * channels] = clamped(clean[pixel]!, white)
    return result
  }
  const [y, blueness, redness] = opponent(samples, white)
  const [cleanY] = luma ? await filtered([y] as const, size, luma, context, onBand) : ([y] as const)
  const [cleanBlue, cleanRed] = chroma
    ? await filtered([blueness, redness] as const, size, chroma, context, onBand)
    : ([blueness, redness] as const)
  for (let pixel = 0; pixel < y.length; pixel += 1) {
    const [light, blue, red] = [cleanY[pixel]!, cleanBlue[pixel]!, cleanRed[pixel]!]
    result.data[pixel * channels] = clamped(light + 1.402 * red, white)
    result.data[pixel * channels + 1] = clamped(light - 0.344136 * blue - 0.714136 * red, white)
    result.data[pixel * channels + 2] = clamped(light + 1.772 * blue, white)
  }
  return result
}

/** Converts back to a sample; values slightly out of range are rounding errors. */
const clamped = (value: number, white: number): number => Math.min(255, Math.max(0, value)) * white + 0.5
