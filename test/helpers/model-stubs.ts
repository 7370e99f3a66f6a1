import { stubModel } from './models.ts'
import { stubReaders } from './ocr.ts'
import type { Graph } from './onnx.ts'

/** The whole picture is subject: a network of U-2-Net's tensors that outputs 1 everywhere. */
const ALL_IS_SUBJECT: Graph = {
  inputs: [{ name: 'input.1', shape: [1, 3, 320, 320] }],
  outputs: [{ name: 'matte', shape: [1, 1, 320, 320] }],
  constants: [
    { name: 'zero', dims: [1], data: Float32Array.of(0) },
    { name: 'one', dims: [1], data: Float32Array.of(1) },
    { name: 'from', dims: [1], data: BigInt64Array.of(0n) },
    { name: 'to', dims: [1], data: BigInt64Array.of(1n) },
    { name: 'axis', dims: [1], data: BigInt64Array.of(1n) },
  ],
  nodes: [
    { op: 'Slice', inputs: ['input.1', 'from', 'to', 'axis'], outputs: ['plane'] },
    { op: 'Mul', inputs: ['plane', 'zero'], outputs: ['nothing'] },
    { op: 'Add', inputs: ['nothing', 'one'], outputs: ['matte'] },
  ],
}

/** Returns the picture unchanged. */
const IDENTITY: Graph = {
  inputs: [{ name: 'x', shape: [1, 3, 'h', 'w'] }],
  outputs: [{ name: 'y', shape: [1, 3, 'h', 'w'] }],
  nodes: [{ op: 'Identity', inputs: ['x'], outputs: ['y'] }],
}

/** Returns a face unchanged. */
const SAME_FACE: Graph = {
  inputs: [{ name: 'input', shape: [1, 3, 512, 512] }],
  outputs: [{ name: 'output', shape: [1, 3, 512, 512] }],
  nodes: [{ op: 'Identity', inputs: ['input'], outputs: ['output'] }],
}

/** Outputs no colour. */
const COLOURLESS: Graph = {
  inputs: [{ name: 'input', shape: [1, 1, 256, 256] }],
  outputs: [{ name: 'output', shape: [1, 2, 256, 256] }],
  constants: [{ name: 'zero', dims: [1], data: Float32Array.of(0) }],
  nodes: [
    { op: 'Mul', inputs: ['input', 'zero'], outputs: ['plane'] },
    { op: 'Concat', inputs: ['plane', 'plane'], outputs: ['output'], attributes: { axis: 1 } },
  ],
}

/** A denoising network that outputs 0.5 everywhere. */
const HALF_GREY: Graph = {
  inputs: [{ name: 'x', shape: [1, 3, 'h', 'w'] }],
  outputs: [{ name: 'y', shape: [1, 3, 'h', 'w'] }],
  constants: [
    { name: 'zero', dims: [1], data: Float32Array.of(0) },
    { name: 'half', dims: [1], data: Float32Array.of(0.5) },
  ],
  nodes: [
    { op: 'Mul', inputs: ['x', 'zero'], outputs: ['black'] },
    { op: 'Add', inputs: ['black', 'half'], outputs: ['y'] },
  ],
}

/** Replaces the denoising network by one that outputs 0.5 everywhere. */
export const stubGreyDenoiser = (folder: string): void => stubModel(folder, 'scunet-color-real-psnr', HALF_GREY)

/** One model of each family, small enough to run with every tool: for guarantees of a tool with any model output. */
export function useModelStubs(folder: string): void {
  stubReaders(folder)
  stubModel(folder, 'u2netp', ALL_IS_SUBJECT)
  stubModel(folder, 'scunet-color-real-psnr', IDENTITY)
  stubModel(folder, 'colorization-eccv16', COLOURLESS)
  stubModel(folder, 'gfpgan-1.4', SAME_FACE)
  stubModel(folder, 'codeformer', SAME_FACE)
}
