import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { shownSize, squarePixels } from '../_shared/square-pixels.ts'

/** Constant rate factors of H.264: lower is better (catalogue). */
const CRF = { light: 23, balanced: 28, strong: 33 } as const

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
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { is: 'mp4' } },
  examples: [
    { title: 'small enough to send', settings: { quality: 'strong', resolution: '480p' } },
    { title: 'a little smaller', settings: { quality: 'light' } },
  ],
  plan(source, { quality, resolution, ...rest }) {
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
        video: videoCodecFor('mp4', { quality: CRF[quality] }),
        audio: audioCodecFor('mp4', { bitrateKbps: 96 }),
      },
    }
  },
})
