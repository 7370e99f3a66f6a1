import type { Caller } from '../../accounts/caller.ts'
import type { JobRecord, StoredTask } from '../../store/job-record.ts'

export interface Submission {
  /** The folder with the uploads, from `records.begin()`. */
  id: string
  caller: Caller
  /** Of the HTTP request. */
  requestId: string
  /** Its span, if it is traced. */
  traceparent?: string | undefined
  clientJobId?: string | undefined
  type: 'single' | 'batch' | 'pipeline'
  toolId: string | null
  task: StoredTask
  library?: JobRecord['library']
}

/** Record of a job that has not started. */
export function newRecord({ id, caller, clientJobId, type, toolId, task, library, ...request }: Submission): JobRecord {
  return {
    id,
    clientJobId: clientJobId ?? null,
    ownerId: caller.userId,
    type,
    toolId,
    ...(library && { library }),
    status: 'queued',
    percent: 0,
    stage: null,
    createdAt: new Date().toISOString(),
    requestId: request.requestId,
    ...(request.traceparent !== undefined && { traceparent: request.traceparent }),
    startedAt: null,
    completedAt: null,
    attempts: 0,
    inputBytes: task.inputs.reduce((sum, { bytes }) => sum + bytes, 0),
    task,
    ...(type === 'batch' && {
      members: task.inputs.map(({ name }, index) => ({ index, filename: name, state: 'waiting' as const })),
    }),
    outputs: [],
    result: null,
    error: null,
    expiresAt: null,
  }
}
