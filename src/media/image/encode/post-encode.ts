/** What was done to the file of a picture once it was written. */
export interface Afterwards {
  /** What the file does not hold all the same, as a sentence for a person. */
  loss?: string
  /** Something was written into it, so that its size is another one. */
  isRewritten?: boolean
}
