import type { MediaInfo, Stream } from '../../../engines/ffmpeg/ffprobe.ts'

/** The kinds of streams of a media file; a cover is a picture that belongs to music, not a video. */
export type StreamKind = 'video' | 'audio' | 'subtitle' | 'cover' | 'attachment' | 'data'

/** What a tool changes on purpose, so that a change of it is no loss. */
export type Change =
  /** Width, height and the shape of the pixels. */
  | 'size'
  | 'frameRate'
  /** Bits, colours and alpha of the picture: GIF and WebP. */
  | 'pixels'
  | 'sampleRate'
  | 'channels'
  /** The loudness: measurements of it in tags are no longer true. */
  | 'level'
  /** Tags, titles, languages, roles and chapters: they are stripped, or set. */
  | 'tags'
  /** The length, by an amount that is known only afterwards. */
  | 'length'

/** Why something is lost, where more is known than that the output lacks it. */
export type Reason = 'container' | 'codec' | 'time' | 'replaced' | 'joined'

/** A fact of a source that the output lacks, or has in another form, although nobody asked for that. */
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
  /** The kind of the stream that it concerns. */
  of?: StreamKind
  /** The position of the stream among those of its kind, from 0. */
  stream?: number
  /** What the source has. */
  from: string | number
  /** What the output has; absent where it has nothing of it. */
  to?: string | number
  reason?: Reason
}

export function kindOf({ type, isAttachedPicture }: Stream): StreamKind {
  return type === 'video' && isAttachedPicture ? 'cover' : type
}

/** The streams of a kind, in file order. */
export const streamsOf = ({ streams }: MediaInfo, kind: StreamKind): Stream[] =>
  streams.filter((stream) => kindOf(stream) === kind)
