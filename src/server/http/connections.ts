import { IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, MediaprocError } from '../../errors.ts'
import type { ServerContext } from '../context.ts'
import { sendError } from './answers.ts'
import { setHeaders } from './headers.ts'

/** How long a client may keep sending a refused body, in milliseconds. */
const LINGER_MS = 5000
/** Bytes of a refused body that are still read, for clients that read the response only after sending everything. */
const LINGER_BYTES = 32 * 1024 * 1024

/** A body slower than this many bytes per interval is cut off; the interval is in milliseconds. */
const SLOW = { bytes: 8 * 1024, ms: 60_000 }

/** Served during shutdown, because monitoring requests them. */
const ANSWERED_TO_THE_END = /^\/api\/v1\/(health|readyz)(\?|$)/

/**
 * Drains the unread body of a request that is already answered, up to a limit. Closing at once would lose the response
 * for clients that are still sending (RFC 9112, section 9.6).
 */
function linger({ raw }: FastifyRequest, closes: boolean): void {
  const { socket } = raw
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  let bytes = 0
  raw.on('data', ({ length }: Buffer) => {
    bytes += length
    if (bytes > LINGER_BYTES) raw.pause()
  })
  for (const event of ['end', 'close'] as const) raw.once(event, () => clearTimeout(timer))
  if (closes) raw.once('end', () => socket.end())
  raw.on('error', () => undefined)
  raw.resume()
}

/** Ends a connection whose body stalls, unless the server itself has paused reading. */
function cutSlowBody({ raw }: FastifyRequest): void {
  const { socket } = raw
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const arrived = socket.bytesRead - before
    before = socket.bytesRead
    if (raw.complete || raw.readableLength > 0 || raw.isPaused() || arrived >= SLOW.bytes) return
    clearInterval(timer)
    refuseBytes(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  }, SLOW.ms)
  timer.unref()
  for (const event of ['end', 'close'] as const) raw.once(event, () => clearInterval(timer))
}

/** Whether a request came over a connection: those of the server to itself, for `/mcp`, do not. */
const hasConnection = ({ raw }: FastifyRequest): boolean => raw instanceof IncomingMessage

/** Handles refused bodies and connections during shutdown. */
export function addConnections(app: FastifyInstance, { shutdown }: ServerContext): void {
  app.addHook('onRequest', async (request) => {
    if (shutdown.begun && !ANSWERED_TO_THE_END.test(request.url)) throw new MediaprocError('SHUTTING_DOWN')
    const { headers } = request
    if (!hasConnection(request)) return
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) cutSlowBody(request)
  })
  app.addHook('onSend', async (request, reply) => {
    const isUnread = hasConnection(request) && !request.raw.complete
    if (shutdown.begun && !isUnread) reply.header('connection', 'close')
    if (!isUnread) return
    // Node would close the connection with the response, which a client that is still sending would lose: Fastify wants
    // that after bodies that are too large, clients of HTTP/1.0 and some proxies after every request.
    const closes = shutdown.begun || !reply.raw.shouldKeepAlive
    reply.removeHeader('connection')
    reply.raw.shouldKeepAlive = true
    reply.raw.once('finish', () => {
      const { raw } = request
      if (!raw.complete && !raw.destroyed) linger(request, closes)
      else if (closes) raw.socket.end()
    })
  })
}

interface Refusal {
  status: number
  code: ErrorCode
  error: string
}

function refusalOf({ code }: { code?: string }): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: 431, code: 'VALIDATION_ERROR', error: 'The headers of the request are larger than 16 KiB' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, code: 'TIMEOUT', error: 'The request took too long to arrive' }
  return { status: 400, code: 'VALIDATION_ERROR', error: 'This is not a valid HTTP request' }
}

/** Responds to invalid or incomplete requests and closes the connection. */
export function refuseBytes(failure: Error & { code?: string }, socket: Socket): void {
  if (failure.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, ...rest } = refusalOf(failure)
  const body = JSON.stringify(rest)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}

/** A malformed address: the router refuses it before any hook runs. */
export function refuseAddress(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  setHeaders(request, reply)
  sendError(reply, new MediaprocError('VALIDATION_ERROR', 'The address is not valid'))
}
