import type { Telemetry } from '../../engines/telemetry/telemetry.ts'
import type { RanStep } from '../../pool/messages.ts'
import type { JobRecord } from '../../store/job-record.ts'

/** Steps of a job that have a span; batches may have more. */
const MAX_STEPS = 200
/** Running jobs whose steps are kept: those that end elsewhere are never removed otherwise. */
const MAX_JOBS = 1000

/** Traces jobs at their end: the wait in the queue, the work, and its steps in a process. */
export class JobTracer {
  readonly #telemetry: Telemetry
  readonly #ran = new Map<string, RanStep[]>()

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry
  }

  /** Steps that a process ran for a job. */
  ran(id: string, steps: readonly RanStep[]): void {
    const before = this.#ran.get(id) ?? []
    this.#ran.set(id, [...before, ...steps].slice(0, MAX_STEPS))
    const [oldest] = this.#ran.keys()
    if (this.#ran.size > MAX_JOBS && oldest !== undefined) this.#ran.delete(oldest)
  }

  ended(record: JobRecord): void {
    const { id, type, toolId, requestId, traceparent: parent, createdAt, startedAt, completedAt, status } = record
    const steps = this.#ran.get(id) ?? []
    this.#ran.delete(id)
    const ended = completedAt === null ? Date.now() : Date.parse(completedAt)
    const begun = startedAt === null ? ended : Date.parse(startedAt)
    const common = {
      kind: 'consumer' as const,
      parent,
      attributes: {
        ...{ 'mediaproc.job.id': id, 'mediaproc.job.type': type },
        ...(toolId !== null && { 'mediaproc.tool': toolId }),
        ...(requestId !== undefined && { 'mediaproc.request_id': requestId }),
      },
    }
    if (parent !== undefined)
      this.#telemetry.start('queue', { ...common, startedAt: Date.parse(createdAt) }).end({ endedAt: begun })
    if (startedAt === null) return
    const job = this.#telemetry.start(`job ${toolId ?? type}`, { ...common, startedAt: begun })
    for (const { tool, startedAt: at, ms, isFailed } of steps)
      this.#telemetry
        .start(tool, { kind: 'internal', parent: job.traceparent, startedAt: at })
        .end({ endedAt: at + ms, isFailed })
    const code = record.error?.code
    job.end({
      attributes: { 'mediaproc.job.status': status, ...(code !== undefined && { 'error.type': code }) },
      isFailed: status === 'failed',
      endedAt: ended,
    })
  }
}
