/** The thread that runs the exemplar-based fill; started by fillers.ts. */
import { answerRequests } from '../../../../src/engines/workers/worker-answers.ts'
import { type Completion, fillByExemplar } from './exemplar.ts'
import type { View } from './view.ts'

export interface ExemplarRequest {
  view: View
  isAround: boolean
}

answerRequests<ExemplarRequest, Completion>(({ view, isAround }) => {
  const answer = fillByExemplar(view, isAround)
  return { answer, transfer: [answer.data.buffer, answer.origins.buffer] }
})
