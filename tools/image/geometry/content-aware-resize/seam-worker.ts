/** The thread that carves seams: minutes of computation must not block other work. */
import { answerRequests, type TellProgress } from '../../../../src/engines/workers/worker-answers.ts'
import { carve, pick, transpose } from './seam-carving.ts'

export interface SeamRequest {
  data: Uint8Array | Uint16Array
  channels: number
  luma: Uint8Array
  /** Rectangles to keep intact, in image pixels. */
  faces: readonly { left: number; top: number; width: number; height: number }[]
  width: number
  height: number
  /** Columns and rows of the result. */
  wanted: { width: number; height: number }
  threshold: number
}

function guard(faces: SeamRequest['faces'], width: number, height: number): Uint8Array {
  const guarded = new Uint8Array(width * height)
  for (const face of faces)
    for (let y = face.top; y < face.top + face.height; y += 1)
      guarded.fill(1, y * width + face.left, y * width + face.left + face.width)
  return guarded
}

function run(
  { data, channels, luma, width, height, wanted, threshold, faces }: SeamRequest,
  progress: TellProgress,
): Uint8Array | Uint16Array {
  const seams = width - wanted.width + (height - wanted.height)
  const tell = (done: number, count: number) => (part: number) => progress((done + part * count) / seams)
  const guarded = guard(faces, width, height)
  const first = carve({ data: luma, guarded, width, height }, wanted.width, threshold, tell(0, width - wanted.width))
  const narrow = pick(data, { width, height, channels }, first)
  if (height === wanted.height) return narrow
  // Rows are removed the same way, in the transposed image.
  const size = { width: first.width, height }
  const onSide = (plane: Uint8Array): Uint8Array =>
    transpose(pick(plane, { width, height, channels: 1 }, first), { ...size, channels: 1 })
  const side = { width: height, height: first.width }
  const rest = height - wanted.height
  const second = carve(
    { data: onSide(luma), guarded: onSide(guarded), ...side },
    wanted.height,
    threshold,
    tell(width - wanted.width, rest),
  )
  const turned = pick(transpose(narrow, { ...size, channels }), { ...side, channels }, second)
  return transpose(turned, { width: second.width, height: first.width, channels })
}

answerRequests<SeamRequest, Uint8Array | Uint16Array>((request, tell) => {
  const answer = run(request, tell)
  return { answer, transfer: [answer.buffer] }
})
