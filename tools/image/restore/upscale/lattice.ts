import type { Samples } from '../../../../src/media/image/frame.ts'
import { boxMean } from '../../_shared/matting/box-filter.ts'

/** Radius of the neighbourhood in which a pattern is measured, pixels of the input. */
const REACH = 4

/**
 * Removes the lattice that a network with sub-pixel output (pixel shuffle) adds to soft areas, in place: its pixels at
 * the same place within the pixels of the input share an error. The error is their mean distance from a plain
 * enlargement in a neighbourhood, compared with that of all pixels. Details cancel out in it.
 * @param large single-page samples, enlarged by a network
 * @param plain the same image, enlarged by resampling, with or without alpha
 * @param factor whole number by which both were enlarged
 */
export function removeLattice(large: Samples, plain: Samples, factor: number): void {
  const { data, channels } = large
  const [width, height] = [large.width / factor, large.height / factor]
  const white = data instanceof Uint16Array ? 65535 : 255
  const colours = channels % 2 === 0 ? channels - 1 : channels
  const places = Array.from({ length: factor * factor }, (_, place) => place)
  /** Calls back for every pixel at a place within the pixels of the input. */
  const visit = (place: number, onPixel: (small: number, pixel: number) => void): void => {
    for (let y = 0, small = 0; y < height; y += 1) {
      const row = (y * factor + Math.floor(place / factor)) * large.width + (place % factor)
      for (let x = 0; x < width; x += 1, small += 1) onPixel(small, row + x * factor)
    }
  }
  for (let channel = 0; channel < colours; channel += 1) {
    const change = (pixel: number): number =>
      (data[pixel * channels + channel] as number) - (plain.data[pixel * plain.channels + channel] as number)
    const mean = new Float32Array(width * height)
    for (const place of places)
      visit(place, (small, pixel) => {
        mean[small]! += change(pixel) / places.length
      })
    for (const place of places) {
      const own = new Float32Array(width * height)
      visit(place, (small, pixel) => {
        own[small] = change(pixel) - (mean[small] as number)
      })
      const shared = boxMean(own, width, height, REACH)
      visit(place, (small, pixel) => {
        const at = pixel * channels + channel
        data[at] = Math.min(white, Math.max(0, (data[at] as number) - (shared[small] as number) + 0.5))
      })
    }
  }
}
