import type { JobRecord } from '../../store/job-record.ts'
import type { DeliveryRecord, JobEvent } from '../../store/webhook-records.ts'
import { cutToBytes } from '../../utf8.ts'
import { publicId } from '../jobs/frames.ts'

/** Longest message of a failed job, in bytes. */
const MOST_MESSAGE = 1000

/** Fields of a result that are sent: the others may be long, or contain what a file contains. */
const SENT = ['downloadUrl', 'originalSize', 'processedSize', 'savedFileId'] as const

/** The event of a job that has ended. */
export const eventOf = ({ status }: Pick<JobRecord, 'status'>): JobEvent =>
  status === 'completed' ? 'job.completed' : status === 'canceled' ? 'job.canceled' : 'job.failed'

const message = (type: DeliveryRecord['event'], timestamp: string, data: object): string =>
  JSON.stringify({ type, timestamp, data })

/** The body of a message about a job that has ended. */
export function jobPayload(record: JobRecord): string {
  const { id, type, toolId, status, createdAt, startedAt, completedAt, expiresAt, result, error } = record
  const sent = result && Object.fromEntries(SENT.flatMap((name) => (name in result ? [[name, result[name]]] : [])))
  return message(eventOf(record), completedAt ?? createdAt, {
    ...{
      jobId: publicId(record),
      artifactJobId: id,
      type,
      toolId,
      status,
      createdAt,
      startedAt,
      completedAt,
      expiresAt,
    },
    result: sent,
    error: error && { message: cutToBytes(error.message, MOST_MESSAGE), code: error.code },
  })
}

/** The body of a test message. */
export const testPayload = (webhookId: string, at: string): string => message('webhook.test', at, { webhookId })
