import type { FieldOrder } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Light } from '../../../engines/ffmpeg/light.ts'
import type { Container } from '../containers.ts'

/** How interlaced and HDR video is handled when it is encoded; both are `auto` by default. */
export interface PictureChoice {
  /**
   * `auto`: deinterlaces interlaced video; `deinterlace`: also video that is not declared as interlaced; `keep`: encodes
   * both fields, and fails if that is not possible.
   */
  interlace?: 'auto' | 'deinterlace' | 'keep'
  /**
   * `auto`: keeps HDR if the output can hold it, and tone-maps it otherwise; `keep`: fails if the output cannot hold it;
   * `sdr`: always tone-maps it.
   */
  hdr?: 'auto' | 'keep' | 'sdr'
}

/** Facts that need a look into the file, or at the installed ffmpeg. */
export interface PictureFacts {
  /** The field order of a video that declares none, measured, or of its first frame if fields are kept. */
  measuredOrder?: FieldOrder
  /** The best deinterlacer of the installed ffmpeg. */
  deinterlacer: 'bwdif' | 'yadif'
  /** The installed ffmpeg encodes HEVC. */
  hasHevc: boolean
  /** Of HDR video; undefined if it cannot be read. */
  light?: Light
  /** Names of dynamic HDR metadata, which no encode keeps. */
  dynamic?: readonly string[]
}

/** Assumed until the facts are known. */
export const USUAL_FACTS: PictureFacts = { deinterlacer: 'bwdif', hasHevc: true }

/** What is to be encoded, and how. */
export interface PictureRequest {
  choice: PictureChoice
  /** Options of the encoder, as the tool gives them. */
  options: readonly string[]
  /** Undefined for single images. */
  container?: Container
  /** The filters of the tool. */
  filters: readonly string[]
  /** The filters of the tool form a graph; `rows`: one that mixes no rows of the video. */
  graph?: 'any' | 'rows'
  facts?: PictureFacts
}

/** A message about a choice; advice if nothing is lost. */
export interface Notice {
  message: string
  isAdvice: boolean
}

const advice = (message: string): Notice => ({ message, isAdvice: true })
const loss = (message: string): Notice => ({ message, isAdvice: false })

export const NOTICES = {
  deinterlaced: (isMeasured: boolean): Notice =>
    advice(
      `the video is interlaced${isMeasured ? ', although it is not marked as such,' : ''} and was deinterlaced: set interlace to keep for both fields`,
    ),
  marked: advice('the video is interlaced, although it is not marked as such: the result is'),
  hdrKept: (codec: string): Notice =>
    advice(`the video stays HDR, as ${codec} with 10 bits: set hdr to sdr for players without HDR`),
  noHevc: loss('the video stays HDR as H.264, without its mastering data: the installed ffmpeg has no encoder libx265'),
  lightUnknown: loss(
    'mastering data of HDR video is left out: only ffprobe can read it, and it failed or is not installed',
  ),
  dynamicLost: (names: readonly string[]): Notice => loss(`metadata of the picture is left out: ${names.join(', ')}`),
} as const
