/** The value of a parameter. */
export type Scalar = string | number | boolean

/** The values of parameters by name. */
export type Parameters = ReadonlyMap<string, Scalar>

/** A parameter that a pipeline declares. */
export interface DeclaredParameter {
  name: string
  /** A parameter without one must be given. */
  default?: Scalar
  description?: string
}

/** Whether a value can be that of a parameter. */
export const isScalarValue = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
