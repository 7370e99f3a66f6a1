import { CONVERT_FORMATS, imageFormat, LOSSY_FORMATS } from '../../../src/media/image/formats.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, integer, number } from '../../../src/tool/settings.ts'

export default imageTool({
  id: 'convert',
  summary: 'Re-encode an image into another format',
  converts: true,
  settings: {
    format: choice(CONVERT_FORMATS, 'output format', {
      grows: 'with image formats',
      short: 'F',
      required: true,
      valueAliases: { jpeg: 'jpg', tif: 'tiff' },
    }),
    quality: number(
      '100 is best; a number looks much the same in jpg, webp, avif and jxl; default jpg 80, webp 80, avif 50, heic 50, jxl 80',
      {
        short: 'Q',
        when: { format: LOSSY_FORMATS },
        example: 80,
        min: 1,
        max: 100,
      },
    ),
    page: integer(
      'page of a TIFF, counted from 1; by default TIFF output keeps all pages, other formats get the first',
      {
        min: 1,
        example: 2,
      },
    ),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  conversion: true,
  examples: [
    { title: 'to WebP', settings: { format: 'webp' } },
    { title: 'to AVIF at a chosen quality', settings: { format: 'avif', quality: 60 } },
    { title: 'a drawing to PNG', inputs: ['logo.svg'], settings: { format: 'png' } },
  ],
  // Catalogue: SVG input is rasterised at 300 dpi.
  decode: ({ page }) => ({ dpi: 300, ...(page && { page: page - 1 }) }),
  transform(frame, { format, quality }) {
    const { defaultQuality } = imageFormat(format)
    // TIFF stays lossless unless a quality is requested.
    const used = quality ?? (format === 'tiff' ? undefined : defaultQuality)
    return frame.withTarget({ format, ...(used !== undefined && { quality: used }) })
  },
})
