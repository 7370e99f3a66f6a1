import type { Values } from '../forms/values.ts'

/** What every drawing gets of the form. */
export interface DrawingProps {
  values: Values
  onValues(values: Values): void
}
