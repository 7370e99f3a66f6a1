import type { Span as ApiSpan, Context, Tracer } from '@opentelemetry/api'
import { packageVersion } from '../../root.ts'
import { loadPackages, type Packages, type Protocol } from './packages.ts'

/** How long the last spans may take at the end of the process, in milliseconds. */
const FLUSH_MS = 2000
/** Least time between two warnings about the collector, in milliseconds. */
const WARN_EVERY_MS = 60_000

export interface TelemetryOptions {
  protocol: Protocol
  /** Headers for the collector, as in OTEL_EXPORTER_OTLP_HEADERS: `name=value,…`. */
  headers: string
  /** As OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES; both may be empty. */
  serviceName: string
  resourceAttributes: string
}

/** No names of files and users, no queries and no settings. */
export type Attributes = Readonly<Record<string, string | number>>

export interface SpanOptions {
  kind: 'server' | 'consumer' | 'internal'
  /** The parent span in the format of W3C Trace Context; an invalid one is ignored. */
  parent?: string | undefined
  /** In milliseconds since 1970; now by default. */
  startedAt?: number
  attributes?: Attributes
}

export interface SpanEnd {
  attributes?: Attributes
  isFailed?: boolean
  /** In milliseconds since 1970; now by default. */
  endedAt?: number
}

export interface Span {
  /** Identifies the span to other processes, in the format of W3C Trace Context. */
  readonly traceparent: string
  /** The second call and further ones have no effect. */
  end(how?: SpanEnd): void
}

/** Creates spans and sends them in the background: a collector that is away delays nothing and fails nothing. */
export interface Telemetry {
  start(name: string, options: SpanOptions): Span
  /** Sends what is left, at most two seconds long. */
  close(): Promise<void>
}

class OpenSpan implements Span {
  readonly traceparent: string
  readonly #span: ApiSpan

  constructor(span: ApiSpan) {
    this.#span = span
    const { traceId, spanId, traceFlags } = span.spanContext()
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  end({ attributes, isFailed = false, endedAt }: SpanEnd = {}): void {
    if (!this.#span.isRecording()) return
    if (attributes) this.#span.setAttributes(attributes)
    // SpanStatusCode.ERROR
    if (isFailed) this.#span.setStatus({ code: 2 })
    this.#span.end(endedAt)
  }
}

class OpenTelemetry implements Telemetry {
  readonly #packages: Packages
  readonly #tracer: Tracer
  readonly #shutdown: () => Promise<void>

  constructor(packages: Packages, tracer: Tracer, shutdown: () => Promise<void>) {
    this.#packages = packages
    this.#tracer = tracer
    this.#shutdown = shutdown
  }

  #contextOf(parent: string | undefined): Context {
    const { api, core } = this.#packages
    const known = parent === undefined ? null : core.parseTraceParent(parent)
    return known ? api.trace.setSpanContext(api.ROOT_CONTEXT, { ...known, isRemote: true }) : api.ROOT_CONTEXT
  }

  start(name: string, { kind, parent, startedAt, attributes }: SpanOptions): Span {
    const { SpanKind } = this.#packages.api
    const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL }
    const options = {
      kind: kinds[kind],
      ...(startedAt !== undefined && { startTime: startedAt }),
      ...(attributes && { attributes }),
    }
    return new OpenSpan(this.#tracer.startSpan(name, options, this.#contextOf(parent)))
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, FLUSH_MS)
    })
    await Promise.race([this.#shutdown().catch(() => {}), late])
    clearTimeout(timer)
  }
}

/**
 * Loads OpenTelemetry and starts to send spans. Its packages read the other variables of OTEL_* themselves: address,
 * time limit, sampler and sizes of batches.
 * @param onWarning called at most once a minute while the collector does not take spans
 * @throws ENGINE_UNAVAILABLE without the packages
 */
export async function openTelemetry(
  { protocol, headers, serviceName, resourceAttributes }: TelemetryOptions,
  onWarning: (error: unknown) => void,
): Promise<Telemetry> {
  const packages = await loadPackages(protocol)
  const { core, resources, sdk, exporter } = packages
  const pairs = core.parseKeyPairsIntoRecord
  let warnedAt = Number.NEGATIVE_INFINITY
  core.setGlobalErrorHandler((error) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    onWarning(error)
  })
  const provider = new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({
      ...{ 'service.name': 'mediaproc', 'service.version': packageVersion() },
      ...pairs(resourceAttributes),
      ...(serviceName !== '' && { 'service.name': serviceName }),
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(new exporter.OTLPTraceExporter(headers === '' ? {} : { headers: pairs(headers) })),
    ],
  })
  return new OpenTelemetry(packages, provider.getTracer('mediaproc', packageVersion()), () => provider.shutdown())
}
