import type { MediaInfo } from '../../../engines/ffmpeg/ffprobe.ts'
import type { FrameProgress } from '../../../engines/ffmpeg/progress.ts'
import type { Change } from '../verify/loss.ts'

/** A video or audio file that an ffmpeg command starts from. */
export interface AvSource {
  path: string
  /** Original file name, for people. */
  name: string
  /** Lower case, without the dot. */
  extension: string
  info: MediaInfo
  /** Its length is measured or guessed, as the file does not tell it: nothing can be missing by it. */
  lengthIsGuessed?: true
}

/** What one tool contributes to the command; everything is optional. */
export interface AvPart {
  /**
   * Keeps only this time, seconds, of what the parts before give. `exact` false: cut at packets and copied where nothing
   * else needs an encode, so the clip may begin at the key frame before; true: to the frame, which encodes.
   */
  range?: { startS?: number; endS?: number; exact: boolean }
  /** Complete filters, e.g. `scale=640:-2:flags=lanczos`, appended to the chain of every video stream in order. */
  videoFilters?: string[]
  /** Complete filters, appended to the chain of every audio stream in order. */
  audioFilters?: string[]
  /** What it changes on purpose; every other difference between source and output is reported as a loss. */
  changes?: readonly Change[]
  /** `drop`: no video in the output. The cover of music goes with its sound. */
  video?: 'keep' | 'drop'
  /** `drop`, or replaced by the first audio stream of another file, cut to the length of the video where there is one. */
  audio?: 'keep' | 'drop' | { path: string; padToVideo: boolean }
  /**
   * `drop`, or replaced by the text of a subtitle file, in a language by its ISO 639-2 code; `codec` is ffmpeg's instead of the
   * one of the container, and `cues` is how many cues the output must have.
   */
  subtitles?: 'keep' | 'drop' | { path: string; language: string; codec?: string; cues?: number }
  /** Further files that the command reads, for `complexFilter`: each with ffmpeg's own options for reading it. */
  inputs?: readonly { path: string; options?: readonly string[] }[]
  /** Codec options as ffmpeg arguments: their presence makes that stream be encoded. */
  encode?: {
    /** Added to the container's default codec, or instead of it where they name one with `-c:v`. */
    video?: string[]
    /** As `video`, with `-c:a`. */
    audio?: string[]
    /** Output extension. */
    container?: string
    /** Options of the muxer and of the whole output, given last. */
    options?: string[]
  }
  /** Only the first true video stream. */
  singleVideo?: boolean
  /** Only the first audio stream. */
  singleAudio?: boolean
  /**
   * A filter graph that is more than a chain: given the label of its input, e.g. `[in]`, returns the graph, which ends
   * with `[v]`. It comes after this part's `videoFilters`. Labels that begin with `mediaproc_` are taken.
   * @param inputs numbers of this part's further `inputs` in the command: `[${inputs[0]}:v]`
   */
  complexFilter?: (videoIn: string, inputs: readonly number[]) => string
  /** The filters make the result longer or shorter: its length, seconds, from the length before. */
  changesDuration?: (durationS: number) => number
  /** How much of the work was done while the part was planned, 0 to 1: the encode is the rest. */
  progressFrom?: number
  /**
   * The result shows its progress by frames: how many there will be, and which share of the work they are. Below 1, its filters
   * have `PRINTED_TIMES` for the rest.
   */
  frames?: FrameProgress
  /** The result is meant to be smaller than its source: where it is not, that is told. */
  isMeantSmaller?: boolean
  /** No further part can be added to the same command. */
  endsRun?: boolean
}
