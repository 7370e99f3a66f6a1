import { openSharp } from '../../../../src/engines/sharp.ts'
import { drawText } from '../../../../src/media/image/text/text.ts'
import { parseHex } from '../../_shared/colour/colours.ts'
import { LUMINANCE } from '../../_shared/colour/srgb.ts'
import { CLEAR, croppedTo, type Drawing, onPage, turned } from '../../_shared/layers/text-layer.ts'
import { fittedMark } from './fit.ts'
import { tileAnchors } from './tiles.ts'

export interface MarkOptions {
  text: string
  font: string
  fontSize: number
  color: string
  position: 'center' | 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right' | 'tiled'
  rotation: number
}

/**
 * Black letters on a dark image would be invisible: radius of the light rim, relative to the font size, and its
 * strength.
 */
const GLOW = { sigma: 1 / 24, strength: 1.6 }

/** The drawing with a soft rim: white for dark letters, black for light ones. */
async function withGlow(drawing: Drawing, color: string, size: number): Promise<Drawing> {
  const sigma = Math.max(0.6, GLOW.sigma * size)
  const margin = Math.ceil(3 * sigma)
  const extended = await (await openSharp(drawing.png))
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background: CLEAR })
    .png({ compressionLevel: 0 })
    .toBuffer()
  const light = parseHex(color).reduce((sum, value, channel) => sum + LUMINANCE[channel]! * value, 0)
  const contrary = light < 128 ? 255 : 0
  const softened = await (await openSharp(extended)).blur(sigma).png({ compressionLevel: 0 }).toBuffer()
  const rim = await (await openSharp(softened))
    .linear([0, 0, 0, GLOW.strength], [contrary, contrary, contrary, 0])
    .png({ compressionLevel: 0 })
    .toBuffer()
  const [width, height] = [drawing.width + 2 * margin, drawing.height + 2 * margin]
  const whole = { left: 0, top: 0, width, height }
  const layers = [rim, extended].map((png) => ({ ...whole, png }))
  return {
    png: await onPage(layers, { width, height }),
    width,
    height,
    left: drawing.left - margin,
    top: drawing.top - margin,
  }
}

/** The text at its position on a page, or its copies all over it; empty if nothing is on the page. */
export async function drawMarks(page: { width: number; height: number }, options: MarkOptions): Promise<Drawing[]> {
  const { text, font, color, position, rotation } = options
  const isLeft = position.endsWith('left')
  const isRight = position.endsWith('right')
  const { size, maxWidth } = await fittedMark(page, options)
  const align = isLeft ? 'left' : isRight ? 'right' : 'center'
  const drawn = await drawText({ text, font, size, color, align, maxWidth })
  const { png, width, height, middle } = drawn
  const placed = async (left: number, top: number, anchor: { x: number; y: number }): Promise<Drawing> =>
    turned(await withGlow({ png, width, height, left, top }, color, size), rotation, anchor)
  if (position === 'tiled') {
    const centred = await placed(-width / 2, -middle, { x: 0, y: 0 })
    return tileAnchors(page, size, { width, height, rotation }).map(({ x, y }) => ({
      ...centred,
      left: x + centred.left,
      top: y + centred.top,
    }))
  }
  // A corner is the font size away from both edges (catalogue).
  const x = isLeft ? size : isRight ? page.width - size : page.width / 2
  const y = position.startsWith('top') ? size : position.startsWith('bottom') ? page.height - size : page.height / 2
  const left = isLeft ? x : isRight ? x - width : x - width / 2
  const top = position.startsWith('top') ? y : position.startsWith('bottom') ? y - height : y - middle
  const shown = await croppedTo(await placed(left, top, { x, y }), page)
  return shown ? [shown] : []
}
