import type { ImageFrame, Samples } from '../../../../src/media/image/frame.ts'
import { inTiles } from '../../../../src/models/tiles.ts'
import { requireModel, useModel } from '../../../../src/models/use-model.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import type { DenoiseOptions } from './tiers.ts'

/** The first installed network. There is no second one to install yet; see models/README.md. */
export const DENOISERS = ['scunet-color-real-psnr'] as const

/** @throws MediaprocError FEATURE_NOT_INSTALLED if the network or its runtime is not in this store */
export const checkDenoiser = (store: string): Promise<void> => requireModel(DENOISERS, 'upscale-enhance', store)

const SCUNET = { factor: 1, side: 512, overlap: 32, align: 64 } as const

/**
 * Denoises a page with SCUNet (K. Zhang et al., "Practical Blind Denoising via Swin-Conv-UNet", 2022), tile by tile, in
 * the image's own depth; the strength blends the original back in, and the original's lightness preserves detail. Not
 * tested here with its real weights, which were not available.
 * @returns undefined if the network is not installed
 */
export async function denoisedByNetwork(
  frame: ImageFrame,
  { strength, detailPreservation, colorNoise }: DenoiseOptions,
  context: StepContext,
): Promise<ImageFrame | undefined> {
  const samples = await frame.samples()
  const clean = await useModel(DENOISERS, context, (model) =>
    inTiles(samples, model, SCUNET, (done) => context.progress(done * 0.9, 'denoising')),
  )
  if (!clean) return undefined
  mixed(samples, clean, {
    luma: (strength / 100) * (1 - detailPreservation / 200),
    chroma: Math.max(strength, colorNoise) / 100,
  })
  return frame.withSamples(clean)
}

/** Blends the original into the clean image, in place: by the clean one's share in lightness and in colour. */
function mixed({ data, channels }: Samples, clean: Samples, { luma, chroma }: { luma: number; chroma: number }): void {
  const white = data instanceof Uint16Array ? 65535 : 255
  const isGrey = channels < 3
  for (let at = 0; at < data.length; at += channels) {
    const change = (channel: number): number => clean.data[at + channel]! - data[at + channel]!
    if (isGrey) {
      clean.data[at] = data[at]! + luma * change(0) + 0.5
      continue
    }
    const ofLuma = 0.299 * change(0) + 0.587 * change(1) + 0.114 * change(2)
    for (let channel = 0; channel < 3; channel += 1) {
      const value = data[at + channel]! + luma * ofLuma + chroma * (change(channel) - ofLuma)
      clean.data[at + channel] = Math.min(white, Math.max(0, value)) + 0.5
    }
  }
}
