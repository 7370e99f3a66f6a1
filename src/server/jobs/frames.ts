import { isOver, type JobRecord } from '../../store/job-record.ts'
import { memberFailure } from './failure.ts'

/** One message of a progress stream (http-api, section 13). */
export type Frame = Record<string, unknown>

/** The job id that the client uses. */
export const publicId = (record: JobRecord): string => record.clientJobId ?? record.id

function batchFrame(record: JobRecord): Frame {
  const members = record.members ?? []
  const failed = members.filter(({ state }) => state === 'failed')
  const errors = failed.map(memberFailure)
  // A canceled batch with results ends as completed, because the results can be downloaded.
  const status = !isOver(record) ? 'processing' : record.result ? 'completed' : 'failed'
  const own = record.error ? [{ filename: '', error: record.error.message, code: record.error.code }] : []
  return {
    jobId: publicId(record),
    type: 'batch',
    status,
    totalFiles: members.length,
    completedFiles: members.filter(({ state }) => state !== 'waiting').length,
    failedFiles: failed.length,
    errors: [...errors, ...own],
    ...(record.stage && !isOver(record) && { currentFile: record.stage }),
    ...(record.result && { result: record.result }),
  }
}

function singleFrame(record: JobRecord): Frame {
  const { percent, stage, error, result } = record
  const base = { jobId: publicId(record), type: 'single' }
  if (!isOver(record)) return { ...base, phase: 'processing', percent, ...(stage && { stage }) }
  if (error) {
    const { message, code, details, fields } = error
    const failure = fields?.failure
    return {
      ...{ ...base, phase: 'failed', percent, error: message, code },
      ...(details && { details }),
      ...(failure !== undefined && { failure }),
    }
  }
  return { ...base, phase: 'complete', percent: 100, result }
}

/** State of a job, as a frame of the progress stream. */
export function frameOf(record: JobRecord): Frame {
  return record.type === 'batch' ? batchFrame(record) : singleFrame(record)
}

/** Last frame of a job whose files have expired. */
export function expiredFrame(record: JobRecord): Frame {
  const sentence = 'The result has expired: run it again'
  const failed = { jobId: publicId(record), error: sentence, code: 'NOT_FOUND' }
  return record.type === 'batch'
    ? { ...batchFrame({ ...record, result: null }), status: 'failed', errors: [{ filename: '', error: sentence }] }
    : { ...failed, type: 'single', phase: 'failed', percent: 100 }
}
