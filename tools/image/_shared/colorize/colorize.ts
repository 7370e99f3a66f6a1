import { floatData, floats, type Tensor } from '../../../../src/engines/onnx/tensor.ts'
import { firstOf } from '../../../../src/lists.ts'
import type { ImageFrame, Pixels, Samples } from '../../../../src/media/image/frame.ts'
import type { LoadedModel } from '../../../../src/models/use-model.ts'
import { labOf, linearOfLab, luminanceOf } from '../colour/lab.ts'
import { encodedOf, linearOf, linearTable, tabulated } from '../colour/srgb.ts'
import { between } from '../layers/between.ts'

/** A network that predicts a* and b* from the lightness of an image. Neither was tested here with its real weights. */
interface ColourNetwork {
  /** Side of its square input, px: the image is resized to it without keeping its aspect ratio. */
  side: number
  /** The network's input for each pixel's L* (0 to 100). */
  feed(lightness: Float32Array, side: number): Tensor
}

/** DDColor (X. Kang et al., ICCV 2023) takes a grey image in RGB. */
function greyPicture(lightness: Float32Array, side: number): Tensor {
  const area = side * side
  const planes = new Float32Array(3 * area)
  for (let at = 0; at < area; at += 1) {
    const grey = encodedOf(luminanceOf(lightness[at]!))
    planes[at] = grey
    planes[at + area] = grey
    planes[at + 2 * area] = grey
  }
  return floats(planes, [1, 3, side, side])
}

/** By model id in the manifest. The second is R. Zhang et al., "Colorful Image Colorization" (ECCV 2016). */
const NETWORKS: Readonly<Record<string, ColourNetwork>> = {
  'ddcolor-tiny': { side: 512, feed: greyPicture },
  'colorization-eccv16': { side: 256, feed: (lightness, side) => floats(lightness, [1, 1, side, side]) },
}

function lightnessOf({ data, channels }: Pixels): Float32Array {
  return Float32Array.from({ length: data.length / channels }, (_, pixel) => {
    const at = pixel * channels
    return labOf(linearOf(data[at]! / 255), linearOf(data[at + 1]! / 255), linearOf(data[at + 2]! / 255)).lightness
  })
}

/**
 * Colours a single-page image with the predictions of a network; keeps its lightness, in full size and depth.
 * @param given sRGB with three channels, with or without alpha
 * @param intensity 0 (grey) to 1
 */
export async function colorized(given: ImageFrame, model: LoadedModel, intensity: number): Promise<ImageFrame> {
  const frame = await given.settled()
  const { side, feed } = NETWORKS[model.id]!
  const size = { width: side, height: side }
  const small = await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  const lightness = lightnessOf(await small.pixels({ alpha: 'drop' }))
  const output = firstOf(model.outputs).name
  const answer = await model.run({ [firstOf(model.inputs).name]: feed(lightness, side) })
  const samples = await frame.samples()
  paint(samples, floatData(answer[output]), side, intensity)
  return frame.withSamples(samples)
}

/** Replaces the colours of samples with those of two planes, in place; keeps alpha and lightness. */
function paint(
  { data, width, height, channels }: Samples,
  planes: Float32Array,
  side: number,
  intensity: number,
): void {
  const white = data instanceof Uint16Array ? 65535 : 255
  const plane = (from: number) => ({
    data: planes.subarray(from * side * side, (from + 1) * side * side),
    ...{ width: side, height: side, channels: 1 },
  })
  const [redness, yellowness] = [plane(0), plane(1)]
  const linear = linearTable(white)
  const encoded = tabulated((value) => encodedOf(value) * white + 0.5)
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += channels) {
      const { lightness } = labOf(linear[data[at]!]!, linear[data[at + 1]!]!, linear[data[at + 2]!]!)
      const [across, down] = [((x + 0.5) / width) * side - 0.5, ((y + 0.5) / height) * side - 0.5]
      const a = between(redness, 0, across, down) * intensity
      const b = between(yellowness, 0, across, down) * intensity
      const [red, green, blue] = linearOfLab(lightness, a, b)
      data[at] = encoded(red)
      data[at + 1] = encoded(green)
      data[at + 2] = encoded(blue)
    }
}
