/** The thread that detects scratches and dust; started by repair.ts. */
import { answerRequests } from '../../../../src/engines/workers/worker-answers.ts'
import { type Damage, findDamage } from './damage.ts'
import type { Plane } from './plane.ts'

export interface ScratchRequest {
  light: Plane
  threshold: number
}

answerRequests<ScratchRequest, Damage>(({ light, threshold }) => {
  const answer = findDamage(light, threshold)
  return { answer, transfer: [answer.mask.buffer] }
})
