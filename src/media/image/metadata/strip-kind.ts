/**
 * Type of non-pixel data in part of a file; `other` is everything without a type of its own: comments, dates, previews.
 */
export type Kind = 'exif' | 'xmp' | 'icc' | 'other'

/** A byte range of a file, end exclusive. */
export interface Range {
  start: number
  end: number
}
