import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ERRORS, type ErrorCode, MediaprocError } from '../../errors.ts'
import { agentHint } from '../../mcp/answers.ts'
import type { Call } from '../../mcp/backend.ts'
import { isOver, type JobRecord } from '../../store/job-record.ts'
import type { ServerContext } from '../context.ts'
import { isPast } from '../jobs/retention.ts'
import type { FilePart } from './files.ts'

/** How long a call waits for its job, in milliseconds. */
const LONGEST_WAIT_MS = 10 * 60_000

/** Headers that say who calls, from where, and for which name of the server. */
const PASSED = [
  ...['authorization', 'cookie', 'host', 'origin', 'user-agent'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-request-id'],
] as const

interface Answer {
  status: number
  json: Record<string, unknown>
}

/**
 * Calls a route of this server for the same caller, so that its checks, limits and audit entries are the same as for any
 * client: nothing is allowed here that the route does not allow.
 */
export async function callRoute(
  request: FastifyRequest,
  path: string,
  body: { contentType: string; bytes: Buffer },
): Promise<Answer> {
  const headers: Record<string, string | string[]> = { accept: 'application/json', 'content-type': body.contentType }
  for (const name of PASSED) {
    const value = request.headers[name]
    if (value !== undefined) headers[name] = value
  }
  if (request.span) headers.traceparent = request.span.traceparent
  const { statusCode, payload } = await request.server.inject({
    ...{ method: 'POST', url: path, headers, payload: body.bytes },
    remoteAddress: request.raw.socket.remoteAddress ?? '127.0.0.1',
  })
  return { status: statusCode, json: jsonOf(payload) }
}

function jsonOf(payload: string): Record<string, unknown> {
  try {
    return JSON.parse(payload) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** The error of a response. */
export function failureIn({ status, json }: Answer): MediaprocError {
  const known = typeof json.code === 'string' && Object.hasOwn(ERRORS, json.code)
  const code = known ? (json.code as ErrorCode) : status >= 500 ? 'INTERNAL' : 'VALIDATION_ERROR'
  const label = typeof json.error === 'string' ? json.error : ERRORS[code].message
  const details = typeof json.details === 'string' ? json.details : json.details && JSON.stringify(json.details)
  const hint = agentHint(code)
  return new MediaprocError(code, details ? `${label}: ${details}` : label, {
    hint: { shell: hint ?? '', ...(hint !== undefined && { http: hint }) },
  })
}

/** A form with text fields and files. */
export async function formOf(
  fields: Readonly<Record<string, string>>,
  files: readonly FilePart[],
): Promise<{ contentType: string; bytes: Buffer }> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const { field, name, bytes } of files) form.append(field, new Blob([new Uint8Array(bytes)]), name)
  const response = new Response(form)
  return {
    contentType: response.headers.get('content-type') ?? '',
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

/** The caller's job with an id of its own. */
async function ownJob({ store }: ServerContext, request: FastifyRequest, id: string): Promise<JobRecord | undefined> {
  const known = await store.jobs.named(id)
  return known.find(({ ownerId, clientJobId }) => clientJobId === id && ownerId === request.caller.userId)
}

/**
 * Runs a job through a route, reports its progress, and cancels it when the call is canceled.
 * @returns the record when the job has ended, or the wait or the server ended first
 * @throws MediaprocError the error of the route or of the job
 */
export async function runThrough(
  context: ServerContext,
  request: FastifyRequest,
  { path, fields, files }: { path: string; fields: Readonly<Record<string, string>>; files: readonly FilePart[] },
  { signal, onProgress }: Pick<Call, 'signal' | 'onProgress'>,
): Promise<JobRecord> {
  const { jobs } = context
  const id = `mcp-${randomUUID()}`
  let stop = (): void => {}
  const forget = jobs.expect(id, (record) => {
    if (record.ownerId !== request.caller.userId) return
    if (signal.aborted) void jobs.cancel(record)
    signal.addEventListener('abort', () => void jobs.cancel(record), { once: true })
    stop = jobs.listen(record.id, ({ percent, stage }) => onProgress(Math.min(percent, 99) / 100, stage ?? ''))
  })
  try {
    signal.throwIfAborted()
    const answer = await callRoute(request, path, await formOf({ ...fields, clientJobId: id }, files))
    if (answer.status >= 300) throw failureIn(answer)
    const submitted = await ownJob(context, request, id)
    if (!submitted) throw new MediaprocError('NOT_FOUND', 'The job was deleted')
    const record = isOver(submitted) ? submitted : await jobs.until(submitted, LONGEST_WAIT_MS, () => signal.aborted)
    if (record.error)
      throw failureIn({ status: record.error.status, json: { ...record.error, error: record.error.message } })
    return record
  } finally {
    forget()
    stop()
  }
}

/** The results of a job that can be downloaded. */
export const resultsOf = (record: JobRecord): JobRecord['outputs'] =>
  record.upload || record.type === 'install' || isPast(record) ? [] : record.outputs
