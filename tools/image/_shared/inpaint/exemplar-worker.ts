/** The thread that fills by exemplar; fillers.ts asks it. */
import { answerRequests } from '../../../../src/engines/worker-answers.ts'
import { fillByExemplar } from './exemplar.ts'
import type { View } from './view.ts'

answerRequests<View, Float32Array>((view) => {
  const answer = fillByExemplar(view)
  return { answer, transfer: [answer.buffer] }
})
