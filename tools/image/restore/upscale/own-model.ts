import { floatsOf, halvesOf } from '../../../../src/engines/onnx/half.ts'
import { floatData, floats, type Tensor, type TensorInfo } from '../../../../src/engines/onnx/tensor.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { type MediaFile, printableName } from '../../../../src/media/file.ts'
import { withSession } from '../../../../src/models/sessions.ts'
import type { ChannelOrder } from '../../../../src/models/tensors.ts'
import type { LoadedModel } from '../../../../src/models/use-model.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'

/** What is needed to run a network of unknown origin. */
export interface OwnNetwork {
  model: Pick<LoadedModel, 'inputs' | 'outputs' | 'run'>
  /** By the sizes of its output and input. */
  factor: number
  /** The only side that its input can have, px. */
  fixedSide?: number
}

const EXPECTED =
  'Expected a network with one input of [1, 3, height, width] or [1, height, width, 3], as float32 or float16, and one output of the same form, 2 to 8 times as large'

/** Memory of a run besides the file's own size, bytes: that of the largest of our networks. */
const RUN_BYTES = 512 * 1024 * 1024
/** The largest side of an input that has one size, px: each plane of it is in memory several times. */
const MOST_SIDE = 2048
/** Side of the picture that the network is tried on, px. */
const TRIAL = 64
/** The trial's colour, different in each channel, and how far from it the enlarged one can be. */
const COLOUR = [0.75, 0.5, 0.25] as const
const TOLERANCE = 0.1
const FACTORS = { least: 2, most: 8 }

type Run = OwnNetwork['model']['run']

interface Form {
  isLast: boolean
  isHalf: boolean
  fixedSide: number | undefined
}

/** A file of a client must never be run as a program: only files that the caller named on this machine have a folder. */
export function checkLocal(file: MediaFile): void {
  if (file.folder === undefined)
    throw invalidSettings(
      'A model file can only be named on the command line, not in pipelines and not over HTTP',
      'Omit modelFile, and choose one of the installed models with model.',
    )
}

function refuse(name: string, what: string): MediaprocError {
  return new MediaprocError('INVALID_FILE', `${printableName(name)} cannot be used: ${what}`, { hint: `${EXPECTED}.` })
}

const shown = ({ type, shape }: TensorInfo): string => `${type} [${shape.join(', ')}]`

/** The layout of the input; throws if it is no picture. */
function formOf(name: string, { inputs, outputs }: OwnNetwork['model']): Form {
  const [input, ...others] = inputs
  const [output] = outputs
  if (!input || !output || others.length > 0 || outputs.length !== 1)
    throw refuse(name, `it has ${inputs.length} inputs and ${outputs.length} outputs`)
  const [batch, first, second, third] = input.shape
  const isLast = first !== 3 && third === 3
  const [height, width] = isLast ? [first, second] : [second, third]
  const isPicture = input.shape.length === 4 && (batch === 1 || typeof batch === 'string') && (isLast || first === 3)
  if (!isPicture || !['float32', 'float16'].includes(input.type)) throw refuse(name, `its input is ${shown(input)}`)
  if (!['float32', 'float16'].includes(output.type)) throw refuse(name, `its output is ${shown(output)}`)
  const isFixed = typeof height === 'number' || typeof width === 'number'
  if (isFixed && height !== width) throw refuse(name, `its input is ${shown(input)}, which is not square`)
  if (typeof height === 'number' && height > MOST_SIDE)
    throw refuse(name, `its input is ${shown(input)}, and tiles have at most ${MOST_SIDE} x ${MOST_SIDE} px`)
  return { isLast, isHalf: input.type === 'float16', fixedSide: typeof height === 'number' ? height : undefined }
}

/** Planes to interleaved values, or back. */
function transposed(data: Float32Array, [rows, columns]: readonly [number, number]): Float32Array {
  const result = new Float32Array(data.length)
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1)
      result[column * rows + row] = data[row * columns + column] as number
  return result
}

/** Planes in the other order of channels. */
function swapped(data: Float32Array): Float32Array {
  const area = data.length / 3
  const result = new Float32Array(data)
  result.set(data.subarray(0, area), 2 * area)
  result.set(data.subarray(2 * area), 0)
  return result
}

