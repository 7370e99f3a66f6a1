import type { Size } from '../frame.ts'

/** A rectangle, px. */
export interface Area extends Size {
  left: number
  top: number
}
