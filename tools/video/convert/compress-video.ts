import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { CODEC_CHOICES, chosenCodec } from '../../../src/media/av/codec-choice.ts'
import { audioCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { shownSize, squarePixels } from '../_shared/square-pixels.ts'

/** Constant rate factors: lower is better. H.264: catalogue; the others look alike (bench/looks.md). */
const CRF = {
  light: { h264: 23, hevc: 24, vp9: 32, av1: 30 },
  balanced: { h264: 28, hevc: 29, vp9: 40, av1: 42 },
  strong: { h264: 33, hevc: 34, vp9: 47, av1: 52 },
} as const

export default avTool({
  section: 'video',
  id: 'compress-video',
  summary: 'Shrink a video by quality level and optional downscale',
  suffix: 'compressed',
  async: true,
  settings: {
    quality: choice(['light', 'balanced', 'strong'], 'compression level: strong gives the smallest file', {
      short: 'Q',
      default: 'balanced',
    }),
    resolution: choice(['original', '1080p', '720p', '480p'], 'maximum height of the result; never enlarges', {
      default: 'original',
    }),
    codec: choice(CODEC_CHOICES, 'auto is H.264, which every player has; HEVC and AV1 are smaller and take longer', {
      default: 'auto',
    }),
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { is: 'mp4' } },
  examples: [
    { title: 'small enough to send', settings: { quality: 'strong', resolution: '480p' } },
    { title: 'a little smaller', settings: { quality: 'light' } },
  ],
  async plan(source, { quality, resolution, codec, ...rest }) {
    const limit = resolution === 'original' ? Number.POSITIVE_INFINITY : Number.parseInt(resolution, 10)
    const { height } = shownSize(source)
    return {
      videoFilters: height > limit ? [...squarePixels(source), `scale=-2:${limit}:flags=lanczos`] : [],
      ...(height > limit && { changes: ['size'] }),
      ...pictureOf(rest),
      singleVideo: true,
      isMeantSmaller: true,
      encode: {
        container: 'mp4',
        video: await chosenCodec(codec, 'mp4', { factors: CRF[quality], stream: mainVideo(source.info) }),
        audio: audioCodecFor('mp4', { bitrateKbps: 96 }),
      },
    }
  },
})
