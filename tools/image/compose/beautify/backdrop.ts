import type { OverlayOptions } from '../../../../src/engines/sharp.ts'
import { decodeImage } from '../../../../src/media/image/decode/decode.ts'
import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { invalidSettings } from '../../../../src/tool/validate.ts'
import { type GradientStop, linearGradient, radialGradient } from '../../_shared/colour/gradient.ts'
import { drawingFor, inColoursOf } from '../../_shared/layers/ground.ts'
import { layerFor } from '../../_shared/layers/overlay.ts'
import { CLEAR, evenEdges, onGround, sizeWith } from '../../_shared/layout/edges.ts'

export interface BackdropOptions {
  backgroundType: 'solid' | 'linear-gradient' | 'radial-gradient' | 'image' | 'transparent'
  backgroundColor: string
  gradientStops: readonly GradientStop[]
  gradientAngle: number
  /** Padding on all sides, px. */
  padding: number
}

function gradientDrawing(size: Size, { backgroundType, gradientStops, gradientAngle }: BackdropOptions): string {
  const fill =
    backgroundType === 'linear-gradient'
      ? linearGradient('fill', size, gradientAngle, gradientStops)
      : radialGradient('fill', gradientStops)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><defs>${fill}</defs><rect width="100%" height="100%" fill="url(#fill)"/></svg>`
}

/** The given image, covering the canvas. @throws INVALID_SETTINGS when there is none */
async function givenPicture(page: ImageFrame, size: Size, context: StepContext) {
  const file = context.secondary.backgroundImage
  if (!file)
    throw invalidSettings(
      'Expected a file backgroundImage for backgroundType image, got none',
      'Pipelines and batches do not support a second file: choose another backgroundType there.',
    )
  const picture = await decodeImage(file, { firstPage: true, box: size, warn: context.warn })
  const covering = await picture.apply((image) => image.resize({ ...size, fit: 'cover' }), { size })
  return { layer: await layerFor(page, covering, 1, context), hasAlpha: picture.hasAlpha }
}

/** The page at the largest size that fits a canvas with padding, and the resulting space around it, px. */
async function fitted(given: ImageFrame, canvas: Size, padding: number) {
  const scale = Math.min(canvas.width / (given.width + 2 * padding), canvas.height / (given.height + 2 * padding))
  const size = {
    width: Math.min(canvas.width, Math.max(1, Math.round(given.width * scale))),
    height: Math.min(canvas.height, Math.max(1, Math.round(given.height * scale))),
  }
  const page = await given.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  const [across, down] = [canvas.width - size.width, canvas.height - size.height]
  const [left, top] = [Math.floor(across / 2), Math.floor(down / 2)]
  return { page, edges: { left, top, right: across - left, bottom: down - top } }
}

/**
 * One page on its background, with padding.
 * @param canvas the total size, if given: the page is scaled to it, and the background fills it
 */
export async function onBackdrop(
  given: ImageFrame,
  options: BackdropOptions,
  context: StepContext,
  canvas?: Size,
): Promise<ImageFrame> {
  const { backgroundType, backgroundColor, padding } = options
  const { page, edges } = canvas ? await fitted(given, canvas, padding) : { page: given, edges: evenEdges(padding) }
  const isFree = edges.left + edges.top + edges.right + edges.bottom > 0
  if (backgroundType === 'transparent') return isFree ? onGround(page, edges, 'transparent') : page
  if (backgroundType === 'solid') return onGround(page, edges, await inColoursOf(page, backgroundColor, context))
  const size = sizeWith(page, edges)
  const { layer, hasAlpha } =
    backgroundType === 'image'
      ? await givenPicture(page, size, context)
      : { layer: await drawingFor(page, gradientDrawing(size, options), context), hasAlpha: false }
  const ground: OverlayOptions = { input: layer.data, raw: { ...size, channels: 4 }, blend: 'dest-over' }
  return page.apply(
    (image) => {
      const drawn = image.extend({ ...edges, background: CLEAR }).composite([ground])
      return hasAlpha ? drawn : drawn.removeAlpha()
    },
    { size, alpha: hasAlpha },
  )
}
