import type { Stream } from '../../engines/ffmpeg/ffprobe.ts'

/** Capabilities of a container, by file extension. Codecs use ffprobe's names; a trailing `*` is a wildcard. */
export interface Container {
  muxer: string
  /** The demuxer's name in `MediaInfo.format` for these files; '' when another container shares it. */
  demuxer: string
  video: readonly string[]
  audio: readonly string[]
  /** The format that text subtitles are converted to; none if text subtitles are not supported. */
  textSubtitles?: 'mov_text' | 'webvtt' | 'srt'
  /** Subtitle codecs that can be copied. */
  subtitles: readonly string[]
  /** How cover images are stored: as a stream for ffmpeg, as a tag (Ogg), or not at all. */
  covers: 'stream' | 'tag' | false
  /** Supports display rotation. */
  rotation: boolean
  attachments: boolean
  chapters: boolean
  /** The bitstream filter that a video codec needs when copied into this container. */
  bitstreamFilters?: Readonly<Record<string, string>>
  /** Supports at most one video and one audio stream. */
  single: boolean
  /** Muxer options that are always passed. */
  options: readonly string[]
}

const ANYTHING = ['*']
/** Text subtitle formats that ffmpeg can convert into each other. */
const TEXT_SUBTITLES = new Set(['subrip', 'srt', 'ass', 'ssa', 'mov_text', 'webvtt', 'text', 'subviewer', 'microdvd'])

const plain = (muxer: string, demuxer: string, video: readonly string[], audio: readonly string[]): Container => ({
  ...{ muxer, demuxer, video, audio, covers: false },
  ...{ subtitles: [], rotation: false, attachments: false, chapters: false, options: [] },
  // Plain audio files hold one stream.
  single: video.length === 0,
})

// Moves the index to the front, so that playback can start before a download completes. ffmpeg treats MP4 as a format
// with a constant frame rate and would repeat frames, although it is not.
const FASTSTART = ['-movflags', '+faststart', '-vsync', 'vfr']
const MOV_FAMILY = {
  ...({ demuxer: 'mov', textSubtitles: 'mov_text', subtitles: ['mov_text'], covers: 'stream' } as const),
  ...{ rotation: true, attachments: false, chapters: true, single: false, options: FASTSTART },
}
const MP4: Container = {
  ...MOV_FAMILY,
  muxer: 'mp4',
  video: ['h264', 'hevc', 'av1', 'mpeg4', 'mpeg2video', 'mpeg1video', 'vp9'],
  audio: ['aac', 'mp3', 'mp2', 'ac3', 'eac3', 'alac'],
}
const M4A: Container = { ...MOV_FAMILY, muxer: 'ipod', video: [], audio: ['aac', 'alac', 'ac3'] }
const MATROSKA: Container = {
  ...{ muxer: 'matroska', demuxer: 'matroska', video: ANYTHING, audio: ANYTHING, textSubtitles: 'srt' },
  subtitles: ['subrip', 'ass', 'webvtt', 'hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle'],
  ...{ covers: false, rotation: false, attachments: true, chapters: true, single: false, options: [] },
}
const TS: Container = {
  ...plain(
    'mpegts',
    'mpegts',
    ['h264', 'hevc', 'mpeg2video', 'mpeg1video', 'mpeg4'],
    ['aac', 'mp2', 'mp3', 'ac3', 'eac3', 'dts', 'opus'],
  ),
  subtitles: ['dvb_subtitle', 'dvb_teletext'],
}
const MPEG = plain('mpeg', 'mpeg', ['mpeg1video', 'mpeg2video'], ['mp2', 'mp3', 'ac3'])
const OGG = plain('ogg', 'ogg', ['theora', 'vp8'], ['vorbis', 'opus', 'flac', 'speex'])
const OGG_AUDIO: Container = { ...OGG, video: [], single: true, covers: 'tag' }
const ASF = plain('asf', 'asf', ['wmv*', 'vc1', 'msmpeg4*', 'mpeg4', 'h264'], ['wma*', 'mp3', 'aac'])
// AIFF and bare AAC store tags in an ID3 header, which ffmpeg writes only on request.
const ID3 = ['-write_id3v2', '1']
const AIFF: Container = {
  ...plain('aiff', 'aiff', [], ['pcm_s16be', 'pcm_s24be', 'pcm_s32be', 'pcm_s8']),
  ...{ covers: 'stream', options: ID3 },
}

