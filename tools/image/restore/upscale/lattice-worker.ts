/** The thread that removes the lattice of a network; started by upscale.ts. */
import { answerRequests } from '../../../../src/engines/workers/worker-answers.ts'
import type { Samples } from '../../../../src/media/image/frame.ts'
import { removeLattice } from './lattice.ts'

export interface LatticeRequest {
  large: Samples
  plain: Samples
  factor: number
}

answerRequests<LatticeRequest, Samples['data']>(({ large, plain, factor }) => {
  removeLattice(large, plain, factor)
  return { answer: large.data, transfer: [large.data.buffer] }
})
