import type { OverlayOptions } from '../../../src/engines/sharp.ts'
import { decodeImage } from '../../../src/media/image/decode.ts'
import type { ImageFrame, Size } from '../../../src/media/image/frame.ts'
import type { StepContext } from '../../../src/tool/image-tool.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { type GradientStop, linearGradient, radialGradient } from '../_shared/colour/gradient.ts'
import { drawingFor, inColoursOf } from '../_shared/layers/ground.ts'
import { layerFor } from '../_shared/layers/overlay.ts'
import { CLEAR, evenEdges, onGround, sizeWith } from '../_shared/layout/edges.ts'

export interface BackdropWishes {
  backgroundType: 'solid' | 'linear-gradient' | 'radial-gradient' | 'image' | 'transparent'
  backgroundColor: string
  gradientStops: readonly GradientStop[]
  gradientAngle: number
  /** Free space on all sides, px. */
  padding: number
}

function gradientDrawing(size: Size, { backgroundType, gradientStops, gradientAngle }: BackdropWishes): string {
  const fill =
    backgroundType === 'linear-gradient'
      ? linearGradient('fill', size, gradientAngle, gradientStops)
      : radialGradient('fill', gradientStops)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><defs>${fill}</defs><rect width="100%" height="100%" fill="url(#fill)"/></svg>`
}

/** The given picture, covering the canvas. @throws INVALID_SETTINGS when there is none */
async function givenPicture(page: ImageFrame, size: Size, context: StepContext) {
  const file = context.secondary.backgroundImage
  if (!file)
    throw invalidSettings(
      'Expected a file backgroundImage for backgroundType image, got none',
      'Pipelines and batches take no second file: choose another backgroundType there.',
    )
  const picture = await decodeImage(file, { firstPage: true, box: size, warn: context.warn })
  const covering = await picture.apply((image) => image.resize({ ...size, fit: 'cover' }), { size })
  return { layer: await layerFor(page, covering, 1, context), hasAlpha: picture.hasAlpha }
}

/** One page on its background, with free space around it. */
export async function onBackdrop(page: ImageFrame, wishes: BackdropWishes, context: StepContext): Promise<ImageFrame> {
  const { backgroundType, backgroundColor, padding } = wishes
  const edges = evenEdges(padding)
  if (backgroundType === 'transparent') return padding > 0 ? onGround(page, edges, 'transparent') : page
  if (backgroundType === 'solid') return onGround(page, edges, await inColoursOf(page, backgroundColor, context))
  const size = sizeWith(page, edges)
  const { layer, hasAlpha } =
    backgroundType === 'image'
      ? await givenPicture(page, size, context)
      : { layer: await drawingFor(page, gradientDrawing(size, wishes), context), hasAlpha: false }
  const ground: OverlayOptions = { input: layer.data, raw: { ...size, channels: 4 }, blend: 'dest-over' }
  return page.apply(
    (image) => {
      const drawn = image.extend({ ...edges, background: CLEAR }).composite([ground])
      return hasAlpha ? drawn : drawn.removeAlpha()
    },
    { size, alpha: hasAlpha },
  )
}

/** The colour that bars beside the finished picture take: the solid one, or where the gradient ends. */
export function barColour({ backgroundType, backgroundColor, gradientStops }: BackdropWishes): string {
  if (backgroundType === 'solid') return backgroundColor
  if (!backgroundType.endsWith('gradient')) return 'transparent'
  return [...gradientStops].sort((one, other) => one.position - other.position).at(-1)!.color
}
