import type { FastifyBaseLogger } from 'fastify'
import { toMediaprocError } from '../../errors.ts'
import type { JobRecord } from '../../store/job-record.ts'

/** Identifies a job in the log, with the request that submitted it. */
export const aboutJob = ({ id, requestId, toolId }: JobRecord): Record<string, unknown> => ({
  jobId: id,
  ...(requestId !== undefined && { requestId }),
  ...(toolId !== null && { toolId }),
})

/** Logs the end of a job. @param ms since it was submitted */
export function logEnd(log: FastifyBaseLogger, record: JobRecord, ms: number): void {
  const { status, error } = record
  log.info({ ...aboutJob(record), status, ms, ...(error && { code: error.code }) }, 'job')
}

/** Logs a problem of the server, which its clients do not see: the operator finds it here. */
export function logOwnFault(log: FastifyBaseLogger, record: JobRecord, error: unknown): void {
  const { code, message, detail } = toMediaprocError(error)
  if (code === 'INTERNAL' || code === 'INVALID_CONFIG')
    log.error({ ...aboutJob(record), code, error: message, detail }, 'a job failed by a fault of the server')
}

/** Logs a failure to store the messages for webhooks, as on a full disk: it does not keep a job from its end. */
export const logUnannounced =
  (log: FastifyBaseLogger, record: JobRecord) =>
  (error: unknown): false => {
    log.error({ err: error, ...aboutJob(record) }, 'the webhooks of a job are not sent')
    return false
  }
