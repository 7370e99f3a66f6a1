/** The thread that traces drawings: long loops must not block other work. */
import { answerRequests } from '../../../../src/engines/workers/worker-answers.ts'
import type { Plane } from './plane.ts'
import type { RegionSettings } from './regions.ts'
import { type TraceSettings, traceBlack } from './trace-bw.ts'
import { type ColouredPath, traceDrawing } from './trace-color.ts'

export type TraceRequest =
  | { kind: 'bw'; picture: Plane<Uint8Array>; threshold: number; settings: TraceSettings }
  | { kind: 'color'; picture: Plane<Uint8Array>; settings: TraceSettings & RegionSettings }

/** Undefined for a drawing of too many regions. */
export type TraceAnswer = ColouredPath[] | undefined

const BLACK = [0, 0, 0, 255] as const

answerRequests<TraceRequest, TraceAnswer>((request) => ({
  answer:
    request.kind === 'bw'
      ? traceBlack(request.picture, request.threshold, request.settings).map((data) => ({ data, colour: BLACK }))
      : traceDrawing(request.picture, request.settings),
}))
