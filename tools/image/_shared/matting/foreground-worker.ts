/** The thread that recolours the edges of a cut-out; started by decontaminate.ts. */
import { answerRequests } from '../../../../src/engines/workers/worker-answers.ts'
import type { Samples } from '../../../../src/media/image/frame.ts'
import { recolourEdges } from './foreground.ts'

answerRequests<Samples, Samples['data']>((samples) => {
  recolourEdges(samples)
  return { answer: samples.data, transfer: [samples.data.buffer] }
})
