import { MediaprocError } from '../../../src/errors.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { group, integer } from '../../../src/tool/settings.ts'
import { coarsen, type Region } from '../_shared/colour/mosaic.ts'

export default imageTool({
  id: 'pixelate',
  summary: 'Turn the image or a rectangle into coarse blocks',
  suffix: 'pixelated',
  settings: {
    blockSize: integer('side of a block', { default: 12, min: 2, max: 128, unit: 'px' }),
    region: group(
      {
        left: integer('distance from the left edge', { min: 0, required: true, unit: 'px', example: 250 }),
        top: integer('distance from the top edge', { min: 0, required: true, unit: 'px', example: 200 }),
        width: integer('width', { min: 1, required: true, unit: 'px', example: 300 }),
        height: integer('height', { min: 1, required: true, unit: 'px', example: 360 }),
      },
      'the rectangle to hide; the whole image when absent',
      { example: { left: 250, top: 200, width: 300, height: 360 } },
    ),
  },
  scalable: true,
  examples: [
    { title: 'the whole image', settings: { blockSize: 24 } },
    {
      title: 'a face made unrecognisable',
      inputs: ['portrait.jpg'],
      settings: { blockSize: 40, region: { left: 250, top: 200, width: 300, height: 360 } },
    },
  ],
  async transform(given, { blockSize, region }) {
    const { width, height } = given
    if (region && (region.left >= width || region.top >= height))
      throw new MediaprocError(
        'INVALID_SETTINGS',
        `The region starts at ${region.left}, ${region.top}, outside the image of ${width} x ${height} pixels`,
        { hint: 'Pixels are counted from the top left corner of the upright image.' },
      )
    const frame = given.space === 'cmyk' ? await given.toRgb() : given
    const area: Region = region ?? { left: 0, top: 0, width, height }
    const samples = await frame.samples()
    coarsen(samples, blockSize, {
      ...area,
      width: Math.min(area.width, width - area.left),
      height: Math.min(area.height, height - area.top),
    })
    return frame.withSamples(samples)
  },
})
