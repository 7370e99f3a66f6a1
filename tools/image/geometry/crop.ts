import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, choice, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'

export default imageTool({
  id: 'crop',
  summary: 'Cut out a rectangle given in pixels or percent',
  settings: {
    left: number('distance of the rectangle from the left edge', { min: 0, required: true, example: 20 }),
    top: number('distance of the rectangle from the top edge', { min: 0, required: true, example: 20 }),
    width: number('width of the rectangle', { exclusiveMin: 0, required: true, example: 60 }),
    height: number('height of the rectangle', { exclusiveMin: 0, required: true, example: 60 }),
    unit: choice(['px', 'percent'], 'unit of the four numbers', { default: 'px' }),
    lossless: boolean('JPEG without encoding again; the rectangle grows to the left and up to whole blocks', {
      default: false,
    }),
  },
  examples: [
    { title: 'the middle half', settings: { left: 25, top: 25, width: 50, height: 50, unit: 'percent' } },
    { title: 'a square of 200 pixels from the corner', settings: { left: 0, top: 0, width: 200, height: 200 } },
    {
      title: 'a JPEG without loss',
      settings: { left: 32, top: 32, width: 200, height: 200, lossless: true },
    },
  ],
  async transform(frame, settings, context) {
    const { unit, lossless } = settings
    const across = unit === 'percent' ? frame.width / 100 : 1
    const down = unit === 'percent' ? frame.height / 100 : 1
    const left = Math.round(settings.left * across)
    const top = Math.round(settings.top * down)
    const width = Math.round(settings.width * across)
    const height = Math.round(settings.height * down)
    if (width < 1 || height < 1)
      throw invalidSettings(`The rectangle would be ${width} x ${height} pixels; no side may be 0`)
    if (left + width > frame.width || top + height > frame.height)
      throw invalidSettings(
        `The rectangle reaches to ${left + width} x ${top + height}, but the image is ${frame.width} x ${frame.height} pixels`,
        'Make the rectangle smaller or move it; nothing is cut off silently.',
      )
    if (lossless) {
      const { changeLossless } = await import('../../../src/media/image/lossless/lossless.ts')
      return changeLossless(frame, { area: { left, top, width, height } }, context)
    }
    return frame.apply((image) => image.extract({ left, top, width, height }), {
      size: { width, height },
      pixelShape: 'kept',
      pagewise: true,
      stage: 'extract',
    })
  },
})
