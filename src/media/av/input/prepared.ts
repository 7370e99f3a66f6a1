import type { Cut } from '../range.ts'

/** Text subtitles of the source as files that are cut like the picture: by the number and the codec of their stream. */
export type CutTexts = readonly { index: number; path: string; codec: string }[]

/** What must be known of the frames and the subtitles at a cut before it can be made. */
export interface Prepared {
  cut?: Cut
  texts?: CutTexts
}
