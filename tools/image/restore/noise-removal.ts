import type { ImageFrame } from '../../../src/media/image/frame.ts'
import { featureMissing } from '../../../src/models/missing.ts'
import { imageTool, type StepContext } from '../../../src/tool/image-tool.ts'
import { choice, number } from '../../../src/tool/settings.ts'
import { denoised } from '../_shared/denoise/classical.ts'
import { checkDenoiser, DENOISERS, denoisedByNetwork } from '../_shared/denoise/network.ts'
import { balancedFilters, type DenoiseOptions, quickFilters } from '../_shared/denoise/tiers.ts'
import { onEachPage, onlyFirstPage } from '../_shared/layout/pages.ts'

async function byNetwork(frame: ImageFrame, options: DenoiseOptions, context: StepContext): Promise<ImageFrame> {
  const made = await denoisedByNetwork(frame, options, context)
  if (!made) throw featureMissing('upscale-enhance')
  return made
}

export default imageTool({
  id: 'noise-removal',
  summary: 'Remove noise and grain',
  suffix: 'denoised',
  bundlesFor: { 'upscale-enhance': { tier: ['quality', 'maximum'] } },
  models: DENOISERS,
  checkInstalled: async ({ tier }, store) => {
    if (tier === 'quality' || tier === 'maximum') await checkDenoiser(store)
  },
  settings: {
    tier: choice(
      ['quick', 'balanced', 'quality', 'maximum'],
      'quick and balanced need no models; quality and maximum use a network, maximum without blending in the original',
      { default: 'balanced' },
    ),
    strength: number('strength of noise removal', { default: 50, min: 0, max: 100 }),
    detailPreservation: number('share of fine detail, and of noise, that is kept', { default: 50, min: 0, max: 100 }),
    colorNoise: number('strength of colour noise removal; 0 is off', {
      default: 30,
      min: 0,
      max: 100,
    }),
    format: choice(['original', 'png', 'jpeg', 'webp', 'avif', 'jxl'], 'output format', {
      group: 'Output',
      default: 'original',
      valueAliases: { jpg: 'jpeg' },
    }),
    quality: number('for lossy formats; 100 is best', { short: 'Q', group: 'Output', default: 90, min: 1, max: 100 }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  timeoutS: 300,
  heavy: true,
  async: true,
  examples: [
    { title: 'the grain of an old photo', inputs: ['old-photo.jpg'] },
    { title: 'fast and light', settings: { tier: 'quick', strength: 30, detailPreservation: 80 } },
  ],
  async transform(given, { tier, format, quality, ...options }, context) {
    const isClassical = tier === 'quick' || tier === 'balanced'
    const filters = tier === 'quick' ? quickFilters(options) : balancedFilters(options)
    const onPage = async (page: ImageFrame): Promise<ImageFrame> => {
      const frame = await (page.space === 'cmyk' ? await page.toRgb() : page).settled()
      if (options.strength === 0 && (options.colorNoise === 0 || !isClassical)) return frame
      return isClassical
        ? frame.withSamples(await denoised(await frame.samples(), filters, context))
        : byNetwork(frame, tier === 'maximum' ? { ...options, strength: 100, detailPreservation: 0 } : options, context)
    }
    const done = isClassical ? await onEachPage(given, onPage) : await onPage(await onlyFirstPage(given, context))
    const named = format === 'jpeg' ? 'jpg' : format
    return done.withTarget({ quality, ...(named !== 'original' && { format: named }) })
  },
})
