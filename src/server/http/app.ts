import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { MediaprocError } from '../../errors.ts'
import type { ServerContext } from '../context.ts'
import { addIdempotency, ReplayedAnswer } from '../idempotency/hooks.ts'
import { addOpenApi } from '../openapi/document.ts'
import { SHARED_SCHEMAS } from '../openapi/operations.ts'
import { addPersonalHost } from '../personal.ts'
import { addRoutes } from '../routes/index.ts'
import { SCIM_SCHEMAS } from '../routes/scim/describe.ts'
import { addWorkFolders } from '../uploads/work-folder.ts'
import { sendError } from './answers.ts'
import { addConnections, refuseAddress, refuseBytes } from './connections.ts'
import { knownFailure, takes } from './framework-failures.ts'
import { addFullDisk } from './full-disk.ts'
import { addGuard, isApiAddress } from './guard.ts'
import { addHeaders, requestIdOf } from './headers.ts'
import { addJsonType } from './json-body.ts'
import { MAX_PARAMETER, MEBIBYTE } from './limits.ts'
import { sharedRates } from './rate-limits.ts'
import { addTracing } from './tracing.ts'
import { compilers } from './validator.ts'

const HEADERS_MS = 60_000
const REQUEST_MS = 30 * 60_000

/** Response headers exposed to pages of other origins. */
const EXPOSED =
  'Content-Disposition, Content-Length, X-Job-Id, X-File-Results, X-File-Notes, X-File-Errors, X-Request-Id, ' +
  'X-Original-Width, X-Original-Height, X-Original-Duration, Retry-After, Location, Upload-Offset, Upload-Length, ' +
  'Upload-Expires, Tus-Resumable, Idempotency-Replayed'

function addErrors(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof ReplayedAnswer) return error.send(reply)
    const failure = knownFailure(error, request)
    sendError(reply, failure)
    if (reply.statusCode >= 500 && !(failure instanceof MediaprocError))
      request.log.error({ err: error, method: request.method, path: request.routeOptions.url }, 'an unexpected error')
  })
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    if (isApiAddress(request.url)) return sendError(reply, new MediaprocError('NOT_FOUND', 'Not found'))
    return reply.code(404).type('text/plain; charset=utf-8').send('Not found\n')
  })
  app.addHook('onRequest', async ({ raw: { rawHeaders } }) => {
    // Node uses the first of several; a proxy may use another.
    const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'host')
    if (hosts.length > 1 || hosts.some((host) => /[^\x21-\x7e]/.test(host)))
      throw new MediaprocError('VALIDATION_ERROR', 'The request has not one valid Host header')
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'TRACE') return
    reply.header('allow', 'GET, HEAD, PUT, PATCH, POST, DELETE')
    throw new MediaprocError('METHOD_NOT_ALLOWED')
  })
}

/** JSON body parser: an empty body counts as {}, and keys that could pollute prototypes are refused. */
function addBodies(app: FastifyInstance): void {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  addJsonType(app, 'application/json')
  app.addHook('onRequest', async ({ raw }) => {
    // An empty body has no type, even if `curl -d ''` sends one.
    if (raw.headers['content-length'] === '0') delete raw.headers['content-type']
  })
  app.addHook('preValidation', async (request) => {
    if (takes(request.routeOptions.schema) !== 'application/json') return
    if (request.isMultipart() && request.routeOptions.config.takesForms) return
    if (request.isMultipart()) throw new MediaprocError('UNSUPPORTED_MEDIA_TYPE')
    // A body of `null` is not empty.
    if (request.body === undefined) request.body = {}
  })
}

/**
 * Limits of single routes never exceed the server's limit, and do not apply without it. The sign-in limit has its own
 * variable.
 */
function addRouteLimits(app: FastifyInstance, most: number): void {
  app.addHook('onRoute', ({ config }) => {
    const limit = config?.rateLimit
    if (!limit || typeof limit.max !== 'number') return
    config.rateLimit = most === 0 ? false : { ...limit, max: Math.min(limit.max, most) }
  })
}

/** Rate limits by address. They run before the guard, so that a flood causes no credential look-ups. */
async function addLimits(app: FastifyInstance, { config, store: { redis } }: ServerContext): Promise<void> {
  addRouteLimits(app, config.rateLimitPerMin)
  await app.register(rateLimit, {
    global: config.rateLimitPerMin > 0,
    max: config.rateLimitPerMin || Number.MAX_SAFE_INTEGER,
    timeWindow: '1 minute',
    cache: 10_000,
    ...(redis && { store: sharedRates(redis) }),
    errorResponseBuilder: (_request, { ttl }) =>
      new MediaprocError('RATE_LIMITED', 'Rate limit exceeded', {
        fields: { details: `Try again in ${Math.ceil(ttl / 1000)} s` },
      }),
  })
  const limit = app.rateLimit()
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 && config.rateLimitPerMin > 0) await limit.call(app, request, reply)
  })
  if (config.corsOrigins.length === 0) return
  await app.register(cors, {
    origin: config.corsOrigins.includes('*') ? '*' : [...config.corsOrigins],
    methods: ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'],
    allowedHeaders: [
      ...['Authorization', 'Content-Type', 'X-Request-Id', 'Idempotency-Key'],
      ...['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset'],
      ...['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
    ],
    exposedHeaders: EXPOSED,
  })
}

/** Logs one line per request, without query and credentials. */
function addLogging(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, url, ip } = request
    const ms = Math.round(reply.elapsedTime)
    const user = request.caller?.username
    request.log.info(
      { method, path: url.split('?')[0], status: reply.statusCode, ms, ip, ...(user && { user }) },
      'request',
    )
  })
}

/** Strips the base path that a proxy puts the API under. */
function withoutPrefix(basePath: string): (request: { url?: string | undefined }) => string {
  return ({ url = '/' }) => {
    const isBelow = basePath !== '' && (url === basePath || /^[/?]/.test(url.slice(basePath.length)))
    return isBelow && url.startsWith(basePath) ? url.slice(basePath.length) || '/' : url
  }
}

/** The HTTP application with all routes, ready to listen. */
export async function buildApp(context: ServerContext): Promise<FastifyInstance> {
  const { config } = context
  const app = Fastify({
    loggerInstance: context.log,
    schemaController: compilers(),
    // addLogging writes the request log.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    requestIdHeader: false,
    trustProxy: config.trustProxy,
    bodyLimit: MEBIBYTE,
    requestTimeout: REQUEST_MS,
    http: { headersTimeout: HEADERS_MS },
    routerOptions: { maxParamLength: MAX_PARAMETER },
    forceCloseConnections: 'idle',
    rewriteUrl: withoutPrefix(config.basePath),
    // Requests on open connections get the server's own 503.
    return503OnClosing: false,
    clientErrorHandler: refuseBytes,
    frameworkErrors: refuseAddress,
  })
  addHeaders(app)
  addTracing(app, context.telemetry)
  addConnections(app, context)
  await addLimits(app, context)
  await app.register(cookie)
  await app.register(multipart)
  for (const schema of [...SHARED_SCHEMAS, ...SCIM_SCHEMAS]) app.addSchema(schema)
  addErrors(app)
  addBodies(app)
  if (config.personal) addPersonalHost(app)
  addGuard(app, context)
  addFullDisk(app, context)
  addWorkFolders(app, context)
  addIdempotency(app, context)
  addLogging(app)
  await addOpenApi(app, config)
  await addRoutes(app, context)
  return app
}
