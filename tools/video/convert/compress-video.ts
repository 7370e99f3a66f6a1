import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { CODEC_CHOICES, chosenCodec } from '../../../src/media/av/codec-choice.ts'
import { audioCodecFor } from '../../../src/media/av/codecs.ts'
import { withTracks } from '../../../src/media/av/labels/track-choice.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice, number } from '../../../src/tool/settings.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { shownSize, squarePixels } from '../_shared/square-pixels.ts'
import { TRACK_SETTINGS, tracksOf } from '../_shared/track-settings.ts'
import { planSize } from './compress-video/to-size.ts'

/** Constant rate factors: lower is better. H.264: catalogue; the others look alike (bench/looks.md). */
const CRF = {
  light: { h264: 23, hevc: 24, vp9: 32, av1: 30 },
  balanced: { h264: 28, hevc: 29, vp9: 40, av1: 42 },
  strong: { h264: 33, hevc: 34, vp9: 47, av1: 52 },
} as const

/** The height that a resolution allows, px; undefined if none was set. */
function heightOf(resolution: string | undefined): number | undefined {
  if (resolution === undefined) return undefined
  return resolution === 'original' ? Number.POSITIVE_INFINITY : Number.parseInt(resolution, 10)
}

export default avTool({
  section: 'video',
  id: 'compress-video',
  summary: 'Shrink a video by quality level or to a size, with optional downscale',
  suffix: 'compressed',
  async: true,
  settings: {
    quality: choice(['light', 'balanced', 'strong'], 'compression level: strong gives the smallest file', {
      short: 'Q',
      default: 'balanced',
    }),
    targetSizeKb: number('maximum size of the result, in two passes instead of by quality; 1 kB = 1000 bytes', {
      min: 1,
      example: 8000,
    }),
    resolution: choice(
      ['original', '1080p', '720p', '480p'],
      'maximum height of the result; never enlarges. A small target size reduces it, unless it is set',
      { default: 'original', filledByTool: true },
    ),
    codec: choice(CODEC_CHOICES, 'auto is H.264, which every player has; HEVC and AV1 are smaller and take longer', {
      default: 'auto',
    }),
    ...TRACK_SETTINGS,
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { is: 'mp4' } },
  examples: [
    { title: 'small enough to send', settings: { quality: 'strong', resolution: '480p' } },
    { title: 'a little smaller', settings: { quality: 'light' } },
    { title: 'at most 40 kB', settings: { targetSizeKb: 40 } },
  ],
  measures: ({ targetSizeKb }) => targetSizeKb !== undefined,
  async plan(source, { quality, resolution, targetSizeKb, codec, audioTracks, subtitleTracks, ...rest }, context) {
    const asked = heightOf(resolution)
    const request = targetSizeKb !== undefined && { targetSizeKb, codec, limit: asked, ...rest }
    const { tracks } = tracksOf(source, { audioTracks, subtitleTracks })
    const sized = request ? await planSize(withTracks(source, tracks), request, context) : undefined
    const kept = { ...pictureOf(rest), tracks, singleVideo: true } as const
    if (sized?.isCopy) return { ...kept, encode: { container: 'mp4' } }
    const limit = sized?.limit ?? asked ?? Number.POSITIVE_INFINITY
    const { height } = shownSize(source)
    const factors = { factors: CRF[quality], stream: mainVideo(source.info), forTwoPasses: sized !== undefined }
    return {
      videoFilters: height > limit ? [...squarePixels(source), `scale=-2:${limit}:flags=lanczos`] : [],
      changes: [...(sized?.changes ?? []), ...(height > limit ? (['size'] as const) : [])],
      ...kept,
      ...(sized?.dropsCovers && { cover: 'drop' as const }),
      isMeantSmaller: true,
      encode: {
        container: 'mp4',
        video: await chosenCodec(codec, 'mp4', factors),
        audio: sized?.audio ?? audioCodecFor('mp4', { bitrateKbps: 96 }),
      },
      ...(sized && { target: sized.target, endsRun: true }),
    }
  },
})
