import { printableName } from '../../../src/media/file.ts'
import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { convertedName } from '../../../src/media/naming.ts'
import { oneFile } from '../../../src/tool/contract.ts'
import { imageAction, imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { boolean, choice, number, type SettingsOf } from '../../../src/tool/settings.ts'
import { fitInside } from '../_shared/layout/fit.ts'
import { withSuggestion } from './optimize-for-web/smaller-format.ts'

const id = 'optimize-for-web'

const settings = {
  format: choice(['webp', 'jpeg', 'avif', 'png', 'jxl'], 'output format', {
    short: 'F',
    default: 'webp',
    valueAliases: { jpg: 'jpeg' },
  }),
  quality: number('100 is best; for png it sets the number of colours', {
    short: 'Q',
    default: 80,
    min: 1,
    max: 100,
  }),
  maxWidth: number('scale down to at most this width', { min: 1, unit: 'px', example: 1600 }),
  maxHeight: number('scale down to at most this height', { min: 1, unit: 'px', example: 1200 }),
  progressive: boolean('progressive: shows a coarse version while loading', {
    default: true,
    when: { format: 'jpeg' },
  }),
  stripMetadata: boolean('remove EXIF, GPS, XMP and the profile; colours are converted to sRGB', {
    default: true,
  }),
}

async function optimised(
  frame: ImageFrame,
  options: SettingsOf<typeof settings>,
  context: StepContext,
): Promise<ImageFrame> {
  const { format, quality, maxWidth, maxHeight, progressive, stripMetadata } = options
  const fitted = await fitInside(frame, {
    width: maxWidth && Math.floor(maxWidth),
    height: maxHeight && Math.floor(maxHeight),
  })
  const isJpeg = format === 'jpeg'
  const ready = fitted.withTarget({
    format: isJpeg ? 'jpg' : format,
    quality: Math.round(quality),
    // WebP uses effort 4 (catalogue); mozjpeg's best scans are always progressive.
    thorough: isJpeg ? progressive : format !== 'webp',
    paletteByQuality: format === 'png',
    ...(isJpeg && { progressive }),
    ...(stripMetadata && { metadata: 'none' as const }),
  })
  const { frame: image, smaller } = await withSuggestion(ready)
  if (smaller)
    context.warn(
      `${printableName(frame.origin.name)}: ${smaller.format.toUpperCase()} would be about ${smaller.percent} % smaller than ${smaller.chosen.toUpperCase()} at this quality`,
      'advice',
    )
  return image
}

export default imageTool({
  id,
  summary: 'Prepare an image for the web: format, quality, size and metadata in one pass',
  converts: true,
  settings,
  output: { kind: 'file', type: { setting: 'format' } },
  examples: [
    { title: 'a photo as WebP', settings: { maxWidth: 800 } },
    { title: 'a small JPEG', settings: { format: 'jpeg', quality: 70, maxWidth: 640, maxHeight: 640 } },
    { title: 'a drawing with few colours', inputs: ['logo.svg'], settings: { format: 'png', quality: 60 } },
  ],
  transform: optimised,
  actions: [
    imageAction({
      id: 'preview',
      summary: 'Preview the result of the settings, with both sizes',
      input: oneFile('image'),
      settings,
      output: { kind: 'file+report', type: { setting: 'format' }, direct: true },
      transform: optimised,
      report: ({ origin }, { bytes, format }) => ({
        originalSize: origin.bytes,
        processedSize: bytes,
        filename: convertedName(origin, id, format.extension),
      }),
    }),
  ],
})
