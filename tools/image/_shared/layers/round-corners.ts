import type { OverlayOptions } from '../../../../src/engines/sharp.ts'
import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'

type Corner = 'top-left' | 'top-right' | 'bottom-right' | 'bottom-left'

const CORNERS: readonly Corner[] = ['top-left', 'top-right', 'bottom-right', 'bottom-left']

/** The area outside the arc in a corner square; the centre of the arc is in units of the radius. */
function outside(corner: Corner, radius: number): Buffer {
  const right = corner.endsWith('right')
  const bottom = corner.startsWith('bottom')
  const turn = `matrix(${right ? -1 : 1} 0 0 ${bottom ? -1 : 1} ${right ? radius : 0} ${bottom ? radius : 0})`
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${radius}" height="${radius}"><path transform="${turn}" d="M0 0H${radius}A${radius} ${radius} 0 0 0 0 ${radius}Z"/></svg>`,
  )
}

/** Layers that cut round corners out of the layers below. `radius` in whole px, at most half the shorter side. */
export function cornerCutters({ width, height }: Size, radius: number, corners = CORNERS): OverlayOptions[] {
  return corners.map((corner) => ({
    input: outside(corner, radius),
    left: corner.endsWith('right') ? width - radius : 0,
    top: corner.startsWith('bottom') ? height - radius : 0,
    blend: 'dest-out' as const,
  }))
}

/** Every page with round corners, transparent outside. The radius (px) is limited to half the shorter side. */
export async function roundCorners(frame: ImageFrame, wanted: number, corners = CORNERS): Promise<ImageFrame> {
  const radius = Math.min(Math.round(wanted), Math.floor(Math.min(frame.width, frame.height) / 2))
  if (radius < 1) return frame
  const cutters = cornerCutters(frame, radius, corners)
  return frame.apply((image) => image.composite(cutters), { alpha: true, pagewise: true })
}
