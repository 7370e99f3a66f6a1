import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import { isOver, type JobRecord, type JobStatus } from '../../store/job-record.ts'
import type { ServerContext } from '../context.ts'
import { notFound } from '../http/answers.ts'
import { perMinute } from '../http/route-options.ts'
import { expiredFrame, type Frame, frameOf, publicId } from '../jobs/frames.ts'
import { isPast } from '../jobs/retention.ts'
import { maySee } from '../library/ownership.ts'
import { operation } from '../openapi/operations.ts'
import { DONE, exactly, flag, pageOf, the } from '../openapi/shapes.ts'

const HEARTBEAT_MS = 20_000
/** How long a stream waits for a job that is not submitted yet, in milliseconds. */
const EXPECT_MS = 60_000
/** Files of a batch whose frames are all sent. */
const SMALL_BATCH = 100
/** A frame of a larger batch holds all its failures: the next one follows after this time per file, in milliseconds. */
const PAUSE_PER_FILE_MS = 0.02
/** Most streams of one user that wait for jobs not submitted yet. */
const MAX_EXPECTING = 10

/** Bundle installs are visible to users who manage bundles. */
const mayManage = (caller: Caller, { type }: JobRecord): boolean =>
  type === 'install' && caller.permissions.has('features:manage')

/** Finds the caller's job with this id; the caller's own jobs take precedence. */
export async function visibleJob({ store }: ServerContext, caller: Caller, id: string): Promise<JobRecord | undefined> {
  const seen = (await store.jobs.named(id)).filter(
    (record) => record.type !== 'upload' && (maySee(caller, record) || mayManage(caller, record)),
  )
  return seen.find(({ ownerId }) => ownerId === caller.userId) ?? seen[0]
}

const hasExpired = (record: JobRecord): boolean => record.result !== null && isPast(record)

