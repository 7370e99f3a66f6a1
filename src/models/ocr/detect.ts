import { floatData, floats } from '../../engines/onnx/tensor.ts'
import { firstOf } from '../../lists.ts'
import { toPlanes } from '../tensors.ts'
import { type Area, tilesOf } from '../tiles.ts'
import type { LoadedModel } from '../use-model.ts'
import { scaledBox, type TurnedBox } from './geometry.ts'
import { joinedBoxes, type TextMap, textBoxes } from './regions.ts'

/** Interleaved 8 bit RGB. */
export interface Picture {
  data: Uint8Array
  width: number
  height: number
}

/** Maximum tile size of the network, px; neighbouring tiles share 256 px, half from each. */
const TILE_SIDE = 1536
const TILE_OVERLAP = 128

/** The network halves width and height five times. */
const STEP = 32

const SCALING = { order: 'bgr', mean: [127.5, 127.5, 127.5], deviation: [127.5, 127.5, 127.5] } as const

const stepped = (length: number): number => Math.max(STEP, Math.ceil(length / STEP) * STEP)

/** A tile of an image, padded with its edge pixels to a size that the network accepts. */
function cut({ data, width }: Picture, { left, top, width: across, height: down }: Area): Picture {
  const [wide, high] = [stepped(across), stepped(down)]
  const part = new Uint8Array(wide * high * 3)
  for (let row = 0; row < high; row += 1) {
    const start = ((top + Math.min(row, down - 1)) * width + left) * 3
    part.set(data.subarray(start, start + across * 3), row * wide * 3)
    const last = data.subarray(start + across * 3 - 3, start + across * 3)
    for (let column = across; column < wide; column += 1) part.set(last, (row * wide + column) * 3)
  }
  return { data: part, width: wide, height: high }
}

/** The map of the whole image, merged from its tiles: a line that crosses tiles is one shape. */
async function textMap(picture: Picture, model: LoadedModel): Promise<TextMap> {
  const { width, height } = picture
  const map = { data: new Uint8Array(width * height), width, height }
  const [input, output] = [firstOf(model.inputs).name, firstOf(model.outputs).name]
  for (const { seen, part } of tilesOf(width, height, TILE_SIDE, TILE_OVERLAP)) {
    const { data, width: across, height: down } = cut(picture, seen)
    const planes = toPlanes({ data, width: across, channels: 3, left: 0, top: 0, across, down }, SCALING)
    const answer = await model.run({ [input]: floats(planes, [1, 3, down, across]) })
    const probabilities = floatData(answer[output])
    for (let row = 0; row < part.height; row += 1) {
      const from = (part.top - seen.top + row) * across + part.left - seen.left
      const to = (part.top + row) * width + part.left
      for (let column = 0; column < part.width; column += 1) map.data[to + column] = probabilities[from + column]! * 255
    }
  }
  return map
}

/**
 * Detects text in an image.
 * @param scale how much larger than the original the image is; boxes are in original coordinates
 */
export async function detectText(picture: Picture, scale: number, model: LoadedModel): Promise<TurnedBox[]> {
  return joinedBoxes(textBoxes(await textMap(picture, model))).map((box) => scaledBox(box, 1 / scale))
}
