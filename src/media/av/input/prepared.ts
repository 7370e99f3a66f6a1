import type { Cut } from '../range.ts'

/** Text subtitles of the source as files that are cut like the video, identified by stream index and codec. */
export type CutTexts = readonly { index: number; path: string; codec: string }[]

/** Frame and subtitle data that is required before a cut can be made. */
export interface Prepared {
  cut?: Cut
  texts?: CutTexts
}
