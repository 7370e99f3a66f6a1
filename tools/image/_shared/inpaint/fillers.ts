import { openWorker } from '../../../../src/engines/worker-thread.ts'
import { useModel } from '../../../../src/models/use-model.ts'
import { builtFile } from '../../../../src/root.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import type { Filler } from './fill.ts'
import { ERASERS, networkFiller } from './networks.ts'
import type { View } from './view.ts'

const WORKER = builtFile('tools/image/_shared/inpaint/exemplar-worker.js')

/** What is searched for a match: more finds more, and takes longer; px. */
const SIGHT = { least: 256, most: 1536, context: 5, tiles: Number.POSITIVE_INFINITY } as const

/** Work with a network that fills in; undefined where none is installed. */
export function withNetwork<T>(context: StepContext, work: (filler: Filler) => Promise<T>): Promise<T | undefined> {
  return useModel(ERASERS, context, (model) => work(networkFiller(model)))
}

/** Work with the method that needs no model: what is missing is taken from the rest of the picture. */
export async function withExemplar<T>(context: StepContext, work: (filler: Filler) => Promise<T>): Promise<T> {
  const { signal } = context
  const thread = openWorker<View, Float32Array>(WORKER, { signal })
  try {
    return await work({ method: 'exemplar', sight: SIGHT, fill: (view) => thread.ask(view) })
  } finally {
    await thread.close()
  }
}