const CONTAINERS: Readonly<Record<string, Container>> = {
  mp4: MP4,
  m4v: MP4,
  mov: {
    ...MP4,
    muxer: 'mov',
    video: [...MP4.video, 'prores', 'dnxhd', 'mjpeg', 'qtrle'],
    audio: [...MP4.audio, 'pcm_*'],
  },
  '3gp': { ...MP4, muxer: '3gp', video: ['h264', 'h263', 'mpeg4'], audio: ['aac', 'amr_nb', 'amr_wb'], covers: false },
  m4a: M4A,
  m4b: M4A,
  m4r: M4A,
  mkv: MATROSKA,
  mka: { ...MATROSKA, video: [] },
  webm: {
    ...plain('webm', '', ['vp8', 'vp9', 'av1'], ['opus', 'vorbis']),
    textSubtitles: 'webvtt',
    subtitles: ['webvtt'],
    chapters: true,
  },
  avi: {
    ...plain(
      'avi',
      'avi',
      ['h264', 'mpeg4', 'msmpeg4*', 'mjpeg', 'mpeg1video', 'mpeg2video', 'dvvideo', 'huffyuv', 'ffv1', 'rawvideo'],
      ['mp3', 'mp2', 'ac3', 'pcm_s16le', 'pcm_u8', 'wmav2'],
    ),
    // AVI cannot store the parameter sets that MP4 and Matroska keep outside the frames.
    bitstreamFilters: { h264: 'h264_mp4toannexb' },
  },
  flv: { ...plain('flv', 'flv', ['h264', 'flv1', 'vp6f'], ['aac', 'mp3']), single: true },
  ts: TS,
  mts: TS,
  m2ts: TS,
  mpg: MPEG,
  mpeg: MPEG,
  ogv: OGG,
  ogg: { ...OGG, covers: 'tag' },
  oga: OGG_AUDIO,
  opus: { ...plain('opus', 'ogg', [], ['opus']), covers: 'tag' },
  wmv: ASF,
  wma: { ...ASF, video: [], single: true },
  mp3: { ...plain('mp3', 'mp3', [], ['mp3']), covers: 'stream', chapters: true },
  flac: { ...plain('flac', 'flac', [], ['flac']), covers: 'stream' },
  wav: plain(
    'wav',
    'wav',
    [],
    ['pcm_u8', 'pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le', 'pcm_f64le', 'pcm_alaw', 'pcm_mulaw', 'adpcm_*'],
  ),
  aiff: AIFF,
  aif: AIFF,
  aac: { ...plain('adts', 'aac', [], ['aac']), options: ID3 },
  ac3: plain('ac3', 'ac3', [], ['ac3']),
  amr: plain('amr', 'amr', [], ['amr_nb', 'amr_wb']),
  gif: plain('gif', 'gif', ['gif'], []),
  webp: plain('webp', 'webp_pipe', ['webp'], []),
}

/** Returns the container for an output extension (lower case, no dot); undefined for an unknown extension. */
export function containerFor(extension: string): Container | undefined {
  return Object.hasOwn(CONTAINERS, extension) ? CONTAINERS[extension] : undefined
}

/** The container of an extension that is known to have one. @throws Error for another one */
export function knownContainer(extension: string): Container {
  const container = containerFor(extension)
  if (!container) throw new Error(`Expected a container for ${extension}`)
  return container
}

/** Whether a stream can be copied into the container unchanged. */
export function canHold(container: Container, stream: Stream): boolean {
  const list =
    stream.type === 'video' ? container.video : stream.type === 'audio' ? container.audio : container.subtitles
  return list.some((name) => (name.endsWith('*') ? stream.codec.startsWith(name.slice(0, -1)) : name === stream.codec))
}

/** Whether a subtitle stream is text rather than bitmaps. */
export const isTextSubtitle = ({ codec }: Stream): boolean => TEXT_SUBTITLES.has(codec)

/** How a subtitle stream is written: `copy`, the format to convert to, or undefined if it cannot be kept. */
export function subtitleCodec(container: Container, stream: Stream): string | undefined {
  if (canHold(container, stream)) return 'copy'
  return isTextSubtitle(stream) ? container.textSubtitles : undefined
}
