import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { floatsOf, halvesOf } from '../../../../src/engines/onnx/half.ts'
import upscale from '../../../../tools/image/restore/upscale.ts'
import { type ElementType, type Node, onnxModel } from '../../../helpers/onnx.ts'
import { fromSamples, photo, put, readPixels } from '../../../helpers/picture.ts'
import { run, temporaryFolder } from '../../../helpers/tool.ts'

const folder = temporaryFolder()

interface Shape {
  factor?: number
  type?: ElementType
  isLast?: boolean
  /** Side of the input; free without it. */
  side?: number
  /** Multiplies the first channel. */
  gain?: number
  /** The values are rounded to integers, so only 0 to 255 works. */
  isWhole?: boolean
}

/** A network that repeats every pixel, drawn by the test: one transposed convolution with a block of ones per channel. */
function repeating({ factor = 2, type = 'float32', isLast = false, side, gain = 1, isWhole = false }: Shape = {}) {
  const area = factor * factor
  const weights = Float32Array.from({ length: 9 * area }, (_, at) => {
    const [from, to] = [Math.floor(at / (3 * area)), Math.floor(at / area) % 3]
    return from === to ? (from === 0 ? gain : 1) : 0
  })
  const [height, width] = side ? [side, side] : ['height', 'width']
  const shape = isLast ? [1, height, width, 3] : [1, 3, height, width]
  const isHalf = type === 'float16'
  const nodes: Node[] = []
  let last = 'input'
  const add = (op: string, attributes: Node['attributes'] = {}, ...others: string[]): void => {
    const next = `${last}-${nodes.length}`
    nodes.push({ op, inputs: [last, ...others], outputs: [next], attributes })
    last = next
  }
  if (isHalf) add('Cast', { to: 1 })
  if (isLast) add('Transpose', { perm: [0, 3, 1, 2] })
  if (isWhole) add('Round')
  add('ConvTranspose', { strides: [factor, factor], kernel_shape: [factor, factor] }, 'weights')
  if (isLast) add('Transpose', { perm: [0, 2, 3, 1] })
  if (isHalf) add('Cast', { to: 10 })
  return onnxModel({
    inputs: [{ name: 'input', type, shape }],
    outputs: [{ name: last, type, shape: isLast ? [1, 'rows', 'columns', 3] : [1, 3, 'rows', 'columns'] }],
    constants: [{ name: 'weights', dims: [3, 3, factor, factor], data: weights }],
    nodes,
  })
}

let count = 0
const nextNumber = (): number => {
  count += 1
  return count
}
const modelFile = (bytes: Buffer) => put(folder, `network-${nextNumber()}.onnx`, bytes)

async function enlarged(bytes: Buffer, settings: Record<string, unknown> = {}, size = { width: 70, height: 40 }) {
  const input = await put(folder, `photo-${nextNumber()}.png`, fromSamples(photo(size.width, size.height)).png())
  const secondary = { modelFile: await modelFile(bytes) }
  const { paths, report, warnings } = await run(upscale, folder, [input], settings, { secondary, isLocal: true })
  return { input, found: await readPixels(paths[0] ?? ''), report, warnings }
}

/** The largest difference from the source with its pixels repeated. */
async function difference({ input, found }: Awaited<ReturnType<typeof enlarged>>, factor: number): Promise<number> {
  const { width, height } = await sharp(input).metadata()
  const size = { width: width * factor, height: height * factor }
  expect([found.width, found.height]).toEqual([size.width, size.height])
  const wanted = await sharp(input)
    .resize({ ...size, kernel: 'nearest' })
    .raw()
    .toBuffer()
  return wanted.reduce((most, value, at) => Math.max(most, Math.abs(value - (found.data[at] ?? 0))), 0)
}

