/** The thread that denoises a band of an image; started by classical.ts. */
import { answerRequests } from '../../../../src/engines/workers/worker-answers.ts'
import { type BilateralOptions, bilateral } from './bilateral.ts'
import { type NonLocalMeansOptions, nonLocalMeans, type Planes } from './non-local-means.ts'

export type Filter = ({ kind: 'bilateral' } & BilateralOptions) | ({ kind: 'non-local-means' } & NonLocalMeansOptions)

export interface DenoiseRequest {
  planes: Planes
  filter: Filter
}

answerRequests<DenoiseRequest, Float32Array[]>(({ planes, filter }) => {
  const answer = filter.kind === 'bilateral' ? bilateral(planes, filter) : nonLocalMeans(planes, filter)
  return { answer, transfer: answer.map(({ buffer }) => buffer) }
})
