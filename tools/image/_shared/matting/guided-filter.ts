import { boxMean } from './box-filter.ts'

/**
 * Aligns a matte with the edges of its image: plain upsampling is soft across an outline; the result is steep there and
 * follows single hairs. K. He, J. Sun, X. Tang, "Guided Image Filtering" (ECCV 2010), with a grey guide.
 * @param matte 0 to 1
 * @param guide the image's luma, 0 to 1
 * @param epsilon variance below which the guide counts as flat
 */
export function guidedFilter(
  matte: Float32Array,
  guide: Float32Array,
  { width, height, radius, epsilon }: { width: number; height: number; radius: number; epsilon: number },
): Float32Array {
  const mean = (plane: Float32Array): Float32Array => boxMean(plane, width, height, radius)
  const products = (one: Float32Array, other: Float32Array): Float32Array => one.map((value, at) => value * other[at]!)
  const meanGuide = mean(guide)
  const meanMatte = mean(matte)
  const covariance = mean(products(guide, matte))
  const variance = mean(products(guide, guide))
  const slope = covariance.map(
    (value, at) => (value - meanGuide[at]! * meanMatte[at]!) / (variance[at]! - meanGuide[at]! ** 2 + epsilon),
  )
  const shift = meanMatte.map((value, at) => value - slope[at]! * meanGuide[at]!)
  const meanSlope = mean(slope)
  const meanShift = mean(shift)
  return guide.map((value, at) => Math.min(1, Math.max(0, meanSlope[at]! * value + meanShift[at]!)))
}
