import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { color } from '../../../src/tool/settings.ts'
import { canvasFor, target } from '../_shared/canvas.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { shownSize, squarePixels } from '../_shared/square-pixels.ts'

export default avTool({
  section: 'video',
  id: 'aspect-pad',
  summary: 'Add solid bars to reach a target aspect ratio',
  suffix: 'padded',
  settings: {
    target: target('9:16'),
    color: color('colour of the bars', { default: '#000000' }),
    ...PICTURE_SETTINGS,
  },
  examples: [
    { title: 'for a phone', settings: { target: '9:16' } },
    { title: 'a white square', settings: { target: '1:1', color: '#ffffff' } },
  ],
  plan(source, { target: ratio, color: colour, ...rest }) {
    const shown = shownSize(source)
    const { width, height } = canvasFor(ratio, shown.width, shown.height)
    const toSquare = squarePixels(source)
    // The video already has this aspect ratio: nothing is re-encoded.
    if (width === shown.width && height === shown.height && toSquare.length === 0) return pictureOf(rest)
    return {
      videoFilters: [...toSquare, `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2:color=0x${colour.slice(1)}`],
      changes: ['size'],
      ...pictureOf(rest),
      singleVideo: true,
      encode: { video: videoCodecFor(source.extension) },
    }
  },
})
