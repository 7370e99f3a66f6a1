import type { Chapter, MediaInfo } from '../../../engines/ffmpeg/ffprobe.ts'
import type { FrameProgress } from '../../../engines/ffmpeg/progress.ts'
import type { Tracks } from '../labels/track-choice.ts'
import type { PictureChoice } from '../picture/request.ts'
import type { Change } from '../verify/loss.ts'

/** When a packet or consecutive packets play, seconds. */
export interface PlayedTime {
  startS: number
  endS: number
}

/** A video or audio file used as the source of an ffmpeg command. */
export interface AvSource {
  path: string
  /** Original file name, for messages. */
  name: string
  /** Lower case, without dot. */
  extension: string
  info: MediaInfo
  /** The duration is measured or estimated because the file does not state it, so it cannot reveal missing data. */
  lengthIsGuessed?: true
  /** When its audio tracks play, by stream index, if the packets were listed: of many parts, each is found in it. */
  played?: ReadonlyMap<number, readonly PlayedTime[]>
}

/** One tool's contribution to the command; all fields are optional. */
export interface AvPart {
  /**
   * Keeps only this time range, seconds, of the result of the previous parts. `exact` false: cuts at packets and copies
   * if nothing else requires encoding, so the clip may start at the preceding key frame; true: cuts at the frame, which
   * requires encoding.
   */
  range?: { startS?: number; endS?: number; exact: boolean }
  /** A file whose only video replaces the video of the source in this range, without encoding; it starts at 0. */
  joinedVideo?: string
  /** Complete filters, e.g. `scale=640:-2:flags=lanczos`, appended in order to the chain of every video stream. */
  videoFilters?: string[]
  /** Complete filters, appended to the chain of every audio stream in order. */
  audioFilters?: string[]
  /** Intentional changes; any other difference between source and output is reported as a loss. */
  changes?: readonly Change[]
  /** `drop`: no video in the output. The cover image of music is kept with its audio. */
  video?: 'keep' | 'drop'
  /** `drop`, or a JPEG or PNG file that replaces all cover images; kept by default where the container supports it. */
  cover?: 'keep' | 'drop' | { path: string }
  /** File-level tags by ffmpeg's names; an empty value removes the tag. `strip`: no tags, titles or chapters. */
  tags?: 'strip' | Readonly<Record<string, string>>
  /**
   * `drop`, or replaced by the first audio stream of another file, cut to the duration of the video if there is one.
   */
  audio?: 'keep' | 'drop' | { path: string; padToVideo: boolean }
  /**
   * `drop`, or replaced by the text of a subtitle file, with its ISO 639-2 language code; `codec` is an ffmpeg codec
   * that replaces the container's default, and `cues` is the number of cues that the output must have.
   */
  subtitles?: 'keep' | 'drop' | { path: string; language: string; codec?: string; cues?: number }
  /** Only these audio or subtitle tracks are kept, by their stream indexes; all by default. */
  tracks?: Tracks
  /** How interlaced and HDR video is encoded. */
  picture?: PictureChoice
  /** `complexFilter` mixes no rows of the video, so that the fields of interlaced video can be kept. */
  keepsRows?: true
  /** Additional input files for `complexFilter`, each with its own ffmpeg input options. */
  inputs?: readonly { path: string; options?: readonly string[] }[]
  /** Codec options as ffmpeg arguments; if present, the stream is encoded. */
  encode?: {
    /** Added to the container's default codec, or replaces it if they name a codec with `-c:v`. */
    video?: string[]
    /** Like `video`, with `-c:a`. */
    audio?: string[]
    /** Output extension. */
    container?: string
    /** Options of the muxer and of the whole output, passed last. */
    options?: string[]
  }
  /** Only the first video stream that is not a cover image. */
  singleVideo?: boolean
  /** Only the first audio stream. */
  singleAudio?: boolean
  /**
   * A filter graph that is more than a chain: receives its input label, e.g. `[in]`, and returns the graph, which ends
   * with `[v]`. It follows this part's `videoFilters`. Labels that start with `mediaproc_` are reserved.
   * @param inputs indexes of this part's additional `inputs` in the command: `[${inputs[0]}:v]`
   */
  complexFilter?: (videoIn: string, inputs: readonly number[]) => string
  /** Set when the filters change the duration: returns the new duration from the previous one, seconds. */
  changesDuration?: (durationS: number) => number
  /**
   * Where a time is after a change of the duration, seconds: chapters follow it. They are left out if only
   * `changesDuration` is set.
   */
  mapsTime?: (timeS: number) => number
  /** Chapters of the result instead of those of the source, by their times in it. */
  chapters?: readonly Chapter[]
  /** Share of the work done while the part was planned, 0 to 1; the encode is the rest. */
  progressFrom?: number
  /**
   * Progress is reported by frames: the expected number of frames, and their share of the work. Below 1, the filters
   * use `PRINTED_TIMES` for the rest.
   */
  frames?: FrameProgress
  /** The result is expected to be smaller than its source; a warning is issued if it is not. */
  isMeantSmaller?: boolean
  /**
   * The result has at most `bytes`: the video is encoded in two passes, and starts with this bit rate. Requires
   * `endsRun`. If that is not reached, it has at most `mostBytes`.
   */
  target?: { bytes: number; mostBytes?: number; videoKbps: number }
  /** No further part can be added to the same command. */
  endsRun?: boolean
}
