import { floatData, floats, type Tensor } from '../../../../src/engines/onnx/tensor.ts'
import { firstOf } from '../../../../src/lists.ts'
import type { LoadedModel } from '../../../../src/models/use-model.ts'
import type { Filler } from './fill.ts'
import type { View } from './view.ts'

/** The inpainting networks, the best first. */
export const ERASERS = ['lama', 'migan-512-places2'] as const

/** An image of three planes (channel, row, column) from 0 to 1, and its missing pixels. */
interface Feed {
  planes: Float32Array
  holes: Uint8Array
  width: number
  height: number
}

/**
 * The input and output format of a network. Neither was tested here with its real weights, which were not available.
 */
interface Network {
  method: string
  /** The fixed input size: smaller views are mirrored at their edges. */
  isFixed: boolean
  feeds(feed: Feed): Record<string, Tensor>
  /** Its output, 0 to 1. */
  planesOf(answer: Tensor): Float32Array
}

/** Side of the training images of both, px. */
const SIDE = 512

/**
 * The area around a hole is at least as wide as the hole: the networks need less than half of their input to be
 * missing.
 */
const CONTEXT = 3

/** This many tiles take about two minutes on two cores, based on reported timings of LaMa. */
const TILES = 64

const NETWORKS: Readonly<Record<string, Network>> = {
  /**
   * R. Suvorov et al., "Resolution-robust Large Mask Inpainting with Fourier Convolutions" (WACV 2022): fills pixels of
   * mask 1.
   */
  lama: {
    method: 'lama',
    isFixed: true,
    feeds: ({ planes, holes, width, height }) => ({
      image: floats(planes, [1, 3, height, width]),
      mask: floats(Float32Array.from(holes), [1, 1, height, width]),
    }),
    // It returns 0 to 255, although it takes 0 to 1.
    planesOf: (answer) => floatData(answer).map((value) => value / 255),
  },
  /**
   * A. Sargsyan et al., "MI-GAN: A Simple Baseline for Image Inpainting on Mobile Devices" (ICCV 2023): keeps pixels of
   * mask 255.
   */
  'migan-512-places2': {
    method: 'migan',
    isFixed: false,
    feeds: ({ planes, holes, width, height }) => ({
      image: {
        type: 'uint8',
        data: Uint8Array.from(planes, (value) => value * 255 + 0.5),
        dims: [1, 3, height, width],
      },
      mask: { type: 'uint8', data: Uint8Array.from(holes, (hole) => (hole ? 0 : 255)), dims: [1, 1, height, width] },
    }),
    planesOf: ({ type, data }) => {
      if (type !== 'uint8') throw new Error(`The model returned ${type} instead of uint8`)
      return Float32Array.from(data, (value) => value / 255)
    },
  },
}

/** A position in a length that is mirrored beyond its end. */
function mirrored(at: number, length: number): number {
  const period = 2 * length
  const place = at % period
  return place < length ? place : period - 1 - place
}

/** Three-channel planes of a view: its colours, or its alpha as a grey image. */
function feedOf({ data, holes, width, height, channels }: View, isAlpha: boolean, isFixed: boolean): Feed {
  const [across, down] = isFixed ? [SIDE, SIDE] : [width, height]
  const area = across * down
  const feed = { planes: new Float32Array(3 * area), holes: new Uint8Array(area), width: across, height: down }
  const sources = [0, 1, 2].map((plane) => (isAlpha ? channels - 1 : channels < 3 ? 0 : plane))
  for (let y = 0, to = 0; y < down; y += 1)
    for (let x = 0; x < across; x += 1, to += 1) {
      const from = mirrored(y, height) * width + mirrored(x, width)
      feed.holes[to] = holes[from]!
      for (let plane = 0; plane < 3; plane += 1)
        feed.planes[plane * area + to] = data[from * channels + sources[plane]!]!
    }
  return feed
}

async function run(model: LoadedModel, network: Network, view: View, isAlpha: boolean, into: Float32Array) {
  const feed = feedOf(view, isAlpha, network.isFixed)
  const output = firstOf(model.outputs).name
  const answer = await model.run(network.feeds(feed), { wanted: [output] })
  const planes = network.planesOf(answer[output]!)
  const { width, height, channels } = view
  const area = feed.width * feed.height
  for (let y = 0, to = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, to += channels) {
      const from = y * feed.width + x
      const [red, green, blue] = [planes[from]!, planes[from + area]!, planes[from + 2 * area]!]
      if (isAlpha || channels < 3) into[to + (isAlpha ? channels - 1 : 0)] = (red + green + blue) / 3
      else {
        into[to] = red
        into[to + 1] = green
        into[to + 2] = blue
      }
    }
}

/** The alpha that all known pixels share, if they do. */
function onlyAlpha({ data, holes, channels }: View): number | undefined {
  let found: number | undefined
  for (let at = 0; at < holes.length; at += 1) {
    if (holes[at] === 1) continue
    const alpha = data[at * channels + channels - 1]!
    if (found === undefined) found = alpha
    else if (Math.abs(alpha - found) > 1e-6) return undefined
  }
  return found
}

/** Fills with a network; varying alpha is filled as a separate image. */
export function networkFiller(model: LoadedModel): Filler {
  const network = NETWORKS[model.id]!
  return {
    method: network.method,
    sight: { least: SIDE, most: SIDE, context: CONTEXT, tiles: TILES },
    async fill(view) {
      const { channels } = view
      const filled = new Float32Array(view.data.length)
      await run(model, network, view, false, filled)
      if (channels % 2 === 1) return { data: filled }
      const alpha = onlyAlpha(view)
      if (alpha === undefined) await run(model, network, view, true, filled)
      else for (let at = channels - 1; at < filled.length; at += channels) filled[at] = alpha
      return { data: filled }
    },
  }
}