/** Adapts a network to planes of RGB from 0 to 1, as float32. */
function adapted(name: string, model: OwnNetwork['model'], form: Form, order: ChannelOrder, white: number): Run {
  return async (feeds, options) => {
    const [[key, tensor] = ['', undefined]] = Object.entries(feeds)
    const given = floatData(tensor)
    const [, , height = 0, width = 0] = tensor?.dims ?? []
    const ordered = order === 'bgr' ? swapped(given) : given
    const scaled = white === 1 ? ordered : ordered.map((value) => value * white)
    const values = form.isLast ? transposed(scaled, [3, height * width]) : scaled
    const dims = form.isLast ? [1, height, width, 3] : [1, 3, height, width]
    const input: Tensor = form.isHalf ? { type: 'float16', data: halvesOf(values), dims } : floats(values, dims)
    const [answer] = Object.entries(await model.run({ [key]: input }, options))
    if (!answer) throw refuse(name, 'it gave no output')
    const [output, result] = answer
    const [, a = 0, b = 0, c = 0] = result.dims
    const [rows, columns, channels] = form.isLast ? [a, b, c] : [b, c, a]
    if (result.dims.length !== 4 || channels !== 3)
      throw refuse(name, `its output is [${result.dims.join(', ')}] for an input of [${dims.join(', ')}]`)
    const raw = result.type === 'float16' ? floatsOf(result.data) : floatData(result)
    const planes = form.isLast ? transposed(raw, [rows * columns, 3]) : raw
    const unscaled = white === 1 ? planes : planes.map((value) => value / white)
    return { [output]: floats(order === 'bgr' ? swapped(unscaled) : unscaled, [1, 3, rows, columns]) }
  }
}

/** Runs a plain colour through a network: the factor, or undefined if it comes out as another colour. */
async function trial(name: string, run: Run, key: string, side: number): Promise<number | undefined> {
  const area = side * side
  const plain = Float32Array.from({ length: 3 * area }, (_, at) => COLOUR[Math.floor(at / area)] ?? 0)
  const [result] = Object.values(await run({ [key]: floats(plain, [1, 3, side, side]) }))
  const [, , rows = 0, columns = 0] = result?.dims ?? []
  const factor = rows / side
  if (rows !== columns || !Number.isInteger(factor) || factor < FACTORS.least || factor > FACTORS.most)
    throw refuse(name, `it makes ${columns} x ${rows} of ${side} x ${side} px`)
  const data = floatData(result)
  const isSame = COLOUR.every((colour, channel) => {
    const plane = data.subarray(channel * rows * columns, (channel + 1) * rows * columns)
    return Math.abs(plane.reduce((sum, value) => sum + value, 0) / plane.length - colour) < TOLERANCE
  })
  return isSame ? factor : undefined
}

/**
 * Runs work with the network of an ONNX file, after a trial that determines its factor and range of values.
 * @throws INVALID_SETTINGS for a file that did not come from this machine; INVALID_FILE with the expected form;
 * ENGINE_UNAVAILABLE without the runtime
 */
export async function withOwnNetwork<T>(
  file: MediaFile,
  order: ChannelOrder,
  { signal }: Pick<StepContext, 'signal'>,
  work: (network: OwnNetwork) => Promise<T>,
): Promise<T> {
  checkLocal(file)
  let isLoaded = false
  try {
    return await withSession(file.path, 2 * file.bytes + RUN_BYTES, async (open) => {
      isLoaded = true
      const model: OwnNetwork['model'] = {
        inputs: open.inputs,
        outputs: open.outputs,
        run: (feeds, options) => open.run(feeds, { ...options, signal }),
      }
      const form = formOf(file.name, model)
      const key = model.inputs[0]?.name ?? ''
      for (const white of [1, 255]) {
        const run = adapted(file.name, model, form, order, white)
        const factor = await trial(file.name, run, key, form.fixedSide ?? TRIAL)
        if (factor !== undefined)
          return work({ model: { ...model, run }, factor, ...(form.fixedSide && { fixedSide: form.fixedSide }) })
      }
      throw refuse(file.name, 'a plain colour comes out as another one, both with values from 0 to 1 and from 0 to 255')
    })
  } catch (error) {
    if (isLoaded || !(error instanceof MediaprocError) || error.code !== 'PROCESSING_FAILED') throw error
    throw refuse(file.name, 'it is no ONNX model that the runtime can load')
  }
}
