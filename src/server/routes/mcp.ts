import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'
import { invalid } from '../http/answers.ts'
import { checkOrigin } from '../http/guard.ts'
import { MEBIBYTE } from '../http/limits.ts'
import { perMinute, UNCHECKED } from '../http/route-options.ts'
import { operation } from '../openapi/operations.ts'

/** Largest body: the content of small files in base64, and the rest of the call. */
const MAX_BODY = 5 * MEBIBYTE
/** Most values in one request: the SDK checks each against many shapes. */
const MAX_VALUES = 10_000
/** Most messages in one request; only clients of 2025-03-26 send several. */
const MAX_BATCH = 10

/** A message of JSON-RPC 2.0; the protocol describes the rest. */
const MESSAGE = {
  type: 'object',
  'x-maxLength': MAX_BODY,
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { type: 'string', const: '2.0' },
    id: { type: ['string', 'integer', 'null'] },
    method: { type: 'string' },
    params: { type: 'object', additionalProperties: true },
  },
  examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }],
}

const ANSWER = {
  type: 'object',
  description: 'the answer to a request; with text/event-stream, its events have such messages as data',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { type: 'string', const: '2.0' },
    id: { type: ['string', 'integer', 'null'] },
    result: { type: 'object', additionalProperties: true },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}

/** Headers that the protocol defines; who calls is known already. */
const PASSED = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'] as const

/** The request in the form that the SDK takes. @param signal aborted when the client disconnects */
function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const name of PASSED) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  const { method, body } = request
  const content = method === 'POST' ? { body: JSON.stringify(body) } : {}
  return new Request('http://localhost/mcp', { method, headers, signal, ...content })
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) reply.header(name, value)
  reply.header('cache-control', 'no-store')
  if (!response.body) return reply.send('')
  return reply.send(Readable.fromWeb(response.body as ReadableStream))
}

/**
 * The tools for agents: there are no sessions, so any node can answer a request. The SDK is loaded at the first one.
 */
export async function mcpRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { config } = context
  if (config.personal) return
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    checkOrigin(request, config.externalUrl, config.corsOrigins)
    const { body } = request
    if (Array.isArray(body) && body.length > MAX_BATCH) throw invalid(`Expected at most ${MAX_BATCH} messages`)
    const [{ createMcpHandler }, { createServer }, { AccountBackend }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('../../mcp/server.ts'),
      import('../mcp/backend.ts'),
    ])
    const gone = new AbortController()
    const handler = createMcpHandler(() => createServer(new AccountBackend(context, request)), {
      // Nothing that could be subscribed to changes while a client is connected.
      maxSubscriptions: 0,
      onerror: (error) => request.log.debug({ err: error }, 'an MCP request was refused'),
    })
    reply.raw.once('close', () => {
      gone.abort()
      handler.close().catch(() => undefined)
    })
    const response = await handler.fetch(
      webRequest(request, gone.signal),
      request.method === 'POST' ? { parsedBody: body } : {},
    )
    return send(reply, response)
  }
  app.post(
    '/mcp',
    {
      config: { access: 'tools:use', rateLimit: perMinute(300), maxJsonValues: MAX_VALUES },
      bodyLimit: MAX_BODY,
      ...operation('instance', 'The tools for AI agents: Model Context Protocol, Streamable HTTP', {
        description:
          'A message of the Model Context Protocol. Accept both application/json and text/event-stream. Messages that are refused are answered in the form of the protocol.',
        body: MESSAGE,
        answer: ANSWER,
      }),
      ...UNCHECKED,
    },
    handle,
  )
  app.route({
    method: ['GET', 'DELETE'],
    url: '/mcp',
    config: { access: 'tools:use', rateLimit: perMinute(300) },
    exposeHeadRoute: false,
    ...operation('instance', 'Not used: there are no sessions', { hide: true }),
    handler: handle,
  })
}
