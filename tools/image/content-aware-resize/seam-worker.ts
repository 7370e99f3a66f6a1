/** The thread that carves seams: minutes of arithmetic must not keep anybody else waiting. */
import { answerRequests, type TellProgress } from '../../../src/engines/worker-answers.ts'
import { carve, pick, transpose } from './seam-carving.ts'

export interface SeamRequest {
  data: Uint8Array | Uint16Array
  channels: number
  luma: Uint8Array
  width: number
  height: number
  /** Columns and rows of the result. */
  wanted: { width: number; height: number }
  threshold: number
}

function run(
  { data, channels, luma, width, height, wanted, threshold }: SeamRequest,
  progress: TellProgress,
): Uint8Array | Uint16Array {
  const seams = width - wanted.width + (height - wanted.height)
  const tell = (done: number, count: number) => (part: number) => progress((done + part * count) / seams)
  const first = carve({ data: luma, width, height }, wanted.width, threshold, tell(0, width - wanted.width))
  const narrow = pick(data, { width, height, channels }, first)
  if (height === wanted.height) return narrow
  // Rows go the same way, in the picture turned on its side.
  const size = { width: first.width, height }
  const grey = transpose(pick(luma, { width, height, channels: 1 }, first), { ...size, channels: 1 })
  const side = { width: height, height: first.width }
  const rest = height - wanted.height
  const second = carve({ data: grey, ...side }, wanted.height, threshold, tell(width - wanted.width, rest))
  const turned = pick(transpose(narrow, { ...size, channels }), { ...side, channels }, second)
  return transpose(turned, { width: second.width, height: first.width, channels })
}

answerRequests<SeamRequest, Uint8Array | Uint16Array>((request, tell) => {
  const answer = run(request, tell)
  return { answer, transfer: [answer.buffer] }
})
