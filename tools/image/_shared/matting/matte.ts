import { floatData, floats } from '../../../../src/engines/onnx/tensor.ts'
import { openRawPixels } from '../../../../src/engines/sharp.ts'
import { environmentNumber } from '../../../../src/environment.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { firstOf } from '../../../../src/lists.ts'
import type { ImageFrame, Pixels, Size } from '../../../../src/media/image/frame.ts'
import { featureMissing } from '../../../../src/models/missing.ts'
import { toPlanes } from '../../../../src/models/tensors.ts'
import { type LoadedModel, useModel } from '../../../../src/models/use-model.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { LUMINANCE } from '../colour/srgb.ts'
import { guidedFilter } from './guided-filter.ts'
import { MATTING_NETWORKS, type MattingNetwork } from './networks.ts'
import { removeSpecks } from './specks.ts'

/** The share of the subject in each pixel. */
export interface Matte extends Size {
  /** One byte per pixel. */
  data: Buffer
  /** The model that produced it. */
  model: string
}

/** If a network's highest value is below this, it is noise, which stretching would turn into a subject. */
const LEAST_CERTAINTY = 0.3

/** Radius of the filter at each refinement level, in pixels per pixel of the network's output. */
const REACH = 2
/** Variance of luma (0 to 1) below which a neighbourhood counts as flat. */
const FLAT = 1e-4

export type Refinement = 0 | 1 | 2 | 3

/** If the samples of an image differ by at most this (of 255), it has one colour, and a mask of it is noise. */
const ONE_COLOUR = 6

function hasOneColour({ data, channels }: Pixels): boolean {
  for (let channel = 0; channel < 3; channel += 1) {
    let [least, most] = [255, 0]
    for (let at = channel; at < data.length; at += channels) {
      if (data[at]! < least) least = data[at]!
      if (data[at]! > most) most = data[at]!
    }
    if (most - least > ONE_COLOUR) return false
  }
  return true
}

export const NO_SUBJECT = 'No subject was found in the image'

const noSubject = (): MediaprocError =>
  new MediaprocError('PROCESSING_FAILED', NO_SUBJECT, {
    hint: 'Try an image with a more distinct subject, or another model.',
  })

function planesOf({ data, width, height, channels }: Pixels, { mean, deviation, white, side }: MattingNetwork) {
  const full =
    white === 255
      ? 255
      : Math.max(
          1,
          data.reduce((most, value) => Math.max(most, value), 0),
        )
  const scaled = (values: readonly [number, number, number]): [number, number, number] => [
    values[0] * full,
    values[1] * full,
    values[2] * full,
  ]
  return toPlanes(
    { data, width, channels, left: 0, top: 0, across: width, down: height },
    { order: 'rgb', mean: scaled(mean), deviation: scaled(deviation) },
  ).subarray(0, 3 * side * side)
}

/** The network's output without specks, 0 to 1, at its own size. */
async function predicted(frame: ImageFrame, model: LoadedModel, network: MattingNetwork): Promise<Float32Array> {
  const { side, sigmoid, stretch } = network
  const size = { width: side, height: side }
  const small = await frame.apply((image) => image.resize({ ...size, fit: 'fill', kernel: 'lanczos3' }), { size })
  const pixels = await small.pixels({ alpha: 'drop' })
  if (hasOneColour(pixels)) throw noSubject()
  const planes = planesOf(pixels, network)
  const output = firstOf(model.outputs).name
  const answer = await model.run(
    { [firstOf(model.inputs).name]: floats(planes, [1, 3, side, side]) },
    { wanted: [output] },
  )
  const raw = floatData(answer[output])
  const matte = sigmoid ? raw.map((value) => 1 / (1 + Math.exp(-value))) : raw
  let [least, most] = [1, 0]
  for (let at = 0; at < matte.length; at += 1) {
    const value = matte[at]!
    if (value < least) least = value
    if (value > most) most = value
  }
  if (most < LEAST_CERTAINTY) throw noSubject()
  const full = stretch && most > least ? matte.map((value) => (value - least) / (most - least)) : matte.slice()
  removeSpecks(full, size)
  return full
}

async function resized(matte: Float32Array, from: Size, to: Size): Promise<Buffer> {
  const data = Buffer.alloc(matte.length)
  for (let at = 0; at < matte.length; at += 1) data[at] = Math.min(1, Math.max(0, matte[at]!)) * 255 + 0.5
  const image = (await openRawPixels({ data, ...from, channels: 1 })).resize({ ...to, fit: 'fill', kernel: 'cubic' })
  return image.toColourspace('b-w').raw({ depth: 'uchar' }).toBuffer()
}

const unit = (bytes: Buffer): Float32Array => Float32Array.from(bytes, (value) => value / 255)

/** Aligned with the edges of the image, which is read at no more than MAX_REMBG_PX. */
async function refined(frame: ImageFrame, matte: Float32Array, from: Size, level: 1 | 2 | 3): Promise<Buffer> {
  const limit = environmentNumber('MAX_REMBG_PX')
  const factor = limit === 0 ? 1 : Math.min(1, limit / Math.max(frame.width, frame.height))
  const size = {
    width: Math.max(1, Math.round(frame.width * factor)),
    height: Math.max(1, Math.round(frame.height * factor)),
  }
  const small = factor === 1 ? frame : await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  const { data, channels } = await small.pixels({ alpha: 'drop' })
  const [red, green, blue] = LUMINANCE
  const guide = new Float32Array(size.width * size.height)
  for (let at = 0; at < guide.length; at += 1)
    guide[at] = (red * data[at * channels]! + green * data[at * channels + 1]! + blue * data[at * channels + 2]!) / 255
  const radius = Math.round(level * REACH * Math.max(1, Math.max(size.width, size.height) / from.width))
  const fine = guidedFilter(unit(await resized(matte, from, size)), guide, { ...size, radius, epsilon: FLAT })
  return resized(fine, size, frame)
}

/**
 * The matte of a single-page image, at its full size; transparent pixels stay transparent.
 * @param chain models, the best first; see mattingChain
 * @throws MediaprocError FEATURE_NOT_INSTALLED, PROCESSING_FAILED if no subject is found
 */
export async function matteOf(
  given: ImageFrame,
  chain: readonly string[],
  refinement: Refinement,
  context: StepContext,
): Promise<Matte> {
  const frame = await (await given.toSrgb()).settled()
  const { width, height } = frame
  const found = await useModel(chain, context, async (model) => {
    context.progress(0.2, 'finding the subject')
    const network = MATTING_NETWORKS[model.id]!
    return { matte: await predicted(frame, model, network), side: network.side, model: model.id }
  })
  if (!found) throw featureMissing('background-removal')
  context.progress(0.7, 'refining')
  const from = { width: found.side, height: found.side }
  const data =
    refinement === 0
      ? await resized(found.matte, from, { width, height })
      : await refined(frame, found.matte, from, refinement)
  if (frame.hasAlpha) {
    const own = await frame.pixels({ alpha: 'add' })
    for (let at = 0; at < data.length; at += 1) data[at] = Math.round((data[at]! * own.data[at * 4 + 3]!) / 255)
  }
  return { data, width, height, model: found.model }
}
