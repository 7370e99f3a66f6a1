/** The element types that the models of this house use, as ONNX names them. */
export interface TensorArrays {
  float32: Float32Array
  float64: Float64Array
  /** Half floats as their 16 bits. */
  float16: Uint16Array
  int64: BigInt64Array
  int32: Int32Array
  uint8: Uint8Array
  bool: Uint8Array
}

export type ElementType = keyof TensorArrays

/** Numbers and their shape. Plain data, so that it can go to another thread. */
export type Tensor = {
  [Type in ElementType]: { type: Type; data: TensorArrays[Type]; dims: readonly number[] }
}[ElementType]

/** Description of an input or output of a model. */
export interface TensorInfo {
  name: string
  type: string
  /** A name where the model leaves the length open. */
  shape: readonly (number | string)[]
}

/** A float tensor, the usual one. */
export function floats(data: Float32Array, dims: readonly number[]): Tensor {
  return { type: 'float32', data, dims }
}

/**
 * The numbers of a tensor that must be one of floats.
 * @throws Error where it is of another type: the model is not the one that its contract describes
 */
export function floatData({ type, data }: Tensor): Float32Array {
  if (type !== 'float32') throw new Error(`The model gave ${type} where its contract says float32`)
  return data
}
