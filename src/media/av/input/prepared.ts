import type { Cut } from '../range.ts'

/** Text subtitles of the source as files that are cut like the video, identified by stream index and codec. */
export type CutTexts = readonly { index: number; path: string; codec: string }[]

/** Data that is required before the command can run: frames and subtitles at a cut, covers that become tags. */
export interface Prepared {
  cut?: Cut
  texts?: CutTexts
  /** A file with the cover images as tags. */
  coverTags?: string
}
