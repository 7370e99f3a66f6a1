import { imageTool } from '../../../src/tool/image-tool.ts'
import { choice, number } from '../../../src/tool/settings.ts'
import { onColoursAlone, withMedian } from '../_shared/layers/around-alpha.ts'

/** Window of the median filter, px. */
const MEDIAN = { light: 3, medium: 5, strong: 7 } as const

/** Lightness ranges from 0 to 100: this cap clips nothing. */
const NO_CAP = 100

/**
 * Identity plus detail. 3 x 3: the four-neighbour Laplacian (catalogue). 5 x 5: four times the detail removed by a
 * binomial blur (1 4 6 4 1, a close approximation of a Gaussian), so that both respond alike to a fine line.
 */
function highPassKernel(size: number, strength: number): number[] {
  if (size === 3) return [0, -strength, 0, -strength, 1 + 4 * strength, -strength, 0, -strength, 0]
  const binomial = [1, 4, 6, 4, 1]
  return binomial.flatMap((down, y) =>
    binomial.map((across, x) => {
      const centre = x === 2 && y === 2
      return (centre ? 1 : 0) + 4 * strength * ((centre ? 1 : 0) - (down * across) / 256)
    }),
  )
}

const ADAPTIVE = { group: 'Adaptive', when: { method: 'adaptive' } } as const
const UNSHARP_MASK = { group: 'Unsharp mask', when: { method: 'unsharp-mask' } } as const
const HIGH_PASS = { group: 'High pass', when: { method: 'high-pass' } } as const

export default imageTool({
  id: 'sharpening',
  summary: 'Sharpen by adaptive, unsharp-mask or high-pass method',
  settings: {
    method: choice(['adaptive', 'unsharp-mask', 'high-pass'], 'edge detection method', { default: 'adaptive' }),
    sigma: number('width of the edges', { ...ADAPTIVE, default: 1, min: 0.5, max: 10, unit: 'px' }),
    m1: number('how much flat areas are sharpened', { ...ADAPTIVE, label: 'Flat areas', default: 1, min: 0, max: 10 }),
    m2: number('how much jagged areas are sharpened', {
      ...ADAPTIVE,
      label: 'Jagged areas',
      default: 3,
      min: 0,
      max: 20,
    }),
    x1: number('lightness difference that separates flat from jagged areas', {
      ...ADAPTIVE,
      label: 'From flat to jagged',
      default: 2,
      min: 0,
      max: 10,
    }),
    y2: number('maximum brightening of a pixel', {
      ...ADAPTIVE,
      label: 'Most brightening',
      default: 12,
      min: 0,
      max: 50,
    }),
    y3: number('maximum darkening of a pixel', { ...ADAPTIVE, label: 'Most darkening', default: 20, min: 0, max: 50 }),
    amount: number('strength', { ...UNSHARP_MASK, default: 100, min: 0, max: 1000, unit: '%' }),
    radius: number('width of the edges', { ...UNSHARP_MASK, default: 1, min: 0.1, max: 5, unit: 'px' }),
    threshold: number('smaller differences than this, of 255, are not changed', {
      ...UNSHARP_MASK,
      default: 0,
      min: 0,
      max: 255,
    }),
    strength: number('strength', { ...HIGH_PASS, default: 50, min: 0, max: 100, unit: '%' }),
    kernelSize: choice([3, 5], 'pixels across the kernel', { ...HIGH_PASS, default: 3 }),
    denoise: choice(['off', 'light', 'medium', 'strong'], 'median filter applied first, to reduce noise', {
      default: 'off',
    }),
  },
  examples: [
    { title: 'crisper edges, calm skies' },
    { title: 'for print', settings: { method: 'unsharp-mask', amount: 150, radius: 1.5, threshold: 4 } },
    { title: 'a noisy photo', settings: { denoise: 'light', strength: 30, method: 'high-pass' } },
  ],
  async transform(given, settings) {
    const { method, kernelSize, denoise } = settings
    // Only its profile defines the lightness of CMYK.
    const frame = given.space === 'cmyk' ? await given.toRgb() : given
    const before = denoise === 'off' ? frame : await withMedian(frame, MEDIAN[denoise])
    if (method === 'high-pass') {
      const kernel = highPassKernel(kernelSize, settings.strength / 100)
      return onColoursAlone(before, kernelSize / 2, (image) =>
        image.convolve({ width: kernelSize, height: kernelSize, kernel, scale: 1 }),
      )
    }
    if (method === 'adaptive') {
      const { sigma, m1, m2, x1, y2, y3 } = settings
      return onColoursAlone(before, sigma, (image) => image.sharpen({ sigma, m1, m2, x1, y2, y3 }))
    }
    const { radius: sigma, amount, threshold } = settings
    const gain = amount / 100
    // libvips measures lightness; the catalogue maps the threshold of 255 to its first 10 steps.
    const x1 = (threshold / 255) * 10
    const caps = { y2: NO_CAP, y3: NO_CAP }
    return onColoursAlone(before, Math.max(0.5, sigma), (image) =>
      // With equal gains on both sides libvips would ignore the threshold.
      image.sharpen({ sigma, m1: threshold > 0 ? 0 : gain, m2: gain, x1, ...caps }),
    )
  },
})
