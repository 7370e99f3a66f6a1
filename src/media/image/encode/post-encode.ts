/** Result of post-processing an image file after it was written. */
export interface Afterwards {
  /** A sentence for users about data that the file still lacks. */
  loss?: string
  /** The file was modified, so its size has changed. */
  isRewritten?: boolean
}
