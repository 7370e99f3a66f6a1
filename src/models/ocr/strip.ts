import type { Picture } from './detect.ts'
import type { TurnedBox } from './geometry.ts'

/** A box with this ratio of height to width holds a vertical line, which is rotated (PaddleOCR). */
const UPRIGHT_RATIO = 1.5

/** The box of a line for reading: for a vertical line, the width is its longer side. */
export function lineBox(box: TurnedBox): TurnedBox {
  if (box.height < box.width * UPRIGHT_RATIO) return box
  // Rotated to the left, as in PaddleOCR: the top becomes the end of the line.
  return { centre: box.centre, width: box.height, height: box.width, angle: box.angle + Math.PI / 2 }
}

/**
 * A line cropped and deskewed at a given height; source samples are averaged when it is scaled down.
 * Beyond the image, edge pixels are repeated.
 */
export function levelStrip({ data, width, height }: Picture, box: TurnedBox, high: number, wide: number): Picture {
  const strip = new Uint8Array(wide * high * 3)
  const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)]
  const [stepX, stepY] = [box.width / wide, box.height / high]
  const [samplesX, samplesY] = [Math.max(1, Math.round(stepX)), Math.max(1, Math.round(stepY))]
  const weight = 1 / (samplesX * samplesY)
  for (let row = 0; row < high; row += 1)
    for (let column = 0; column < wide; column += 1) {
      let [red, green, blue] = [0, 0, 0]
      for (let inner = 0; inner < samplesX * samplesY; inner += 1) {
        const along = (column + ((inner % samplesX) + 0.5) / samplesX) * stepX - box.width / 2
        const beside = (row + (Math.floor(inner / samplesX) + 0.5) / samplesY) * stepY - box.height / 2
        const x = Math.min(width - 1, Math.max(0, box.centre.x + along * cos - beside * sin - 0.5))
        const y = Math.min(height - 1, Math.max(0, box.centre.y + along * sin + beside * cos - 0.5))
        const [left, top] = [Math.floor(x), Math.floor(y)]
        const [partX, partY] = [x - left, y - top]
        const here = (top * width + left) * 3
        const right = left + 1 < width ? 3 : 0
        const below = top + 1 < height ? width * 3 : 0
        const [a, b, c, d] = [(1 - partX) * (1 - partY), partX * (1 - partY), (1 - partX) * partY, partX * partY]
        const at = (offset: number): number =>
          data[here + offset]! * a +
          data[here + right + offset]! * b +
          data[here + below + offset]! * c +
          data[here + below + right + offset]! * d
        red += at(0)
        green += at(1)
        blue += at(2)
      }
      const to = (row * wide + column) * 3
      strip[to] = red * weight + 0.5
      strip[to + 1] = green * weight + 0.5
      strip[to + 2] = blue * weight + 0.5
    }
  return { data: strip, width: wide, height: high }
}

/** A box with start and end swapped: the line is upside down. */
export const headOver = (box: TurnedBox): TurnedBox => ({ ...box, angle: box.angle + Math.PI })
