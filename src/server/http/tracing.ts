import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Telemetry } from '../../engines/telemetry/telemetry.ts'

/** The method and the pattern of the route: paths have ids and names, which are not for traces. */
function nameOf({ method, routeOptions: { url } }: FastifyRequest): string {
  return url === undefined ? method : `${method} ${url}`
}

/** A span for every request but those of monitoring, as part of the trace of the client if its request names one. */
export function addTracing(app: FastifyInstance, telemetry: Telemetry | undefined): void {
  app.decorateRequest('span')
  if (!telemetry) return
  app.addHook('onRequest', async (request, reply) => {
    const { headers, method, routeOptions, id } = request
    if (routeOptions.config.fromAnywhere) return
    const { traceparent } = headers
    const span = telemetry.start(nameOf(request), {
      kind: 'server',
      ...(typeof traceparent === 'string' && { parent: traceparent }),
      attributes: {
        ...{ 'http.request.method': method, 'mediaproc.request_id': id },
        ...(routeOptions.url !== undefined && { 'http.route': routeOptions.url }),
      },
    })
    request.span = span
    // Also if the client closes the connection before it has the response.
    reply.raw.once('close', () => {
      const status = reply.statusCode
      span.end({ attributes: { 'http.response.status_code': status }, isFailed: status >= 500 })
    })
  })
  // The server's own requests, for /mcp, have no connection.
  app.addHook('onResponse', async ({ span }, { statusCode: status }) =>
    span?.end({ attributes: { 'http.response.status_code': status }, isFailed: status >= 500 }),
  )
}
