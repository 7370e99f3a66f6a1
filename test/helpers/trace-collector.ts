/** An OpenTelemetry collector for tests: receives OTLP over HTTP. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Value {
  stringValue?: string
  intValue?: number | string
}

type Attributes = Record<string, string | number>

export interface ReceivedSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: Attributes
  resource: Attributes
  /** 2: failed. */
  status: number
  /** In milliseconds since 1970. */
  start: number
  end: number
}

export interface TraceCollector {
  url: string
  /** Spans of JSON requests so far. */
  spans(): readonly ReceivedSpan[]
  /** Requests so far, as they were received. */
  requests(): readonly { path: string; headers: IncomingMessage['headers']; body: Buffer }[]
  close(): Promise<void>
}

interface KeyValue {
  key: string
  value: Value
}

const attributesOf = (list: readonly KeyValue[] = []): Attributes =>
  Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]))

interface Sent {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes' | 'resource' | 'status' | 'start' | 'end'> & {
        attributes?: KeyValue[]
        status?: { code?: number }
        startTimeUnixNano: string
        endTimeUnixNano: string
      })[]
    }[]
  }[]
}

const milliseconds = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1000n) / 1000

const spansOf = ({ resourceSpans }: Sent): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, attributes, status, ...span }) => ({
        ...span,
        attributes: attributesOf(attributes),
        resource: attributesOf(resource.attributes),
        status: status?.code ?? 0,
        start: milliseconds(startTimeUnixNano),
        end: milliseconds(endTimeUnixNano),
      })),
    ),
  )

/** @param isSilent whether it never answers */
export async function startCollector(isSilent = false): Promise<TraceCollector> {
  const requests: { path: string; headers: IncomingMessage['headers']; body: Buffer }[] = []
  const spans: ReceivedSpan[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    if (isSilent) return
    if (request.headers['content-type'] === 'application/json') {
      spans.push(...spansOf(JSON.parse(body.toString()) as Sent))
      response.setHeader('content-type', 'application/json').end('{}')
    } else response.setHeader('content-type', 'application/x-protobuf').end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    requests: () => requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
