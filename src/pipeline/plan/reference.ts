import type { DataPath } from '../read/diagnostics.ts'

/**
 * A file that the run itself has, as the value of a file setting or an item of `inputs`: the result of a variant, or the
 * pipeline's input. Plain data.
 */
export interface Reference {
  /** The indexes of the variants: several for one with a matrix, whose results are meant in order. */
  of: readonly number[] | 'input'
  /** Only this file, from 1. */
  file?: number
  /** For display: `the result of badge`. */
  label: string
  /** Where it is, for diagnostics. */
  path: DataPath
  /** The same for messages during the run: `shop.yaml:7:20`. */
  place?: string
}

/** An item of a variant's own inputs: the absolute path of a file, or a result. */
export type PartInput = string | Reference

/** `file 2 of the result of parts` */
export const referenceText = ({ label, file }: Pick<Reference, 'label' | 'file'>): string =>
  file === undefined ? label : `file ${file} of ${label}`
