import { hasFewColours } from '../../../../src/media/image/encode/few-colours.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'

/** A grey photograph has up to 256 colours, line art and diagrams a few. */
const MOST_COLOURS = 32

/** Whether a picture has so few colours that it was drawn, not photographed. */
export async function isDrawing(frame: ImageFrame): Promise<boolean> {
  return hasFewColours(await frame.pixels({ alpha: 'drop' }), MOST_COLOURS)
}
