/** The thread that runs the exemplar-based fill; started by fillers.ts. */
import { answerRequests } from '../../../../src/engines/workers/worker-answers.ts'
import { type Completion, fillByExemplar } from './exemplar.ts'
import type { MirrorDepths } from './mirror.ts'
import type { View } from './view.ts'

export interface ExemplarRequest {
  view: View
  around: MirrorDepths | undefined
}

answerRequests<ExemplarRequest, Completion>(({ view, around }) => {
  const answer = fillByExemplar(view, around)
  return { answer, transfer: [answer.data.buffer, answer.origins.buffer] }
})
