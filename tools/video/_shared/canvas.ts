import { choice } from '../../../src/tool/settings.ts'

export const RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4'] as const
export type Ratio = (typeof RATIOS)[number]

/** The settings row for a video's target shape. */
export const target = <const D extends Ratio>(byDefault: D) =>
  choice(RATIOS, 'the shape of the result, width to height', { default: byDefault })

const even = (side: number): number => side + (side % 2)

/**
 * The smallest canvas of a shape that contains an image unscaled, even sides, pixels.
 * @param width of the image as displayed
 */
export function canvasFor(ratio: Ratio, width: number, height: number): { width: number; height: number } {
  const [across, down] = ratio.split(':').map(Number) as [number, number]
  if (width * down >= height * across) return { width: even(width), height: even(Math.round((width * down) / across)) }
  return { width: even(Math.round((height * across) / down)), height: even(height) }
}
