import type { Stream } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { FROM_THE_START } from '../../../../src/media/av/filters/channels.ts'
import { languageTag } from '../../../../src/media/av/labels/languages.ts'
import type { Rendition } from './ladder.ts'

/** Key frames come only where they are forced, so that they are at the same times in all renditions. */
const NO_OTHER_KEY_FRAMES = ['-g', '9999', '-sc_threshold', '0']
const AUDIO_KBPS = 128

export interface EncodeRequest {
  stream: Stream
  tracks: readonly Stream[]
  ladder: readonly Rendition[]
  segmentS: number
  /** Before the video is scaled. */
  filters: readonly string[]
  /** Options of the video encoder. */
  options: readonly string[]
}

/** Arguments that encode all renditions and write their segments, playlists and manifest into the working folder. */
export function encodeArguments({ stream, tracks, ladder, segmentS, filters, options }: EncodeRequest): string[] {
  const graph = [
    `[0:${stream.index}]${[...filters, `split=${ladder.length}`].join(',')}${ladder.map((_, at) => `[in${at}]`).join('')}`,
    // Sizes are rounded to even ones; the aspect ratio of the pixels compensates it, as one set has one aspect ratio.
    ...ladder.map(
      ({ width, height }, at) => `[in${at}]scale=${width}:${height}:flags=lanczos,format=yuv420p[out${at}]`,
    ),
  ]
  // Players switch the size of the video within one set, and offer each audio track as its own.
  const sets = ['id=0,streams=v', ...tracks.map((_, at) => `id=${at + 1},streams=${ladder.length + at}`)]
  return [
    ...['-filter_complex', graph.join(';')],
    ...ladder.flatMap((_, at) => ['-map', `[out${at}]`]),
    ...tracks.flatMap(({ index }) => ['-map', `0:${index}`]),
    ...options,
    ...ladder.flatMap(({ mostKbps }, at) => [
      ...[`-maxrate:v:${at}`, `${mostKbps}k`, `-bufsize:v:${at}`, `${2 * mostKbps}k`],
    ]),
    ...['-force_key_frames', `expr:gte(t,n_forced*${segmentS})`, ...NO_OTHER_KEY_FRAMES, '-vsync', 'vfr'],
    ...(tracks.length > 0 ? ['-c:a', 'aac', '-b:a', `${AUDIO_KBPS}k`] : []),
    ...tracks.flatMap(({ channels = 2 }, at) => [
      ...[`-filter:a:${at}`, FROM_THE_START, ...(channels > 2 ? [`-ac:a:${at}`, '2'] : [])],
    ]),
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    // ffmpeg writes it as it is into the manifest.
    ...tracks.flatMap(({ language = '' }, at) =>
      languageTag(language) ? [`-metadata:s:a:${at}`, `language=${language}`] : [],
    ),
    ...['-f', 'dash', '-seg_duration', String(segmentS), '-use_template', '1', '-use_timeline', '1'],
    ...['-hls_playlist', '1', '-adaptation_sets', sets.join(' ')],
    ...['-init_seg_name', 'init-$RepresentationID$.mp4'],
    ...['-media_seg_name', 'segment-$RepresentationID$-$Number%05d$.m4s', 'manifest.mpd'],
  ]
}
