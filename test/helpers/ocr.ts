import { replaceModel } from '../../src/models/store/installed.ts'
import { stubModel } from './models.ts'
import type { Graph } from './onnx.ts'

/** Anything dark in any channel is text. */
const finder: Graph = {
  inputs: [{ name: 'x', shape: [1, 3, 'h', 'w'] }],
  outputs: [{ name: 'y', shape: [1, 1, 'h', 'w'] }],
  constants: [
    { name: 'half', dims: [1], data: Float32Array.of(-0.5) },
    { name: 'plus', dims: [1], data: Float32Array.of(0.5) },
  ],
  nodes: [
    { op: 'ReduceMin', inputs: ['x'], outputs: ['least'], attributes: { axes: [1], keepdims: 1 } },
    { op: 'Mul', inputs: ['least', 'half'], outputs: ['scaled'] },
    { op: 'Add', inputs: ['scaled', 'plus'], outputs: ['y'] },
  ],
}

/** Yellow (without blue) is an a, cyan (without red) a b: steps of 8 px, classes blank, a, b and space. */
const reader: Graph = {
  inputs: [{ name: 'x', shape: [1, 3, 48, 'w'] }],
  outputs: [{ name: 'y', shape: [1, 't', 4] }],
  constants: [
    { name: 'rows', dims: [3], data: BigInt64Array.of(1n, 3n, -1n) },
    { name: 'weights', dims: [3, 4], data: Float32Array.of(0, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0) },
    { name: 'plus', dims: [4], data: Float32Array.of(0.6, 0.5, 0.5, 0) },
  ],
  nodes: [
    { op: 'Neg', inputs: ['x'], outputs: ['dark'] },
    { op: 'MaxPool', inputs: ['dark'], outputs: ['most'], attributes: { kernel_shape: [48, 8], strides: [48, 8] } },
    { op: 'Reshape', inputs: ['most', 'rows'], outputs: ['flat'] },
    { op: 'Transpose', inputs: ['flat'], outputs: ['steps'], attributes: { perm: [0, 2, 1] } },
    { op: 'MatMul', inputs: ['steps', 'weights'], outputs: ['scores'] },
    { op: 'Add', inputs: ['scores', 'plus'], outputs: ['y'] },
  ],
}

/** All ocr models that would take precedence over a stub, and the data of Tesseract. */
const OTHERS = [
  ...['ppocr-cls-v2', 'pp-lcnet-textline-ori', 'ppocrv5-rec-korean'],
  ...['ppocrv6-det-small', 'ppocrv6-rec-small', 'ppocrv6-det-medium', 'ppocrv6-rec-medium'],
  ...['eng', 'deu', 'fra', 'spa', 'jpn', 'kor', 'chi-sim', 'osd'].map((name) => `tesseract-${name}`),
]

/** Replaces PP-OCRv4: bars are lines, a yellow one reads a, a cyan one b. No other model is installed. */
export function readBars(folder: string): void {
  stubModel(folder, 'ppocrv4-det-mobile', finder)
  stubModel(folder, 'ppocrv4-rec-mobile', { 'ch_PP-OCRv4_rec_infer.onnx': reader, 'ppocr_keys_v1.txt': 'a\nb\n' })
  for (const id of OTHERS) replaceModel(id, 'absent')
}

const READERS: Readonly<Record<string, readonly [graph: string, dictionary: string]>> = {
  'ppocrv4-rec-mobile': ['ch_PP-OCRv4_rec_infer.onnx', 'ppocr_keys_v1.txt'],
  'ppocrv6-rec-medium': ['inference.onnx', 'ppocrv6_dict.txt'],
  'ppocrv5-rec-korean': ['inference.onnx', 'ppocrv5_korean_dict.txt'],
}

/** Replaces every ocr model that a setting requires. */
export function stubReaders(folder: string): void {
  for (const id of ['ppocrv4-det-mobile', 'ppocrv6-det-medium']) stubModel(folder, id, finder)
  for (const [id, [graph, dictionary]] of Object.entries(READERS))
    stubModel(folder, id, { [graph]: reader, [dictionary]: 'a\nb\n' })
}
