/** Strokes of a brush, in pixels of the picture. */
import type { Point, Size } from './rectangle.ts'

export interface Stroke {
  points: readonly Point[]
  radius: number
  isErased: boolean
}

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** Draws strokes. Erased ones are transparent, or of a colour. @param scale canvas pixels per picture pixel */
export function paint(
  context: Context,
  strokes: readonly Stroke[],
  scale: number,
  color: string,
  erased?: string,
): void {
  context.lineCap = 'round'
  context.lineJoin = 'round'
  for (const { points, radius, isErased } of strokes) {
    const [first] = points
    if (!first) continue
    context.globalCompositeOperation = isErased && erased === undefined ? 'destination-out' : 'source-over'
    context.strokeStyle = isErased ? (erased ?? '#000') : color
    context.lineWidth = 2 * radius * scale
    context.beginPath()
    context.moveTo(first.x * scale, first.y * scale)
    // A line of no length is a dot.
    for (const { x, y } of points) context.lineTo(x * scale, y * scale)
    context.stroke()
  }
  context.globalCompositeOperation = 'source-over'
}

/** Longest side of a mask, px; the tools enlarge it. */
const MOST_SIDE = 4096

/** The strokes as a PNG file: white on black, of the shape of the picture. */
export async function maskFile(strokes: readonly Stroke[], { width, height }: Size): Promise<File> {
  const scale = Math.min(1, MOST_SIDE / Math.max(width, height))
  const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale))
  const context = canvas.getContext('2d')
  if (!context) throw new Error('The browser has no canvas')
  context.fillStyle = '#000'
  context.fillRect(0, 0, canvas.width, canvas.height)
  paint(context, strokes, scale, '#fff', '#000')
  return new File([await canvas.convertToBlob({ type: 'image/png' })], 'mask.png', { type: 'image/png' })
}

/** Whether anything is painted: an eraser alone paints nothing. */
export const hasPaint = (strokes: readonly Stroke[]): boolean => strokes.some(({ isErased }) => !isErased)
