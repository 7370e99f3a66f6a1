import type { Graph } from './onnx.ts'

/** A network of U-2-Net's tensors that takes the red of the picture as its subject. */
export function redIsSubject(side: number): Graph {
  return {
    inputs: [{ name: 'input.1', shape: [1, 3, side, side] }],
    outputs: [{ name: 'matte', shape: [1, 1, side, side] }],
    constants: [
      { name: 'from', dims: [1], data: BigInt64Array.of(0n) },
      { name: 'to', dims: [1], data: BigInt64Array.of(1n) },
      { name: 'axis', dims: [1], data: BigInt64Array.of(1n) },
      { name: 'deviation', dims: [1], data: Float32Array.of(0.229) },
      { name: 'mean', dims: [1], data: Float32Array.of(0.485) },
    ],
    nodes: [
      { op: 'Slice', inputs: ['input.1', 'from', 'to', 'axis'], outputs: ['red'] },
      { op: 'Mul', inputs: ['red', 'deviation'], outputs: ['scaled'] },
      { op: 'Add', inputs: ['scaled', 'mean'], outputs: ['matte'] },
    ],
  }
}
