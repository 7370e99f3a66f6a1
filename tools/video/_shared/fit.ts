const even = (side: number): number => Math.max(2, side - (side % 2))

/** The size with both sides rounded down to even numbers, as 4:2:0 halves the colour resolution; pixels. */
export function evenSize({ width, height }: Size): Size {
  return { width: even(width), height: even(height) }
}

export interface Size {
  width: number
  height: number
}

/**
 * Filters that fit an image into a canvas without cropping, centred between black bars, with square pixels.
 * @param shown the image size as displayed, pixels
 * @param canvas even sides, pixels
 * @param isHdr the result is HDR in BT.2020 with 10 bits
 */
export function fitFilters(shown: Size, canvas: Size, isHdr = false): string[] {
  const factor = Math.min(canvas.width / shown.width, canvas.height / shown.height)
  // Steps of the halved colour resolution; a side that rounding would make larger than the canvas is limited to it.
  const side = (length: number, most: number): number =>
    Math.min(most, Math.max(2, 2 * Math.round((length * factor) / 2)))
  const [width, height] = [side(shown.width, canvas.width), side(shown.height, canvas.height)]
  return [
    `scale=${width}:${height}:flags=lanczos:out_color_matrix=${isHdr ? 'bt2020' : 'bt709'}:out_range=tv`,
    'setsar=1',
    // Sets the format before the bars: black of one format is another colour in the next.
    isHdr ? 'format=yuv420p10le' : 'format=yuv420p',
    `pad=${canvas.width}:${canvas.height}:(ow-iw)/2:(oh-ih)/2:black`,
  ]
}

/** The result of `fitFilters` as encoder options, for SDR. */
export const FITTED_COLOUR: readonly string[] = [
  ...['-color_range', 'tv', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709'],
]
