import { imageTool } from '../../src/tool/image-tool.ts'
import { choice, number } from '../../src/tool/settings.ts'
import { onColoursAlone, withMedian } from './_shared/layers/around-alpha.ts'

/** Pixels across the median filter. */
const MEDIAN = { light: 3, medium: 5, strong: 7 } as const

/** Lightness has 100 steps: a cap of so many cuts nothing off. */
const NO_CAP = 100

/**
 * Identity plus detail. 3 x 3: the four neighbours' Laplacian (catalogue). 5 x 5: four times what a binomial blur
 * (1 4 6 4 1, a close approximation of a Gaussian) takes away, so that both answer alike to a fine line.
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

export default imageTool({
  id: 'sharpening',
  summary: 'Sharpen by adaptive, unsharp-mask or high-pass method',
  settings: {
    method: choice(['adaptive', 'unsharp-mask', 'high-pass'], 'how edges are found; only its own settings act', {
      default: 'adaptive',
    }),
    sigma: number('adaptive: width of the edges', { default: 1, min: 0.5, max: 10, unit: 'px' }),
    m1: number('adaptive: how much flat areas are sharpened', { default: 1, min: 0, max: 10 }),
    m2: number('adaptive: how much jagged areas are sharpened', { default: 3, min: 0, max: 20 }),
    x1: number('adaptive: difference of lightness where flat ends and jagged begins', { default: 2, min: 0, max: 10 }),
    y2: number('adaptive: most that a pixel is brightened', { default: 12, min: 0, max: 50 }),
    y3: number('adaptive: most that a pixel is darkened', { default: 20, min: 0, max: 50 }),
    amount: number('unsharp-mask: how much', { default: 100, min: 0, max: 1000, unit: '%' }),
    radius: number('unsharp-mask: width of the edges', { default: 1, min: 0.1, max: 5, unit: 'px' }),
    threshold: number('unsharp-mask: smaller differences than this, of 255, are left alone', {
      default: 0,
      min: 0,
      max: 255,
    }),
    strength: number('high-pass: how much', { default: 50, min: 0, max: 100, unit: '%' }),
    kernelSize: choice([3, 5], 'high-pass: pixels across the kernel', { default: 3 }),
    denoise: choice(['off', 'light', 'medium', 'strong'], 'a median filter before, against noise', { default: 'off' }),
  },
  examples: [
    { title: 'crisper edges, calm skies' },
    { title: 'for print', settings: { method: 'unsharp-mask', amount: 150, radius: 1.5, threshold: 4 } },
    { title: 'a noisy photo', settings: { denoise: 'light', strength: 30, method: 'high-pass' } },
  ],
  async transform(given, settings) {
    const { method, kernelSize, denoise } = settings
    // Lightness of CMYK is known to its profile only.
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
    // libvips measures lightness; the catalogue brings the threshold of 255 to its first 10 steps.
    const x1 = (threshold / 255) * 10
    const caps = { y2: NO_CAP, y3: NO_CAP }
    return onColoursAlone(before, Math.max(0.5, sigma), (image) =>
      // With one gain on both sides libvips would not see the threshold at all.
      image.sharpen({ sigma, m1: threshold > 0 ? 0 : gain, m2: gain, x1, ...caps }),
    )
  },
})
