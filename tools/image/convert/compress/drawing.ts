import { hasFewColours } from '../../../../src/media/image/encode/few-colours.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'

/** A grey photo has up to 256 colours, line art and diagrams only a few. */
const MOST_COLOURS = 32

/** Whether an image has so few colours that it is a drawing, not a photo. */
export async function isDrawing(frame: ImageFrame): Promise<boolean> {
  return hasFewColours(await frame.pixels({ alpha: 'drop' }), MOST_COLOURS)
}
