import type { ImageLevers } from '../../../../src/media/pdf/image/reencode-images.ts'

/** Image resolution and JPEG quantisation factor for a quality from 1 to 100 (formulas: catalogue, compress-pdf). */
export function leversOf(quality: number): ImageLevers {
  return {
    dpi: quality >= 50 ? 300 : Math.round(20 + (280 * quality) / 50),
    quantisation: 0.1 + 2.4 * ((100 - quality) / 99) ** 1.5,
  }
}
