import type { Graph } from './onnx.ts'

/** Content of the holes from stub inpainting networks, 0 to 255. */
export const FILLING = [40, 120, 200] as const

const CONSTANTS = [
  { name: 'filling', dims: [1, 3, 1, 1], data: Float32Array.from(FILLING) },
  { name: 'white', dims: [1], data: Float32Array.of(255) },
  { name: 'one', dims: [1], data: Float32Array.of(1) },
  { name: 'shift', dims: [1], data: Float32Array.of(0) },
]

/** The given colour in the hole; elsewhere its input plus `shift`, both 0 to 255. */
const BLEND: Graph['nodes'] = [
  { op: 'Sub', inputs: ['one', 'missing'], outputs: ['kept'] },
  { op: 'Add', inputs: ['seen', 'shift'], outputs: ['shifted'] },
  { op: 'Mul', inputs: ['shifted', 'kept'], outputs: ['around'] },
  { op: 'Mul', inputs: ['filling', 'missing'], outputs: ['inside'] },
  { op: 'Add', inputs: ['around', 'inside'], outputs: ['blend'] },
]

/** The tensors of LaMa (models.json): input 0 to 1, a mask of 1 for missing pixels, output 0 to 255. */
export function lamaStandIn(shift = 0): Graph {
  return {
    inputs: [
      { name: 'image', shape: ['batch', 3, 512, 512] },
      { name: 'mask', shape: ['batch', 1, 512, 512] },
    ],
    outputs: [{ name: 'output', shape: ['batch', 3, 512, 512] }],
    constants: CONSTANTS.map((one) => (one.name === 'shift' ? { ...one, data: Float32Array.of(shift) } : one)),
    nodes: [
      { op: 'Mul', inputs: ['image', 'white'], outputs: ['seen'] },
      { op: 'Identity', inputs: ['mask'], outputs: ['missing'] },
      ...BLEND,
      { op: 'Identity', inputs: ['blend'], outputs: ['output'] },
    ],
  }
}

/** The tensors of MI-GAN: bytes, of any size, and a mask of 255 for known pixels. */
export const MIGAN_STAND_IN: Graph = {
  inputs: [
    { name: 'image', type: 'uint8', shape: [1, 3, 'h', 'w'] },
    { name: 'mask', type: 'uint8', shape: [1, 1, 'h', 'w'] },
  ],
  outputs: [{ name: 'result', type: 'uint8', shape: [1, 3, 'h', 'w'] }],
  constants: CONSTANTS,
  nodes: [
    { op: 'Cast', inputs: ['image'], outputs: ['seen'], attributes: { to: 1 } },
    { op: 'Cast', inputs: ['mask'], outputs: ['bytes'], attributes: { to: 1 } },
    { op: 'Div', inputs: ['bytes', 'white'], outputs: ['share'] },
    { op: 'Sub', inputs: ['one', 'share'], outputs: ['missing'] },
    ...BLEND,
    { op: 'Cast', inputs: ['blend'], outputs: ['result'], attributes: { to: 2 } },
  ],
}
