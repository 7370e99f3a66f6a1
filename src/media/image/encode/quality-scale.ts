/** One number, one look: what the encoder of a format is told so that a picture is as like its source as a JPEG of this quality. */

/**
 * Our number and the encoder's. AVIF's own scale is another from its middle on: at 80 it takes half as many bits again as what
 * looks like JPEG 80. Between the qualities of equal butteraugli (3-norm) and of equal SSIMULACRA to JPEG (4:2:0, from 90 on
 * 4:4:4), of five photographs 768 pixels wide, by sharp 0.35 with tune `ssim` and effort 3. Below 50 both differ by less than
 * the photographs do.
 */
const SCALES: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  avif: [
    [1, 1],
    [50, 50],
    [60, 53],
    [70, 57],
    [75, 60],
    [80, 65],
    [85, 72],
    [90, 83],
    [95, 91],
    [98, 97],
    [100, 100],
  ],
}

/** Between the points of a rising line. */
function along(points: readonly (readonly [number, number])[], at: number): number {
  const next = Math.max(
    1,
    points.findIndex(([from]) => from >= at),
  )
  const [[x0, y0], [x1, y1]] = [points[next - 1]!, points[next]!]
  return y0 + ((at - x0) * (y1 - y0)) / (x1 - x0)
}

/** What the encoder is told, 1 to 100, for a quality of ours. */
export function encoderQuality(formatId: string, quality: number): number {
  const scale = SCALES[formatId]
  return scale ? Math.round(along(scale, quality)) : quality
}

/** The highest quality of ours for which the encoder is told no more than this. */
export function statedQuality(formatId: string, told: number): number {
  if (!SCALES[formatId]) return told
  let quality = 100
  while (encoderQuality(formatId, quality) > told) quality -= 1
  return quality
}
