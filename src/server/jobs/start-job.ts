import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JobRecord } from '../../store/job-record.ts'
import type { ServerContext } from '../context.ts'
import { audit } from '../instance/audit.ts'
import type { Submission } from './new-record.ts'
import { requireOwner } from './require-owner.ts'

/** So many names, and so much of each, are told: clients refuse answers with headers of more than 16 KiB. */
const MAX_NAMES = 20
const MAX_NAME_LENGTH = 50

/** Names the settings of a request that had no effect. */
export function tellIgnored(reply: FastifyReply, ignored: readonly string[]): void {
  // Half of a surrogate pair has no percent-encoding; JSON may hold it.
  const told = ignored.slice(0, MAX_NAMES).map((name) => Buffer.from(name.slice(0, MAX_NAME_LENGTH)).toString())
  if (told.length > 0) reply.header('x-ignored-settings', told.map(encodeURIComponent).join(', '))
}

/**
 * Gives the caller's work to the job service, and notes it where the setting `auditToolOperations` asks for that.
 * @param how whether the request waits for the end of the job
 * @throws MediaprocError CONCURRENCY_LIMIT, QUEUE_UNAVAILABLE, CONFLICT, SESSION_INVALID
 */
export async function startJob(
  context: ServerContext,
  request: FastifyRequest,
  submission: Omit<Submission, 'caller'>,
  how?: { isAwaited: boolean },
): Promise<JobRecord> {
  const { jobs, settings } = context
  const record = await jobs.submit({ ...submission, caller: request.caller }, how)
  // From here on the folder is the job's.
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
