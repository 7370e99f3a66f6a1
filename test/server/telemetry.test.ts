import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readTelemetry } from '../../src/server/telemetry-config.ts'
import { until } from '../helpers/pool.ts'
import { call, type Served, send, signIn } from '../helpers/server.ts'
import { type ServerHere, serveHere } from '../helpers/server-here.ts'
import { recordOnDisk, resize, smallPicture } from '../helpers/server-jobs.ts'
import { type ReceivedSpan, startCollector, type TraceCollector } from '../helpers/trace-collector.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CLIENT_SPAN = 'b7ad6b7169203331'
/** A loaded machine takes its time, and 202 is another test's. */
const PATIENT = { SYNC_WAIT_MS: '60000' }
const [SERVER, CONSUMER, INTERNAL] = [2, 5, 1]

let collector: TraceCollector
let server: ServerHere
let admin: string

/** OpenTelemetry reads some variables itself. */
function useVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
}

beforeAll(async () => {
  collector = await startCollector()
  useVariables({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=for%20us',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    OTEL_SERVICE_NAME: 'pictures',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  })
  server = await serveHere({ environment: PATIENT })
  admin = await signIn(server)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await collector.close()
})

/** The spans of a request and of what it caused, once the one that ends last has arrived. */
async function traceOf(requestId: string, last: string): Promise<Map<string, ReceivedSpan>> {
  const all = collector.spans
  const root = await until(() => all().find(({ attributes }) => attributes['mediaproc.request_id'] === requestId))
  const ofTrace = () => all().filter(({ traceId }) => traceId === root.traceId)
  await until(
    () => ofTrace().some(({ name }) => name === last) && ofTrace().some(({ kind }) => kind === SERVER),
    30_000,
  )
  return new Map(ofTrace().map((span) => [span.name, span]))
}

const sendPicture = async (path: string, field: string, value: unknown, headers: Record<string, string>) => {
  const file = { ...(await smallPicture()), name: 'private-name.png' }
  const parts = [['file', file] as const, [field, JSON.stringify(value)] as const]
  return send(server, path, parts, admin, headers)
}

describe('a job has a trace', () => {
  test('from the request of the client to the process that runs the tool', async () => {
    const headers = { traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`, 'x-request-id': 'Traced-1' }
    const { json } = await sendPicture('/api/v1/tools/image/resize?secret=1', 'settings', { width: 32 }, headers)
    const spans = await traceOf('Traced-1', 'job resize')
    const [request, queue, job, step] = ['POST /api/v1/tools/image/resize', 'queue', 'job resize', 'image/resize'].map(
      (name) => spans.get(name),
    )
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: CLIENT_SPAN, kind: SERVER, status: 0 })
    expect(request?.attributes).toEqual({
      ...{ 'http.request.method': 'POST', 'http.route': '/api/v1/tools/image/resize' },
      ...{ 'http.response.status_code': 200, 'mediaproc.request_id': 'Traced-1' },
    })
    const parentSpanId = request?.spanId
    expect(queue).toMatchObject({ traceId: TRACE, parentSpanId, kind: CONSUMER })
    expect(job).toMatchObject({ traceId: TRACE, parentSpanId, kind: CONSUMER, status: 0 })
    expect(job?.attributes).toEqual({
      ...{ 'mediaproc.job.id': json.jobId, 'mediaproc.job.type': 'single', 'mediaproc.job.status': 'completed' },
      ...{ 'mediaproc.tool': 'resize', 'mediaproc.request_id': 'Traced-1' },
    })
    expect(step).toMatchObject({ traceId: TRACE, parentSpanId: job?.spanId, kind: INTERNAL, status: 0 })
    expect(queue?.end).toBe(job?.start)
    expect(step?.end).toBeGreaterThan(step?.start ?? Number.POSITIVE_INFINITY)
    expect(job?.resource).toEqual({
      ...{ 'service.name': 'pictures', 'service.version': expect.any(String) },
      'deployment.environment.name': 'test',
    })
    expect(collector.requests()[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-collector-key': 'for us' } })
    expect(JSON.stringify(collector.spans())).not.toMatch(/private-name|secret|width/)
  })

  test('with every step of a pipeline', async () => {
    const steps = [
      { toolId: 'resize', settings: { width: 40 } },
      { toolId: 'convert', settings: { format: 'webp' } },
    ]
    const headers = { 'x-request-id': 'Traced-2' }
    expect((await sendPicture('/api/v1/pipeline/execute', 'pipeline', { steps }, headers)).status).toBe(200)
    const spans = await traceOf('Traced-2', 'job pipeline')
    const parentSpanId = spans.get('job pipeline')?.spanId
    for (const name of ['image/resize', 'image/convert']) expect(spans.get(name)).toMatchObject({ parentSpanId })
  })

  test('and a failure is marked where it happened', async () => {
    const headers = { 'x-request-id': 'Traced-3' }
    const crop = { left: 500, top: 0, width: 1, height: 1 }
    await sendPicture('/api/v1/tools/image/crop', 'settings', crop, headers)
    const spans = await traceOf('Traced-3', 'job crop')
    expect(spans.get('job crop')).toMatchObject({ status: 2, attributes: { 'error.type': expect.any(String) } })
    expect(spans.get('image/crop')).toMatchObject({ status: 2 })
    // It was answered.
    expect(spans.get('POST /api/v1/tools/image/crop')).toMatchObject({ status: 0 })
  })
})

test('a request has the pattern of its route, and an invalid traceparent begins a trace', async () => {
  const headers = { 'x-request-id': 'Traced-4', traceparent: '00-0-0-00' }
  await call(server, 'GET', '/api/v1/jobs/secret-id', { token: admin, headers })
  const [[name, span] = []] = await traceOf('Traced-4', 'GET /api/v1/jobs/:jobId')
  expect([name, span?.parentSpanId ?? '', span?.attributes['http.response.status_code']]).toEqual([
    ...['GET /api/v1/jobs/:jobId', '', 404],
  ])
})

test('monitoring is not traced, and a client can decide that its request is not', async () => {
  await call(server, 'GET', '/api/v1/health', { headers: { 'x-request-id': 'Probe' } })
  const traceparent = `00-${TRACE.replace('0', '1')}-${CLIENT_SPAN}-00`
  await call(server, 'GET', '/api/v1/tools', { token: admin, headers: { 'x-request-id': 'Quiet', traceparent } })
  await call(server, 'GET', '/api/v1/tools', { token: admin, headers: { 'x-request-id': 'Later' } })
  await traceOf('Later', 'GET /api/v1/tools')
  const ids = collector.spans().map(({ attributes }) => attributes['mediaproc.request_id'])
  expect(ids).not.toContain('Probe')
  expect(ids).not.toContain('Quiet')
})

describe('a server', () => {
  const other = async (environment: Record<string, string>): Promise<ServerHere> => {
    useVariables(environment)
    return serveHere({ environment: { ...PATIENT, AUTH_ENABLED: 'false' } })
  }
  const works = async (one: Served) => expect((await resize(one, '')).status).toBe(200)

  test('sends protobuf, and the last spans when it ends', async () => {
    const mine = await startCollector()
    const one = await other({
      ...{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${mine.url}/own`, OTEL_EXPORTER_OTLP_PROTOCOL: '' },
      OTEL_BSP_SCHEDULE_DELAY: '600000',
    })
    await works(one)
    expect(mine.requests()).toEqual([])
    await one.stop()
    const [{ path, headers, body } = { path: '', headers: {}, body: Buffer.of() }] = mine.requests()
    expect([path, headers['content-type']]).toEqual(['/own', 'application/x-protobuf'])
    for (const name of ['POST /api/v1/tools/image/resize', 'queue', 'job resize'])
      expect(body.includes(name)).toBe(true)
    await mine.close()
  })

  test('works and ends without a collector that answers', async () => {
    const silent = await startCollector(true)
    // Longer than the test may take.
    const variables = { OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_EXPORT_TIMEOUT: '600000' }
    const one = await other({
      ...{ ...variables, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: silent.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
    })
    await works(one)
    await until(() => silent.requests().length > 0)
    await works(one)
    await one.stop()
    const away = await other({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: silent.url })
    await silent.close()
    await works(away)
    await away.stop()
  })

  test('without an address, or with OTEL_SDK_DISABLED, traces nothing', async () => {
    useVariables({ OTEL_SDK_DISABLED: 'true' })
    expect(readTelemetry()).toBeUndefined()
    const one = await other({
      OTEL_SDK_DISABLED: '',
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '',
    })
    expect(one.context.telemetry).toBeUndefined()
    const { json } = await resize(one, '')
    expect(recordOnDisk(one, json.jobId)).not.toHaveProperty('traceparent')
    await one.stop()
  })

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'always'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
  ])('refuses a wrong %s', (name, value) => {
    useVariables({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: '',
      [name]: value,
    })
    expect(readTelemetry).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(name) }),
    )
    vi.stubEnv(name, '')
  })
})
