import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import type { JobRecord } from '../../store/job-record.ts'
import { notFound } from '../answer.ts'
import type { ServerContext } from '../context.ts'
import { expiredFrame, type Frame, frameOf, isOver, publicId } from '../jobs/frames.ts'
import { operation } from '../openapi/operations.ts'
import { maySee } from '../ownership.ts'
import { perMinute } from '../route-options.ts'

const HEARTBEAT_MS = 20_000
/** How long a stream waits for a job that nobody has sent yet, milliseconds. */
const EXPECT_MS = 60_000
/** Streams of one user that wait for jobs not sent yet. */
const MAX_EXPECTING = 10

/** The job that goes by this id for the caller: his own first. */
export function visibleJob({ records }: ServerContext, caller: Caller, id: string): JobRecord | undefined {
  const seen = records.named(id).filter((record) => record.type !== 'upload' && maySee(caller, record))
  return seen.find(({ ownerId }) => ownerId === caller.userId) ?? seen[0]
}

const hasExpired = ({ expiresAt, outputs, result }: JobRecord): boolean =>
  result !== null && outputs.length === 0 && expiresAt !== null && Date.parse(expiresAt) < Date.now()

/** What GET /api/v1/jobs/:id answers. */
export function statusOf(record: JobRecord): Record<string, unknown> {
  const { id, type, toolId, status, percent, stage, createdAt, startedAt, completedAt, result, expiresAt } = record
  const error = record.error && {
    message: record.error.message,
    code: record.error.code,
    ...(record.error.details && { details: record.error.details }),
  }
  const progress = { percent, ...(stage && { stage }) }
  const times = { createdAt, startedAt, completedAt }
  return {
    ...{
      jobId: publicId(record),
      artifactJobId: id,
      type,
      toolId,
      status,
      progress,
      ...times,
      result,
      error,
      expiresAt,
    },
  }
}

/** A progress stream: one `data:` line per frame. */
class Stream {
  readonly #reply: FastifyReply
  readonly #beat: NodeJS.Timeout

  constructor(request: FastifyRequest, reply: FastifyReply, onClose: () => void) {
    this.#reply = reply
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value as string)
    reply.raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    reply.raw.flushHeaders()
    this.#beat = setInterval(() => this.send({ type: 'heartbeat' }), HEARTBEAT_MS)
    const close = (): void => {
      clearInterval(this.#beat)
      onClose()
    }
    reply.raw.once('close', close)
    // The client may have gone while its credential was looked at; there is no further event then.
    if (reply.raw.closed) setImmediate(close)
    request.raw.socket.setNoDelay(true)
  }

  send(frame: Frame): void {
    // Whoever does not read gets fewer frames, not a longer queue: every frame holds the whole state.
    if (this.#reply.raw.writableNeedDrain) return
    this.#reply.raw.write(`data: ${JSON.stringify(frame)}\n\n`)
  }

  end(frame?: Frame): void {
    this.#reply.raw.end(frame ? `data: ${JSON.stringify(frame)}\n\n` : '')
  }
}

function follow(context: ServerContext, record: JobRecord, stream: Stream): () => void {
  if (isOver(record)) {
    stream.end(hasExpired(record) ? expiredFrame(record) : frameOf(record))
    return () => undefined
  }
  const stop = context.jobs.listen(record.id, () => {
    if (isOver(record)) stream.end(frameOf(record))
    else if (context.jobs.isClosing) stream.end()
    else stream.send(frameOf(record))
  })
  stream.send(frameOf(record))
  return stop
}

function progressRoute(app: FastifyInstance, context: ServerContext) {
  const expecting = new Map<string, number>()
  const early = new Set<Stream>()
  app.addHook('preClose', async () => {
    for (const stream of early) stream.end()
  })
  return (request: FastifyRequest<{ Params: { jobId: string } }>, reply: FastifyReply): void => {
    const { jobId } = request.params
    const { caller } = request
    const known = visibleJob(context, caller, jobId)
    if (!known && context.records.named(jobId).length > 0) throw notFound()
    const waiting = expecting.get(caller.userId) ?? 0
    if (!known && waiting >= MAX_EXPECTING) throw notFound()
    if (request.method === 'HEAD') {
      reply.type('text/event-stream').header('cache-control', 'no-cache').send('')
      return
    }
    let stop = (): void => undefined
    const stream = new Stream(request, reply, () => stop())
    if (known) {
      stop = follow(context, known, stream)
      return
    }
    // A client may listen before it sends the job; what it hears is held back until the job is known to be its own.
    expecting.set(caller.userId, waiting + 1)
    early.add(stream)
    const giveUp = setTimeout(() => stream.end(), EXPECT_MS)
    const forget = context.jobs.expect(jobId, (record) => {
      if (!maySee(caller, record)) return
      leave()
      stop = follow(context, record, stream)
    })
    const leave = (): void => {
      clearTimeout(giveUp)
      early.delete(stream)
      forget()
      expecting.set(caller.userId, Math.max(0, (expecting.get(caller.userId) ?? 1) - 1))
    }
    stop = leave
  }
}

export async function jobRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  // A key for something else must not reach what its owner works on.
  const config = { access: 'tools:use' as const, rateLimit: perMinute(300) }
  app.get<{ Params: { jobId: string } }>(
    '/api/v1/jobs/:jobId/progress',
    { config, ...operation('jobs', 'Progress of a job as server-sent events', { content: 'text/event-stream' }) },
    progressRoute(app, context),
  )
  app.get<{ Params: { jobId: string } }>(
    '/api/v1/jobs/:jobId',
    { config, ...operation('jobs', 'Where a job is') },
    async ({ caller, params }) => {
      const record = visibleJob(context, caller, params.jobId)
      if (!record) throw notFound()
      return statusOf(record)
    },
  )
  app.get<{ Querystring: { limit: number; offset: number; status?: string } }>(
    '/api/v1/jobs',
    {
      config,
      ...operation('jobs', 'Own jobs, newest first; with files:all those of everybody', {
        query: {
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
          offset: { type: 'integer', minimum: 0, default: 0 },
          status: { type: 'string', enum: ['queued', 'processing', 'completed', 'failed', 'canceled'] },
        },
      }),
    },
    async ({ caller, query: { limit, offset, status } }) => {
      const all = [...context.records.all()].filter(
        (record) => record.type !== 'upload' && maySee(caller, record) && (!status || record.status === status),
      )
      all.sort((a, b) => b.createdAt.localeCompare(a.createdAt))
      return { jobs: all.slice(offset, offset + limit).map(statusOf), total: all.length, limit, offset }
    },
  )
  app.post<{ Params: { jobId: string } }>(
    '/api/v1/jobs/:jobId/cancel',
    { config, ...operation('jobs', 'Stop a job') },
    async ({ caller, params }) => {
      const record = visibleJob(context, caller, params.jobId)
      if (!record) throw notFound()
      return { canceled: await context.jobs.cancel(record) }
    },
  )
  app.delete<{ Params: { jobId: string } }>(
    '/api/v1/jobs/:jobId',
    { config, ...operation('jobs', 'Delete a job or uploads, with all files; what still runs is stopped') },
    async ({ caller, params }) => {
      const { records, jobs } = context
      const upload = records.get(params.jobId)
      const record = upload && maySee(caller, upload) ? upload : visibleJob(context, caller, params.jobId)
      if (!record) throw notFound()
      await jobs.remove(record)
      return { ok: true }
    },
  )
}
