/** The element types that the supported models use, by ONNX name. */
export interface TensorArrays {
  float32: Float32Array
  float64: Float64Array
  /** Half floats as their raw 16 bits. */
  float16: Uint16Array
  int64: BigInt64Array
  int32: Int32Array
  uint8: Uint8Array
  bool: Uint8Array
}

export type ElementType = keyof TensorArrays

/** Values and their shape. Plain data, so that it can be sent to another thread. */
export type Tensor = {
  [Type in ElementType]: { type: Type; data: TensorArrays[Type]; dims: readonly number[] }
}[ElementType]

/** The declaration of a model's input or output. */
export interface TensorInfo {
  name: string
  type: string
  /** A name if the dimension is dynamic. */
  shape: readonly (number | string)[]
}

/** A float tensor, the most common type. */
export function floats(data: Float32Array, dims: readonly number[]): Tensor {
  return { type: 'float32', data, dims }
}

/**
 * The values of a tensor that must be a float tensor.
 * @throws Error if it is missing or has another type: the model does not match its contract
 */
export function floatData(tensor: Tensor | undefined): Float32Array {
  if (tensor?.type !== 'float32')
    throw new Error(`The model gave ${tensor?.type ?? 'nothing'} where its contract says float32`)
  return tensor.data
}
