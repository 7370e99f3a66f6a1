import type { MediaInfo, Stream } from '../../../engines/ffmpeg/ffprobe.ts'

/** Stream types of a media file; a cover is an image attached to music, not a video. */
export type StreamKind = 'video' | 'audio' | 'subtitle' | 'cover' | 'attachment' | 'data'

/** Intentional changes of a tool, which are not reported as losses. */
export type Change =
  /** Width, height and pixel aspect ratio. */
  | 'size'
  | 'frameRate'
  /** Bit depth, colours and alpha: GIF and WebP. */
  | 'pixels'
  | 'sampleRate'
  | 'channels'
  /** The loudness, which makes loudness tags obsolete. */
  | 'level'
  /** Interlaced video that is deinterlaced. */
  | 'fields'
  /** HDR that is tone-mapped on request. */
  | 'dynamicRange'
  /** Tags, titles, languages, roles and chapters: stripped or set. */
  | 'tags'
  /** The duration, by an amount only known afterwards. */
  | 'length'

/** The reason for a loss, if more is known than that the output lacks it. */
export type Reason = 'container' | 'damaged' | 'codec' | 'time' | 'replaced' | 'joined'

/** A property of a source that the output lacks, or has in another form, although that was not requested. */
export interface Loss {
  kind:
    | 'streams'
    | 'cues'
    | 'chapters'
    | 'chapterTitles'
    | 'language'
    | 'title'
    | 'role'
    | 'default'
    | 'tags'
    | 'timecode'
    | 'hdr'
    | 'hdrMetadata'
    | 'colour'
    | 'interlaced'
    | 'pixels'
    | 'alpha'
    | 'shape'
    | 'edge'
    | 'frameRate'
    | 'steadyRate'
    | 'sampleRate'
    | 'sampleBits'
    | 'channels'
    | 'clipping'
  /** The stream type concerned. */
  of?: StreamKind
  /** The position of the stream among those of its type, from 0. */
  stream?: number
  /** The source's value. */
  from: string | number
  /** The output's value; absent if the output has none. */
  to?: string | number
  reason?: Reason
}

export function kindOf({ type, isAttachedPicture }: Stream): StreamKind {
  return type === 'video' && isAttachedPicture ? 'cover' : type
}

/** The streams of a type, in file order. */
export const streamsOf = ({ streams }: MediaInfo, kind: StreamKind): Stream[] =>
  streams.filter((stream) => kindOf(stream) === kind)