describe('forms of networks', () => {
  test.each<[string, Shape, number]>([
    ['float32, channels first', {}, 0],
    ['factor 3', { factor: 3 }, 0],
    ['float16', { type: 'float16' }, 1],
    ['channels last', { isLast: true }, 0],
    ['a fixed side', { side: 48 }, 0],
    ['values from 0 to 255', { isWhole: true }, 0],
  ])('%s', async (_name, shape, most) => {
    const { factor = 2 } = shape
    const made = await enlarged(repeating(shape), { scale: factor })
    expect(made.warnings).toEqual([])
    expect(made.report).toMatchObject({ method: `model file, x${factor}` })
    expect(await difference(made, factor)).toBeLessThanOrEqual(most)
  })

  test('tiles fit together', async () => {
    expect(await difference(await enlarged(repeating(), { scale: 2 }, { width: 300, height: 230 }), 2)).toBe(0)
  })

  test('another scale than the factor of the network', async () => {
    const { found } = await enlarged(repeating({ factor: 4 }), { scale: 1.5 })
    expect([found.width, found.height]).toEqual([105, 60])
  })

  test('channel order', async () => {
    const means = async (modelChannels: string) => {
      const { input, found } = await enlarged(repeating({ gain: 0.9 }), { modelChannels })
      const before = await sharp(input).stats()
      return [0, 1, 2].map((channel) => {
        const own = found.data.filter((_, at) => at % 3 === channel)
        return own.reduce((sum, value) => sum + value, 0) / own.length / (before.channels[channel]?.mean ?? 1)
      })
    }
    const [rgb, bgr] = [await means('rgb'), await means('bgr')]
    for (const [channel, ratio] of rgb.entries()) expect(ratio).toBeCloseTo(channel === 0 ? 0.9 : 1, 1)
    expect(rgb[0]).toBeLessThan(0.95)
    expect(bgr[0]).toBeGreaterThan(0.95)
    expect(bgr[2]).toBeLessThan(0.95)
  })
})

describe('refused with the expected form', () => {
  const inputOf = (shape: readonly (number | string)[], type: ElementType = 'float32') =>
    onnxModel({
      inputs: [{ name: 'input', type, shape }],
      outputs: [{ name: 'output', type, shape }],
      nodes: [{ op: 'Identity', inputs: ['input'], outputs: ['output'] }],
    })
  test.each<[string, Buffer, RegExp]>([
    ['one channel', inputOf([1, 1, 'height', 'width']), /its input is float32 \[1, 1, height, width\]/],
    ['integers', inputOf([1, 3, 'height', 'width'], 'uint8'), /its input is uint8/],
    ['no enlargement', inputOf([1, 3, 'height', 'width']), /it makes 64 x 64 of 64 x 64 px/],
    ['a list of numbers', inputOf([1, 1000]), /its input is float32 \[1, 1000\]/],
    ['a fixed side that no memory holds', repeating({ side: 65_536 }), /tiles have at most 2048 x 2048 px/],
    ['another colour', repeating({ gain: 0.5 }), /a plain colour comes out as another one/],
    ['no model', Buffer.from('not a network'), /no ONNX model/],
  ])('%s', async (_name, bytes, message) => {
    await expect(enlarged(bytes)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('[1, 3, height, width]'),
    })
  })
})

test('a file of a client is never run', async () => {
  const input = await put(folder, 'client.png', fromSamples(photo(20, 20)).png())
  const secondary = { modelFile: await modelFile(repeating()) }
  await expect(run(upscale, folder, [input], {}, { secondary })).rejects.toMatchObject({
    code: 'INVALID_SETTINGS',
    status: 400,
    message: expect.stringContaining('command line'),
  })
})

test('half floats', () => {
  const values = Float32Array.of(0, 1, -2, 0.5, 0.333251953125, 65504, 2 ** -24, 2 ** -14, 1e6, 1.0004)
  expect([...floatsOf(halvesOf(values))]).toEqual([
    ...[0, 1, -2, 0.5, 0.333251953125, 65504, 2 ** -24, 2 ** -14, Number.POSITIVE_INFINITY],
    1,
  ])
  expect(floatsOf(halvesOf(Float32Array.of(Number.NaN)))[0]).toBeNaN()
})
