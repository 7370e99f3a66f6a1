import { audioCodecFor, videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'

/** Constant rate factors: lower is better (catalogue). */
const CRF = {
  high: { h264: 18, vp9: 24 },
  balanced: { h264: 23, vp9: 32 },
  small: { h264: 28, vp9: 40 },
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
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { setting: 'format' } },
  conversion: true,
  examples: [
    { title: 'for the web', settings: { format: 'webm' } },
    { title: 'a small MP4', settings: { quality: 'small' } },
  ],
  plan(_source, { format, quality, ...rest }) {
    const { h264, vp9 } = CRF[quality]
    return {
      ...pictureOf(rest),
      singleVideo: true,
      encode: {
        container: format,
        video: videoCodecFor(format, { quality: format === 'webm' ? vp9 : h264 }),
        audio: audioCodecFor(format, format === 'webm' || format === 'avi' ? {} : { bitrateKbps: 128 }),
      },
    }
  },
})
