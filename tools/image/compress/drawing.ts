import type { ImageFrame } from '../../../src/media/image/frame.ts'

/** A grey photograph has up to 256 colours, line art and diagrams a few. */
const MOST_COLOURS = 32

/** Whether a picture has so few colours that it was drawn, not photographed. */
export async function isDrawing(frame: ImageFrame): Promise<boolean> {
  const { data } = await frame.pixels({ alpha: 'drop' })
  const colours = new Set<number>()
  for (let at = 0; at + 2 < data.length; at += 3) {
    colours.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!)
    if (colours.size > MOST_COLOURS) return false
  }
  return true
}
