import { layOver } from '../../../src/media/image/backgrounds.ts'
import { IMAGE_FORMATS } from '../../../src/media/image/formats.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, color, integer, number } from '../../../src/tool/settings.ts'
import { scaled } from '../_shared/layout/fit.ts'

/** The drawing's own pixels count as points: 300 dpi makes it 300 / 72 times as large (catalogue). */
const OWN_DPI = 72

/** The decoder's size of a drawing's pixel: 1/96 inch. */
const CSS_DPI = 96

const dpiOf = ({ dpi, scale }: { dpi: number; scale: number }): number => (dpi * scale * CSS_DPI) / OWN_DPI

/** The colour value for no background. */
const NONE = '#00000000'

interface Box {
  width?: number | undefined
  height?: number | undefined
}

/** The decoder is accurate to a pixel; this is the exact size. */
async function exactly(frame: ImageFrame, { width, height }: Box): Promise<ImageFrame> {
  const byWidth = width !== undefined && (height === undefined || frame.width / frame.height >= width / height)
  const size = byWidth
    ? { width, height: Math.max(1, Math.round((frame.height * width) / frame.width)) }
    : { width: Math.max(1, Math.round((frame.width * height!) / frame.height)), height: height! }
  if (size.width === frame.width && size.height === frame.height) return frame
  return frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
}

export default imageTool({
  id: 'svg-to-raster',
  summary: 'Render an SVG or SVGZ to a raster format',
  converts: true,
  input: oneFile('svg', 'svgz'),
  settings: {
    format: choice(['png', 'jpeg', 'webp', 'avif', 'tiff', 'gif', 'heif', 'jxl'], 'output format', {
      short: 'F',
      default: 'png',
      aliases: ['outputFormat'],
      valueAliases: { jpg: 'jpeg' },
    }),
    width: integer('width of the result; with height it fits inside both', {
      short: 'w',
      min: 1,
      max: 65536,
      unit: 'px',
      example: 512,
    }),
    height: integer('height of the result', { short: 'H', min: 1, max: 65536, unit: 'px', example: 512 }),
    scale: number('factor on the size given by dpi; ignored with width or height', { default: 1, min: 0.01, max: 100 }),
    dpi: integer("dots per inch, where the drawing's own size is at 72", { default: 300, min: 36, max: 2400 }),
    background: color('background colour; transparent with alpha 00 if the format supports it', {
      default: NONE,
      alpha: true,
      aliases: ['backgroundColor'],
      valueAliases: { transparent: NONE },
    }),
    quality: number('100 is best', {
      short: 'Q',
      default: 90,
      min: 1,
      max: 100,
      when: { format: ['jpeg', 'webp', 'avif', 'heif', 'jxl'] },
    }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  conversion: true,
  examples: [
    { title: 'a PNG of 512 pixels', inputs: ['logo.svg'], settings: { width: 512 } },
    {
      title: 'a JPEG on a colour',
      inputs: ['logo.svg'],
      settings: { format: 'jpeg', background: '#fef3c7', dpi: 144 },
    },
  ],
  decode({ width, height, ...size }) {
    return width === undefined && height === undefined ? { dpi: dpiOf(size) } : { box: { width, height } }
  },
  async transform(frame, { format, width, height, background, quality, ...size }) {
    const isBoxed = width !== undefined || height !== undefined
    // Beyond the decoder's size limit, or rendered by an earlier step of a pipeline.
    const rest = dpiOf(size) / (frame.origin.rasterisedAtDpi ?? dpiOf(size))
    const sized = isBoxed ? await exactly(frame, { width, height }) : rest === 1 ? frame : await scaled(frame, rest)
    const opaque = background.slice(0, 7)
    const laid =
      background === NONE ? sized : await sized.apply((image) => layOver(image, opaque, sized), { alpha: false })
    const id = format === 'jpeg' ? 'jpg' : format
    // TIFF stays lossless, as in convert.
    const isLossy = IMAGE_FORMATS[id].lossy && id !== 'tiff'
    return laid.withTarget({ format: id, ...(isLossy && { quality: Math.round(quality) }) })
  },
})
