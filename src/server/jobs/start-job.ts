import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JobRecord } from '../../store/job-record.ts'
import type { ServerContext } from '../context.ts'
import { audit } from '../instance/audit.ts'
import type { Submission } from './new-record.ts'
import { requireOwner } from './require-owner.ts'

/** Limits the number and length of reported names: clients refuse responses with headers of more than 16 KiB. */
const MAX_NAMES = 20
const MAX_NAME_LENGTH = 50

/** Header that lists the ignored settings of a request. */
export function reportIgnored(reply: FastifyReply, ignored: readonly string[]): void {
  // JSON may contain a lone surrogate, which has no percent-encoding.
  const names = ignored.slice(0, MAX_NAMES).map((name) => Buffer.from(name.slice(0, MAX_NAME_LENGTH)).toString())
  if (names.length > 0) reply.header('x-ignored-settings', names.map(encodeURIComponent).join(', '))
}

/**
 * Submits the caller's job, and audits it if the setting `auditToolOperations` is on.
 * @param how how long the request waits for the end of the job, in milliseconds
 * @throws MediaprocError CONCURRENCY_LIMIT, QUEUE_UNAVAILABLE, CONFLICT, SESSION_INVALID
 */
export async function startJob(
  context: ServerContext,
  request: FastifyRequest,
  submission: Omit<Submission, 'caller' | 'requestId' | 'traceparent'>,
  how?: { waitMs: number },
): Promise<JobRecord> {
  const { jobs, settings } = context
  const { caller, id: requestId, span } = request
  const record = await jobs.submit({ ...submission, caller, requestId, traceparent: span?.traceparent }, how)
  // From here on, the job owns the folder.
  request.workFolder = undefined
  await requireOwner(context.store, request.caller.userId, () => jobs.remove(record.id))
  if (await settings.flag('auditToolOperations', false)) {
    const { id, toolId, task } = submission
    const tools = toolId === null ? { tools: task.steps?.map((step) => step.toolId) } : {}
    await audit(context, request, 'TOOL_EXECUTED', {
      target: { type: toolId === null ? 'pipeline' : 'tool', id: toolId },
      details: { jobId: id, files: task.inputs.length, ...tools },
    })
  }
  return record
}
