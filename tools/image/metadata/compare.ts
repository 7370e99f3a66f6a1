import { firstOf } from '../../../src/lists.ts'
import type { ImageFrame, Size } from '../../../src/media/image/frame.ts'
import { checkImageSize } from '../../../src/media/limits.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { choice, number } from '../../../src/tool/settings.ts'
import { placed } from '../_shared/layers/layers.ts'
import { layerFor } from '../_shared/layers/overlay.ts'
import { newSheet, putOn, sheetFrame, surveyed } from '../_shared/layout/sheet.ts'
import { differenceOf, drawDifference } from './compare/difference.ts'

/** An image stretched to the given size. */
async function stretched(frame: ImageFrame, size: Size): Promise<ImageFrame> {
  if (frame.width === size.width && frame.height === size.height) return frame
  return (await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })).settled()
}

async function overlaid(first: ImageFrame, second: ImageFrame, context: StepContext): Promise<ImageFrame> {
  const base = await (await first.toSrgb()).toRgb()
  return base.composite([placed(await layerFor(base, second, 0.5, context), 0, 0)])
}

/** Both side by side, as high as the taller one. */
async function sideBySide(frames: readonly [ImageFrame, ImageFrame], name: string): Promise<ImageFrame> {
  const height = Math.max(...frames.map((frame) => frame.height))
  const widthOf = (frame: ImageFrame): number => Math.max(1, Math.round((frame.width * height) / frame.height))
  const [left, right] = [widthOf(frames[0]), widthOf(frames[1])]
  const ground = frames.some(({ hasAlpha }) => hasAlpha) ? 'transparent' : '#ffffff'
  const deep = frames.some(({ bits }) => bits === 16)
  const sheet = newSheet({ width: left + right, height }, ground, deep)
  for (const [index, frame] of frames.entries()) {
    const sized = await stretched(frame, { width: index === 0 ? left : right, height })
    await putOn(sheet, sized, { left: index === 0 ? 0 : left, top: 0 }, ground)
  }
  return sheetFrame(sheet, name)
}

export default imageTool({
  id: 'compare',
  summary: 'Measure and draw the difference between two images',
  input: { files: 'many', min: 2, max: 2, accept: ['image'] },
  settings: {
    mode: choice(['side-by-side', 'overlay', 'diff'], 'content of the result image', { default: 'diff' }),
    diffThreshold: number('pixels whose mean difference of red, green and blue exceeds this are marked', {
      when: { mode: 'diff' },
      default: 10,
      min: 0,
      max: 255,
    }),
  },
  output: { kind: 'file+report', type: { is: 'png' }, name: '{mode}' },
  examples: [
    { title: 'what differs, in red', inputs: ['photo.jpg', 'holiday.jpg'] },
    { title: 'next to each other', inputs: ['photo.jpg', 'portrait.jpg'], settings: { mode: 'side-by-side' } },
    { title: 'one through the other', inputs: ['photo.jpg', 'holiday.jpg'], settings: { mode: 'overlay' } },
  ],
  async produce(inputs, { mode, diffThreshold }, context) {
    const pictures = await surveyed(inputs, context)
    const dimensions = {
      width: Math.max(...pictures.map(({ width }) => width)),
      height: Math.max(...pictures.map(({ height }) => height)),
    }
    checkImageSize('The comparison', dimensions.width, dimensions.height)
    context.progress(0, 'comparing')
    const given = [await firstOf(pictures).open(), await pictures[1]!.open()] as const
    const first = await stretched(given[0], dimensions)
    const second = await stretched(given[1], dimensions)
    const difference = await differenceOf(first, second)
    const { similarity, ssim, psnr } = difference
    context.signal.throwIfAborted()
    context.progress(0.5, 'drawing')
    const name = `${mode}.png`
    const drawn =
      mode === 'diff'
        ? await drawDifference(first, difference, diffThreshold, name)
        : mode === 'overlay'
          ? await overlaid(first, second, context)
          : await sideBySide(given, name)
    return {
      name,
      frame: drawn.withTarget({ format: 'png', metadata: 'none' }),
      report: { similarity, ssim, psnr, dimensions },
    }
  },
})
