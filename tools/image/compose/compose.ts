import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { placed } from '../_shared/layers/layers.ts'
import { layerFor } from '../_shared/layers/overlay.ts'
import { onlyFirstPage } from '../_shared/layout/pages.ts'
import { BLENDS, type BlendName, blended } from './compose/blend.ts'

export default imageTool({
  id: 'compose',
  summary: 'Layer a second image on top of the first',
  suffix: 'composed',
  batch: false,
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['image'],
    secondary: { overlay: { required: true, what: 'the image laid on top', accept: ['image'] } },
  },
  settings: {
    x: number('left edge of the layer', { default: 0, min: 0, unit: 'px' }),
    y: number('top edge of the layer', { default: 0, min: 0, unit: 'px' }),
    opacity: number('opacity; 100 is opaque', { default: 100, min: 0, max: 100, unit: '%' }),
    blend: choice(Object.keys(BLENDS) as BlendName[], 'how the colours of both are mixed', {
      default: 'over',
      aliases: ['blendMode'],
    }),
  },
  examples: [
    { title: 'a logo near the corner', secondary: { overlay: 'logo.svg' }, settings: { x: 40, y: 40 } },
    {
      title: 'a second exposure',
      secondary: { overlay: 'holiday.jpg' },
      settings: { blend: 'screen', opacity: 70 },
    },
  ],
  async transform(given, settings, context) {
    const picture = await onlyFirstPage(await decodeImage(context.secondary.overlay!, { warn: context.warn }), context)
    const [left, top] = [Math.floor(settings.x), Math.floor(settings.y)]
    if (left >= given.width || top >= given.height)
      throw invalidSettings(
        `The layer would start at ${left}, ${top}, outside the image of ${given.width} x ${given.height} pixels`,
        'Choose a smaller x or y.',
      )
    // A CMYK image has no layers, and a coloured layer on a grey image keeps its colours.
    const frame = given.space === 'grey' && picture.space === 'grey' ? given : await given.toRgb()
    // libvips refuses layers that extend beyond the base.
    const shown = {
      width: Math.min(picture.width, frame.width - left),
      height: Math.min(picture.height, frame.height - top),
    }
    const cut =
      shown.width === picture.width && shown.height === picture.height
        ? picture
        : await picture.apply((image) => image.extract({ left: 0, top: 0, ...shown }), { size: shown })
    const layer = await layerFor(frame, cut, settings.opacity / 100, context)
    if (settings.blend !== 'over') return blended(frame, layer, { left, top }, settings.blend)
    return frame.composite([placed(layer, left, top)])
  },
})
