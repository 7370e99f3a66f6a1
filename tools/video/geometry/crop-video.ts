import { videoCodecFor } from '../../../src/media/av/codecs.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { integer } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { PICTURE_SETTINGS, pictureOf } from '../_shared/picture-settings.ts'
import { shownSize, squarePixels } from '../_shared/square-pixels.ts'

const even = (side: number): number => side - (side % 2)

export default avTool({
  section: 'video',
  id: 'crop-video',
  summary: 'Cut a rectangle out of every frame',
  suffix: 'cropped',
  settings: {
    width: integer('width of the rectangle; made even', {
      short: 'w',
      required: true,
      min: 16,
      unit: 'px',
      example: 320,
    }),
    height: integer('height of the rectangle; made even', {
      short: 'H',
      required: true,
      min: 16,
      unit: 'px',
      example: 240,
    }),
    x: integer('distance from the left edge', { default: 0, min: 0, unit: 'px' }),
    y: integer('distance from the top edge', { default: 0, min: 0, unit: 'px' }),
    ...PICTURE_SETTINGS,
  },
  examples: [{ title: 'the upper left corner', settings: { width: 64, height: 48 } }],
  plan(source, { width, height, x, y, ...rest }) {
    const frame = shownSize(source)
    if (x + width > frame.width || y + height > frame.height)
      throw invalidSettings(
        `A rectangle of ${width}x${height} at ${x},${y} is not inside the frame of ${frame.width}x${frame.height}`,
        'Positions are relative to the upper left corner of the video as displayed.',
      )
    // `exact`: starts at the exact pixel even if colour has half the resolution.
    const rectangle = `${even(width)}:${even(height)}:${x}:${y}:exact=1`
    return {
      videoFilters: [...squarePixels(source), `crop=${rectangle}`],
      changes: ['size'],
      ...pictureOf(rest),
      singleVideo: true,
      encode: { video: videoCodecFor(source.extension) },
    }
  },
})
