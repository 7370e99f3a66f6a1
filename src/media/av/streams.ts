import { audioStreams, type Stream, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import { audioCodecFor, encoderOf, videoCodecFor } from './codecs.ts'
import { type Container, canHold, subtitleCodec } from './containers.ts'
import type { AvSource } from './input/part.ts'
import { COVER_CODECS, type CoverTag, isReadableCover } from './labels/cover-tags.ts'
import { isChosen } from './labels/track-choice.ts'
import type { Merged } from './merge.ts'
import { isHdr } from './picture/hdr.ts'
import { type PicturePlan, planPicture } from './picture/plan.ts'
import type { PictureFacts } from './picture/request.ts'

/** A stream of the source that is written to the output. */
interface Chosen {
  stream: Stream
  /** Copied, or encoded with the options for its type. */
  codec: 'copy' | 'encode'
  bitstreamFilter?: string | undefined
}

/** The streams of the output in order, and how they are encoded. */
export interface Choice {
  videos: Chosen[]
  audios: Chosen[]
  /** Index of the input whose audio is used instead; `audios` is then empty. */
  otherAudio: number | undefined
  /** With the codec for each, including `copy`. */
  subtitles: { stream: Stream; codec: string }[]
  /** Cover images of the source. Where they are tags, `coverTags` lists them instead. */
  covers: Chosen[]
  /** Index of the input whose picture is the cover instead. */
  otherCover: number | undefined
  /** The cover images that are written as tags: streams of the source, or a file. */
  coverTags: readonly CoverTag[]
  attachments: Stream[]
  /** How the encoded videos are handled, by the first of them. */
  picture: PicturePlan | undefined
  /** ffmpeg options for the encoded videos. */
  videoOptions: string[]
  audioOptions: string[]
}

/**
 * Decides for each stream of the source whether it is dropped, copied or encoded.
 * @throws MediaprocError INVALID_SETTINGS when fields or HDR are to be kept and the output cannot hold them
 */
export function chooseStreams(
  source: AvSource,
  merged: Merged,
  extension: string,
  container: Container,
  facts?: PictureFacts,
): Choice {
  const { streams, format } = source.info
  const sameKind = source.extension === extension && format.split(',').includes(container.demuxer)
  const fits = (stream: Stream) => sameKind || canHold(container, stream)
  const cutExactly = merged.filteredCut || merged.cut?.exact === true

  const first = videoStream(source.info)
  const trueVideos = streams.filter((stream) => stream.type === 'video' && !stream.isAttachedPicture)
  const keepsVideo = merged.keepVideo && container.video.length > 0
  const oneVideo = merged.singleVideo || container.single
  const isAsked = merged.videoOptions || merged.videoFilters.length > 0 || merged.complexFilter
  const isConverted = (stream: Stream): boolean =>
    merged.picture.interlace === 'deinterlace' || (merged.picture.hdr === 'sdr' && isHdr(stream))
  const videos = !keepsVideo || !first ? [] : oneVideo ? [first] : trueVideos

  const keepsAudio = merged.keepAudio && container.audio.length > 0
  const otherAudio = keepsAudio ? merged.otherAudio : undefined
  const oneAudio = merged.singleAudio || container.single
  const encodeAudio = cutExactly || merged.audioOptions || merged.audioFilters.length > 0
  const isKept = (stream: Stream): boolean => isChosen(stream, merged.tracks)
  const ownAudios = keepsAudio && otherAudio === undefined ? audioStreams(source.info).filter(isKept) : []

  // Filters that cut or change the speed do not affect subtitles, which would lose sync.
  const keepsSubtitles = merged.keepSubtitles && !merged.otherSubtitles && !merged.filteredCut && !merged.retimed
  const chosen = videos.map((stream): Chosen => {
    const isLost = stream.rotation !== 0 && !container.rotation
    if (cutExactly || isAsked || isConverted(stream) || isLost || !fits(stream)) return { stream, codec: 'encode' }
    return { stream, codec: 'copy', bitstreamFilter: container.bitstreamFilters?.[stream.codec] }
  })
  const encoded = chosen.find(({ codec }) => codec === 'encode')?.stream
  const options = complete(merged.videoOptions, videoCodecFor(extension), 'v')
  const { picture: choice, videoFilters: filters, complexFilter, keepsRows, laterVideoFilters } = merged
  const graph = complexFilter && ({ graph: keepsRows && laterVideoFilters.length === 0 ? 'rows' : 'any' } as const)
  const picture =
    encoded && planPicture(encoded, { ...{ choice, options, container, filters }, ...graph, ...(facts && { facts }) })
  // The poster of a video does not belong to its audio alone.
  const keepsCovers = (merged.keepVideo || !first) && !merged.complexFilter && !merged.cover
  const covers = keepsCovers ? streams.filter(isReadableCover) : []
  const otherCover = typeof merged.cover === 'object' ? merged.cover : undefined
  const isStream = container.covers === 'stream'
  return {
    videos: chosen,
    audios: ownAudios.slice(0, oneAudio ? 1 : undefined).map((stream) => ({
      stream,
      codec: encodeAudio || !fits(stream) ? 'encode' : 'copy',
    })),
    otherAudio,
    subtitles: keepsSubtitles ? keptSubtitles(streams.filter(isKept), container) : [],
    covers: isStream
      ? covers.map((stream) => ({ stream, codec: COVER_CODECS.has(stream.codec) ? 'copy' : 'encode' }))
      : [],
    otherCover: isStream ? otherCover?.input : undefined,
    coverTags: container.covers !== 'tag' ? [] : otherCover ? [otherCover] : covers.map((stream) => ({ stream })),
    attachments: container.attachments ? streams.filter((stream) => stream.type === 'attachment') : [],
    picture,
    videoOptions: picture?.options ?? options,
    audioOptions: complete(merged.audioOptions, audioCodecFor(extension), 'a'),
  }
}

function keptSubtitles(streams: readonly Stream[], container: Container): Choice['subtitles'] {
  return streams.flatMap((stream) => {
    const codec = stream.type === 'subtitle' ? subtitleCodec(container, stream) : undefined
    return codec ? [{ stream, codec }] : []
  })
}

/** Options that name no encoder modify the default ones. */
function complete(given: string[] | undefined, defaults: string[], type: 'v' | 'a'): string[] {
  if (!given) return defaults
  return encoderOf(given, type) ? given : [...defaults, ...given]
}
