import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { JobRecord } from '../../store/job-record.ts'

/** In seconds. */
const DURATIONS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

/** Prometheus metrics. Labels are few and fixed: tools, states and methods, never users or files. */
export class Metrics {
  readonly registry = new Registry()
  readonly #jobs: Counter<'tool' | 'status'>
  readonly #durations: Histogram<'type'>
  readonly #bytes: Counter<'direction'>
  readonly #requests: Counter<'method' | 'status'>

  constructor() {
    const registers = [this.registry]
    collectDefaultMetrics({ register: this.registry, prefix: 'mediaproc_' })
    this.#jobs = new Counter({
      name: 'mediaproc_jobs_total',
      help: 'Finished jobs by tool and state',
      labelNames: ['tool', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'mediaproc_job_seconds',
      help: 'Time from accepting a job to its end',
      labelNames: ['type'],
      buckets: DURATIONS,
      registers,
    })
    this.#bytes = new Counter({
      name: 'mediaproc_bytes_total',
      help: 'Bytes of the inputs and outputs of finished jobs',
      labelNames: ['direction'],
      registers,
    })
    this.#requests = new Counter({
      name: 'mediaproc_http_requests_total',
      help: 'Answered requests by method and class of status',
      labelNames: ['method', 'status'],
      registers,
    })
  }

  /** Gauges that are read at each scrape. */
  watch(name: string, help: string, read: () => number | Promise<number>): void {
    const gauge: Gauge = new Gauge({
      name: `mediaproc_${name}`,
      help,
      registers: [this.registry],
      collect: async (): Promise<void> => gauge.set(await read()),
    })
  }

  jobEnded({ toolId, type, status, inputBytes, outputs }: JobRecord, ms: number): void {
    this.#jobs.inc({ tool: toolId ?? 'pipeline', status })
    this.#durations.observe({ type }, ms / 1000)
    this.#bytes.inc({ direction: 'in' }, inputBytes)
    this.#bytes.inc(
      { direction: 'out' },
      outputs.reduce((sum, { bytes }) => sum + bytes, 0),
    )
  }

  answered(method: string, status: number): void {
    this.#requests.inc({ method, status: `${Math.floor(status / 100)}xx` })
  }
}
