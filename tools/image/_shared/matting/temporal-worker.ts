/** The thread that makes mattes steady over time; started by remove-gif-background. */
import { answerRequests } from '../../../../src/engines/workers/worker-answers.ts'
import type { Size } from '../../../../src/media/image/frame.ts'
import { type MattedFrame, steadyMatte } from './temporal.ts'

export interface SteadyRequest {
  frames: readonly MattedFrame[]
  own: number
  size: Size
}

answerRequests<SteadyRequest, Uint8Array>(({ frames, own, size }) => {
  const answer = steadyMatte(frames, own, size)
  return { answer, transfer: [answer.buffer] }
})
