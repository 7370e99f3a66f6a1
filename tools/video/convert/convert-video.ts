import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { CODEC_CHOICES, chosenCodec } from '../../../src/media/av/codec-choice.ts'
import { audioCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { TRACK_SETTINGS, tracksOf } from '../_shared/track-settings.ts'

/** Constant rate factors: lower is better. H.264 and VP9: catalogue; the others look alike (bench/looks.md). */
const CRF = {
  high: { h264: 18, vp9: 24, hevc: 19, av1: 20 },
  balanced: { h264: 23, vp9: 32, hevc: 24, av1: 30 },
  small: { h264: 28, vp9: 40, hevc: 29, av1: 42 },
} as const

export default avTool({
  section: 'video',
  id: 'convert-video',
  summary: 'Re-encode a video into MP4, MOV, WebM, AVI or MKV',
  suffix: 'convert',
  converts: true,
  async: true,
  settings: {
    format: choice(['mp4', 'mov', 'webm', 'avi', 'mkv'], 'output format', { short: 'F', default: 'mp4' }),
    quality: choice(['high', 'balanced', 'small'], 'high keeps the most detail, small gives the smallest file', {
      short: 'Q',
      default: 'balanced',
    }),
    codec: choice(CODEC_CHOICES, 'auto is H.264, and VP9 in WebM; HEVC and AV1 are smaller and take longer', {
      default: 'auto',
    }),
    ...TRACK_SETTINGS,
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { setting: 'format' } },
  conversion: true,
  examples: [
    { title: 'for the web', settings: { format: 'webm' } },
    { title: 'a small MP4', settings: { quality: 'small' } },
    { title: 'AV1 for current browsers', settings: { codec: 'av1' } },
    { title: 'without subtitles', inputs: ['film.mkv'], settings: { subtitleTracks: 'none' } },
  ],
  async plan(source, { format, quality, codec, audioTracks, subtitleTracks, ...rest }) {
    return {
      ...pictureOf(rest),
      ...tracksOf(source, { audioTracks, subtitleTracks }),
      singleVideo: true,
      encode: {
        container: format,
        video: await chosenCodec(codec, format, { factors: CRF[quality], stream: mainVideo(source.info) }),
        audio: audioCodecFor(format, format === 'webm' || format === 'avi' ? {} : { bitrateKbps: 128 }),
      },
    }
  },
})
