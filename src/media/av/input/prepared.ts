import type { PictureFacts } from '../picture/request.ts'
import type { Cut } from '../range.ts'
import type { Pass } from '../target-size/passes.ts'

/** Text subtitles of the source as files that are cut like the video, identified by stream index and codec. */
export type CutTexts = readonly { index: number; path: string; codec: string }[]

/**
 * Data of the source that the final plan requires: frames and subtitles at a cut, fields and HDR metadata, covers that
 * become tags.
 */
export interface Prepared {
  cut?: Cut
  texts?: CutTexts
  /** Audio tracks that have nothing in the part that is kept, by stream index; undefined for none. */
  emptyTracks?: readonly number[]
  picture?: PictureFacts
  /** A file with the cover images as tags. */
  coverTags?: string
  /** A file with the chapters of the result. */
  chapters?: string
  /** The pass of an encode with a bit rate. */
  pass?: Pass
}
