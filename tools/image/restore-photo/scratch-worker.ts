/** The thread that looks for scratches; repair.ts asks it. */
import { answerRequests } from '../../../src/engines/workers/worker-answers.ts'
import type { Plane } from './lines.ts'
import { findScratches } from './scratches.ts'

export interface ScratchRequest {
  light: Plane
  threshold: number
}

answerRequests<ScratchRequest, Uint8Array>(({ light, threshold }) => {
  const answer = findScratches(light, threshold)
  return { answer, transfer: [answer.buffer] }
})
