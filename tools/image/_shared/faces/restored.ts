import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { useModel } from '../../../../src/models/use-model.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import type { Face } from './detect.ts'
import { restoreFace } from './restore.ts'

/** CodeFormer is not licensed for commercial use: it is used only if it was installed explicitly. */
export const RESTORERS = {
  auto: ['codeformer', 'gfpgan-1.4'],
  gfpgan: ['gfpgan-1.4'],
  codeformer: ['codeformer'],
} as const

/**
 * An image with its faces restored, and the network used; undefined if none is installed.
 * @param frame one page, sRGB with three channels, with or without alpha
 */
export async function withRestoredFaces(
  frame: ImageFrame,
  faces: readonly Pick<Face, 'points'>[],
  chain: readonly string[],
  strength: number,
  context: StepContext,
): Promise<{ frame: ImageFrame; model: 'gfpgan' | 'codeformer' } | undefined> {
  return useModel(chain, context, async (network) => {
    const samples = await frame.samples()
    for (const [index, { points }] of faces.entries()) {
      context.progress(index / faces.length, 'restoring faces')
      await restoreFace(samples, points, network, strength)
    }
    const model = network.id === 'codeformer' ? 'codeformer' : 'gfpgan'
    return { frame: await frame.withSamples(samples), model }
  })
}