/** Response of GET /api/v1/jobs/:id. */
export function statusOf(record: JobRecord): Record<string, unknown> {
  const { id, type, toolId, status, percent, stage, createdAt, startedAt, completedAt, result, expiresAt } = record
  const { requestId } = record
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
      ...(requestId !== undefined && { requestId }),
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
    this.#beat = setInterval(() => this.send('{"type":"heartbeat"}'), HEARTBEAT_MS)
    const close = (): void => {
      clearInterval(this.#beat)
      onClose()
    }
    reply.raw.once('close', close)
    // The client may disconnect while its credential is checked; no event follows in that case.
    if (reply.raw.closed) setImmediate(close)
    request.raw.socket.setNoDelay(true)
  }

  /** @param frame as JSON */
  send(frame: string): void {
    // A slow client gets fewer frames, not a longer queue: every frame holds the whole state.
    if (this.#reply.raw.writableNeedDrain) return
    this.#reply.raw.write(`data: ${frame}\n\n`)
  }

  end(frame?: Frame): void {
    this.#reply.raw.end(frame ? `data: ${JSON.stringify(frame)}\n\n` : '')
  }
}

/** Sends a job's state and every change until it ends. Returns a function that stops. */
function follow({ jobs }: ServerContext, record: JobRecord, stream: Stream): Promise<() => void> {
  let isEnded = false
  let last = ''
  let nextAt = 0
  return jobs.follow(record.id, (now) => {
    if (isEnded) return
    isEnded = isOver(now) || jobs.isClosing
    if (isOver(now)) stream.end(hasExpired(now) ? expiredFrame(now) : frameOf(now))
    else if (jobs.isClosing) stream.end()
    else if (performance.now() >= nextAt) {
      const text = JSON.stringify(frameOf(now))
      // A change of the record may leave the frame unchanged.
      if (text !== last) stream.send(text)
      last = text
      const files = now.members?.length ?? 0
      if (files > SMALL_BATCH) nextAt = performance.now() + files * PAUSE_PER_FILE_MS
    }
  })
}

function progressRoute(app: FastifyInstance, context: ServerContext) {
  const expecting = new Map<string, number>()
  const early = new Set<Stream>()
  app.addHook('preClose', async () => {
    for (const stream of early) stream.end()
  })
  return async (request: FastifyRequest<{ Params: { jobId: string } }>, reply: FastifyReply): Promise<unknown> => {
    const { jobId } = request.params
    const { caller } = request
    const known = await visibleJob(context, caller, jobId)
    // The contract requires this response, although it reveals that the id is in use.
    if (!known && (await context.store.jobs.named(jobId)).length > 0) throw notFound()
    const waiting = expecting.get(caller.userId) ?? 0
    if (!known && waiting >= MAX_EXPECTING) throw notFound()
    if (request.method === 'HEAD') return reply.type('text/event-stream').header('cache-control', 'no-cache').send('')
    let stop = (): void => undefined
    let isClosed = false
    const stream = new Stream(request, reply, () => {
      isClosed = true
      stop()
    })
    const begin = async (record: JobRecord): Promise<void> => {
      stop = await follow(context, record, stream)
      if (isClosed) stop()
    }
    if (known) {
      await begin(known)
      return reply
    }
    // A client may listen before it submits the job. Frames are delayed until the job is known to be its own.
    expecting.set(caller.userId, waiting + 1)
    early.add(stream)
    const giveUp = setTimeout(() => stream.end(), EXPECT_MS)
    const forget = context.jobs.expect(jobId, (record) => {
      if (!maySee(caller, record)) return
      leave()
      begin(record).catch(() => stream.end())
    })
    const leave = (): void => {
      clearTimeout(giveUp)
      early.delete(stream)
      forget()
      expecting.set(caller.userId, Math.max(0, (expecting.get(caller.userId) ?? 1) - 1))
    }
    stop = leave
    // The job may have been submitted since the look-up.
    const late = await visibleJob(context, caller, jobId)
    if (late && early.has(stream)) {
      leave()
      await begin(late)
    }
    return reply
  }
}

export async function jobRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  // An API key with other permissions must not reach its owner's jobs.
  const config = { access: 'tools:use' as const, rateLimit: perMinute(300) }
  app.get<{ Params: { jobId: string } }>(
    '/api/v1/jobs/:jobId/progress',
    {
      config: {
        ...config,
        describes: () => operation('jobs', 'Progress of a job as server-sent events', { events: 'JobEvent' }).schema,
      },
    },
    progressRoute(app, context),
  )
  app.get<{ Params: { jobId: string } }>(
    '/api/v1/jobs/:jobId',
    { config, ...operation('jobs', 'Where a job is', { answer: the('Job') }) },
    async ({ caller, params }) => {
      const record = await visibleJob(context, caller, params.jobId)
      if (!record) throw notFound()
      return statusOf(record)
    },
  )
  app.get<{ Querystring: { limit: number; offset: number; status?: JobStatus } }>(
    '/api/v1/jobs',
    {
      config,
      ...operation('jobs', 'Own jobs, newest first; with files:all those of everybody', {
        query: {
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
          offset: { type: 'integer', minimum: 0, default: 0 },
          status: { type: 'string', enum: ['queued', 'processing', 'completed', 'failed', 'canceled'] },
        },
        answer: pageOf('jobs', the('Job')),
      }),
    },
    async ({ caller, query: { limit, offset, status } }) => {
      const ownerId = caller.permissions.has('files:all') ? undefined : caller.userId
      const { jobs, total } = await context.store.jobs.ofOwner({ ownerId, limit, offset, ...(status && { status }) })
      return { jobs: jobs.map(statusOf), total, limit, offset }
    },
  )
  app.post<{ Params: { jobId: string } }>(
    '/api/v1/jobs/:jobId/cancel',
    { config, ...operation('jobs', 'Stop a job', { answer: exactly({ canceled: flag }) }) },
    async ({ caller, params }) => {
      const record = await visibleJob(context, caller, params.jobId)
      if (!record) throw notFound()
      const { jobs, features } = context
      return { canceled: await (record.type === 'install' ? features : jobs).cancel(record) }
    },
  )
  app.delete<{ Params: { jobId: string } }>(
    '/api/v1/jobs/:jobId',
    {
      config,
      ...operation('jobs', 'Delete a job or uploads, with all files; what still runs is stopped', { answer: DONE }),
    },
    async ({ caller, params }) => {
      const { store, jobs } = context
      const upload = await store.jobs.get(params.jobId)
      const record = upload && maySee(caller, upload) ? upload : await visibleJob(context, caller, params.jobId)
      if (!record) throw notFound()
      if (record.type === 'install') await context.features.cancel(record)
      await jobs.remove(record.id)
      return { ok: true }
    },
  )
}
