import { ImageFrame } from '../../../../src/media/image/frame.ts'
import { drawText } from '../../../../src/media/image/text/text.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { placed } from '../../_shared/layers/layers.ts'
import { layerFor } from '../../_shared/layers/overlay.ts'
import { fitInside } from '../../_shared/layout/fit.ts'

export interface SignatureOptions {
  watermarkText?: string | undefined
  watermarkPosition: 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right' | 'center'
  /** Percent. */
  watermarkOpacity: number
}

/**
 * White text over a finished page. Its size, which is also its distance from the edges, is from the catalogue
 * (beautify).
 */
export async function withSignature(
  page: ImageFrame,
  options: SignatureOptions,
  context: StepContext,
): Promise<ImageFrame> {
  const { watermarkText = '', watermarkPosition: position, watermarkOpacity } = options
  if (watermarkText.trim() === '') return page
  const size = Math.max(12, Math.round(Math.min(page.width, page.height) * 0.03))
  const room = { width: Math.max(1, page.width - 2 * size), height: Math.max(1, page.height - 2 * size) }
  const drawn = await drawText({
    text: watermarkText,
    font: 'sans-serif',
    size,
    color: '#ffffff',
    maxWidth: room.width,
    align: position.endsWith('left') ? 'left' : position.endsWith('right') ? 'right' : 'center',
  })
  const fitting = await fitInside(await ImageFrame.fromPng(drawn.png, 'watermark'), room)
  const layer = await layerFor(page, fitting, watermarkOpacity / 100, context)
  const [across, down] = [page.width - layer.width, page.height - layer.height]
  const left = position === 'center' ? across / 2 : position.endsWith('left') ? size : across - size
  const top = position === 'center' ? down / 2 : position.startsWith('top') ? size : down - size
  const within = (place: number, most: number): number => Math.max(0, Math.min(most, Math.round(place)))
  return page.composite([placed(layer, within(left, across), within(top, down))])
}
