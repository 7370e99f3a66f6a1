import { openSharp } from '../../../../src/engines/sharp.ts'
import { type DrawnText, drawText } from '../../../../src/media/image/text/text.ts'
import { parseHex } from '../../_shared/colour/colours.ts'
import { EQUAL_CONTRAST, LUMINANCE } from '../../_shared/colour/srgb.ts'
import { CLEAR, croppedTo, type Drawing, onPage, turned } from '../../_shared/layers/text-layer.ts'
import { fittedMark } from './fit.ts'
import type { Ground } from './ground.ts'
import { tileAnchors } from './tiles.ts'

export interface MarkOptions {
  text: string
  font: string
  fontSize: number
  color: string
  position: 'center' | 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right' | 'tiled'
  rotation: number
}

/** The rim: its softness relative to the font size, and its strength, which makes it an outline of about that width. */
const RIM = { sigma: 1 / 22, strength: 6 }

/** The colour of letters for which none is given, except on a dark background. */
export const BLACK = '#000000'
const WHITE = '#ffffff'

/** The drawing with a rim: white for dark letters, black for light ones. */
async function withRim(drawing: Drawing, color: string, size: number): Promise<Drawing> {
  const sigma = Math.max(0.6, RIM.sigma * size)
  const margin = Math.ceil(3 * sigma)
  const extended = await (await openSharp(drawing.png))
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background: CLEAR })
    .png({ compressionLevel: 0 })
    .toBuffer()
  const light = parseHex(color).reduce((sum, value, channel) => sum + LUMINANCE[channel]! * value, 0)
  const contrary = light < 128 ? 255 : 0
  const softened = await (await openSharp(extended)).blur(sigma).png({ compressionLevel: 0 }).toBuffer()
  const rim = await (await openSharp(softened))
    .linear([0, 0, 0, RIM.strength], [contrary, contrary, contrary, 0])
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

/**
 * The text at its position on a page, or its copies all over it; empty if nothing is on the page.
 * @param ground of a page on which the letters are white where it is dark
 */
export async function drawMarks(
  page: { width: number; height: number },
  ground: Ground | undefined,
  options: MarkOptions,
): Promise<Drawing[]> {
  const { text, font, position, rotation } = options
  const isLeft = position.endsWith('left')
  const isRight = position.endsWith('right')
  const { size, maxWidth } = await fittedMark(page, options)
  const align = isLeft ? 'left' : isRight ? 'right' : 'center'
  const drawnIn = (color: string): Promise<DrawnText> => drawText({ text, font, size, color, align, maxWidth })
  const drawn = await drawnIn(options.color)
  const { width, height, middle } = drawn
  const placed = async (
    left: number,
    top: number,
    anchor: { x: number; y: number },
    color: string,
  ): Promise<Drawing> => {
    const { png } = color === options.color ? drawn : await drawnIn(color)
    return turned(await withRim({ png, width, height, left, top }, color, size), rotation, anchor)
  }
  const colourOn = (mark: Drawing): string => (ground && ground(mark) < EQUAL_CONTRAST ? WHITE : options.color)
  if (position === 'tiled') {
    const centre = { x: 0, y: 0 }
    const dark = await placed(-width / 2, -middle, centre, options.color)
    const light = ground ? await placed(-width / 2, -middle, centre, WHITE) : dark
    return tileAnchors(page, size, { width, height, rotation }).map(({ x, y }) => {
      const at = { left: x + dark.left, top: y + dark.top }
      return { ...(colourOn({ ...dark, ...at }) === WHITE ? light : dark), ...at }
    })
  }
  // A corner is the font size away from both edges (catalogue).
  const x = isLeft ? size : isRight ? page.width - size : page.width / 2
  const y = position.startsWith('top') ? size : position.startsWith('bottom') ? page.height - size : page.height / 2
  const left = isLeft ? x : isRight ? x - width : x - width / 2
  const top = position.startsWith('top') ? y : position.startsWith('bottom') ? y - height : y - middle
  const mark = await placed(left, top, { x, y }, options.color)
  const colour = colourOn(mark)
  const shown = await croppedTo(colour === options.color ? mark : await placed(left, top, { x, y }, colour), page)
  return shown ? [shown] : []
}
