/** What stands in a part of a file beside the pixels; `other` is what has no kind of its own: comments, dates, previews. */
export type Kind = 'exif' | 'xmp' | 'icc' | 'other'

/** A part of a file, from its first byte to the one behind it. */
export interface Range {
  start: number
  end: number
}
