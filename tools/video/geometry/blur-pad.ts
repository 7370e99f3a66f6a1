import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { overlayOn } from '../../../src/media/av/picture/overlay.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { number } from '../../../src/tool/settings.ts'
import { canvasFor, target } from '../_shared/canvas.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { shownSize, squarePixels } from '../_shared/square-pixels.ts'

export default avTool({
  section: 'video',
  id: 'blur-pad',
  summary: 'Fill the bars with a blurred copy of the video',
  suffix: 'blurpad',
  settings: {
    target: target('16:9'),
    blur: number('strength of the background blur', { default: 20, min: 2, max: 50, unit: 'px' }),
    ...PICTURE_SETTINGS,
  },
  examples: [{ title: 'a portrait video for a wide screen', settings: { target: '16:9' } }],
  async plan(source, { target: ratio, blur, ...rest }) {
    const shown = shownSize(source)
    const { width, height } = canvasFor(ratio, shown.width, shown.height)
    const cover = `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height}`
    const codec = videoCodecFor(source.extension)
    const { format } = await overlayOn(source, rest, codec)
    return {
      videoFilters: squarePixels(source),
      complexFilter: (input) =>
        `${input}split[behind][front];[behind]${cover},setsar=1,gblur=sigma=${blur}[soft];` +
        `[soft][front]overlay=(W-w)/2:(H-h)/2${format === undefined ? '' : `:format=${format}`}[v]`,
      changes: ['size'],
      ...pictureOf(rest),
      singleVideo: true,
      encode: { video: codec },
    }
  },
})
