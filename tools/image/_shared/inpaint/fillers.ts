import { askWorker } from '../../../../src/engines/workers/worker-thread.ts'
import type { Area } from '../../../../src/models/tiles.ts'
import { useModel } from '../../../../src/models/use-model.ts'
import { builtFile } from '../../../../src/root.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import type { Completion } from './exemplar.ts'
import type { ExemplarRequest } from './exemplar-worker.ts'
import type { Filler } from './fill.ts'
import type { MirrorDepths } from './mirror.ts'
import { ERASERS, networkFiller } from './networks.ts'

const WORKER = builtFile('tools/image/_shared/inpaint/exemplar-worker.js')

/** The search area for matches: a larger one finds more and takes longer; px. */
export const SIGHT = { least: 256, most: 1024, context: 5, tiles: Number.POSITIVE_INFINITY } as const

/** Inpainting with a network; undefined if none is installed. */
export function withNetwork<T>(context: StepContext, work: (filler: Filler) => Promise<T>): Promise<T | undefined> {
  return useModel(ERASERS, context, (model) => work(networkFiller(model)))
}

/**
 * Inpainting without a model: missing content is taken from the rest of the image.
 * @param options `around`: see fillByExemplar; `barred`: areas of the image that are not copied, such as faces
 */
export async function withExemplar<T>(
  context: StepContext,
  work: (filler: Filler) => Promise<T>,
  options: { around?: MirrorDepths; barred?: readonly Area[] } = {},
): Promise<T> {
  const { around, barred = [] } = options
  // No view is larger than SIGHT allows.
  const asking = { signal: context.signal, isReusable: true }
  const fill: Filler['fill'] = (view) => askWorker<ExemplarRequest, Completion>(WORKER, { view, around }, asking)
  return work({ method: 'exemplar', sight: SIGHT, barred, fill })
}
