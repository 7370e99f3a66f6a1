/**
 * ONNX graphs for tests, written as the format's protocol buffers: stubs with the tensors of models whose weights are not
 * available here. Field numbers are those of onnx.proto3 (ONNX 1.x).
 */

const VARINT = 0
const BYTES = 2

const ELEMENT_TYPES = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9, float16: 10, float64: 11 } as const
export type ElementType = keyof typeof ELEMENT_TYPES

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 127n)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 128 : low)
  } while (rest > 0n)
  return bytes
}

type Field = readonly [number: number, value: number | string | Uint8Array | Field[]]

function encode(fields: readonly Field[]): Buffer {
  const parts = fields.map(([number, value]) => {
    if (typeof value === 'number') return Buffer.from([...varint((number << 3) | VARINT), ...varint(value)])
    const bytes = Array.isArray(value) ? encode(value) : Buffer.from(value as string)
    return Buffer.concat([Buffer.from([...varint((number << 3) | BYTES), ...varint(bytes.length)]), bytes])
  })
  return Buffer.concat(parts)
}

/** An input or output tensor of a graph; a name is a variable length. */
export interface Value {
  name: string
  type?: ElementType
  shape: readonly (number | string)[]
}

/** A constant of a graph. */
export interface Constant {
  name: string
  dims: readonly number[]
  data: Float32Array | BigInt64Array | Float64Array | Uint8Array
}

export interface Node {
  op: string
  inputs: readonly string[]
  outputs: readonly string[]
  /** Numbers are integers. */
  attributes?: Readonly<Record<string, number | readonly number[] | { text: string }>>
}

export interface Graph {
  inputs: readonly Value[]
  outputs: readonly Value[]
  constants?: readonly Constant[]
  nodes: readonly Node[]
}

const valueInfo = ({ name, type = 'float32', shape }: Value): Field[] => [
  [1, name],
  [
    2,
    [
      [
        1,
        [
          [1, ELEMENT_TYPES[type]],
          [2, shape.map((length): Field => [1, [typeof length === 'number' ? [1, length] : [2, length]]])],
        ],
      ],
    ],
  ],
]

function typeOf(data: Constant['data']): number {
  if (data instanceof Float32Array) return ELEMENT_TYPES.float32
  if (data instanceof Float64Array) return ELEMENT_TYPES.float64
  return data instanceof BigInt64Array ? ELEMENT_TYPES.int64 : ELEMENT_TYPES.uint8
}

const tensor = ({ name, dims, data }: Constant): Field[] => [
  ...dims.map((length): Field => [1, length]),
  [2, typeOf(data)],
  [8, name],
  [9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)],
]

/** AttributeProto: the field number and the type code of a value. */
function attribute(name: string, value: NonNullable<Node['attributes']>[string]): Field[] {
  if (typeof value === 'number')
    return [
      [1, name],
      [3, value],
      [20, 2],
    ]
  if ('text' in value)
    return [
      [1, name],
      [4, value.text],
      [20, 3],
    ]
  return [[1, name], ...value.map((one): Field => [8, one]), [20, 7]]
}

const node = ({ op, inputs, outputs, attributes = {} }: Node): Field[] => [
  ...inputs.map((name): Field => [1, name]),
  ...outputs.map((name): Field => [2, name]),
  [4, op],
  ...Object.entries(attributes).map(([name, value]): Field => [5, attribute(name, value)]),
]

const IR_VERSION = 8
const OPSET = 17

/** The bytes of an ONNX file. */
export function onnxModel({ inputs, outputs, constants = [], nodes }: Graph): Buffer {
  return encode([
    [1, IR_VERSION],
    [
      7,
      [
        ...nodes.map((one): Field => [1, node(one)]),
        [2, 'graph'],
        ...constants.map((one): Field => [5, tensor(one)]),
        ...inputs.map((one): Field => [11, valueInfo(one)]),
        ...outputs.map((one): Field => [12, valueInfo(one)]),
      ],
    ],
    [8, [[2, OPSET]]],
  ])
}
