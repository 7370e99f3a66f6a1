const even = (side: number): number => Math.max(2, side - (side % 2))

/** The size with both sides cut to even numbers, as the colour of 4:2:0 has half of them; pixels. */
export function evenSize({ width, height }: Size): Size {
  return { width: even(width), height: even(height) }
}

export interface Size {
  width: number
  height: number
}

/**
 * Filters that fit a picture into a canvas without cutting it, in the middle of black bars, with square pixels.
 * @param shown the picture's size as a player shows it, pixels
 * @param canvas even sides, pixels
 */
export function fitFilters(shown: Size, canvas: Size): string[] {
  const factor = Math.min(canvas.width / shown.width, canvas.height / shown.height)
  // Whole steps of the halved colour; a side that would be more than the canvas by rounding is the canvas's.
  const side = (length: number, most: number): number =>
    Math.min(most, Math.max(2, 2 * Math.round((length * factor) / 2)))
  const [width, height] = [side(shown.width, canvas.width), side(shown.height, canvas.height)]
  return [
    `scale=${width}:${height}:flags=lanczos:out_color_matrix=bt709:out_range=tv`,
    'setsar=1',
    // The format before the bars: black of one format is another colour in the next.
    'format=yuv420p',
    `pad=${canvas.width}:${canvas.height}:(ow-iw)/2:(oh-ih)/2:black`,
  ]
}

/** The result of `fitFilters` as encoder options. */
export const FITTED_COLOUR: readonly string[] = [
  ...['-color_range', 'tv', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709'],
]
