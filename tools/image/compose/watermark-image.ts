import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, number } from '../../../src/tool/settings.ts'
import { layerFor } from '../_shared/layers/overlay.ts'

/** Distance from the edges in the corners, px (catalogue). */
const INSET = 20

export default imageTool({
  id: 'watermark-image',
  summary: 'Overlay a logo at a corner or the centre',
  suffix: 'watermarked',
  batch: false,
  input: {
    files: 'one',
    min: 1,
    max: 1,
    accept: ['image'],
    secondary: { watermark: { required: true, what: 'the logo image', accept: ['image'] } },
  },
  settings: {
    position: choice(['center', 'top-left', 'top-right', 'bottom-left', 'bottom-right'], 'position of the logo', {
      default: 'bottom-right',
    }),
    opacity: number('opacity; 100 is opaque', { default: 50, min: 0, max: 100, unit: '%' }),
    scale: number('width of the logo, as a percentage of the image width', {
      default: 25,
      min: 1,
      max: 100,
      unit: '%',
    }),
  },
  examples: [
    { title: 'a logo in the corner', secondary: { watermark: 'logo.svg' } },
    {
      title: 'a faint logo across the middle',
      secondary: { watermark: 'logo.svg' },
      settings: { position: 'center', opacity: 15, scale: 60 },
    },
  ],
  async transform(given, { position, opacity, scale }, context) {
    const logo = await decodeImage(context.secondary.watermark!, { firstPage: true, dpi: 300, warn: context.warn })
    // A CMYK image has no layers, and a coloured logo on a grey image keeps its colours.
    const frame = given.space === 'grey' && logo.space === 'grey' ? given : await given.toRgb()
    const width = Math.max(1, Math.round((frame.width * scale) / 100))
    const height = Math.max(1, Math.round((logo.height * width) / logo.width))
    const fitted = await logo.apply((image) => image.resize(width, height, { fit: 'fill' }), {
      size: { width, height },
    })
    // A logo taller than the image is cropped to it; the part at the logo's position remains.
    const shown = { width: Math.min(width, frame.width), height: Math.min(height, frame.height) }
    const cropped =
      shown.height === height
        ? fitted
        : await fitted.apply(
            (image) => image.extract({ left: 0, top: Math.floor((height - shown.height) / 2), ...shown }),
            { size: shown },
          )
    const layer = await layerFor(frame, cropped, opacity / 100, context)
    const across = frame.width - layer.width
    const down = frame.height - layer.height
    const left = position === 'center' ? Math.round(across / 2) : position.endsWith('left') ? INSET : across - INSET
    const top = position === 'center' ? Math.round(down / 2) : position.startsWith('top') ? INSET : down - INSET
    const raw = { width: layer.width, height: layer.height, channels: 4 as const }
    const at = { left: Math.max(0, Math.min(left, across)), top: Math.max(0, Math.min(top, down)) }
    return frame.composite([{ input: layer.data, raw, ...at }])
  },
})
