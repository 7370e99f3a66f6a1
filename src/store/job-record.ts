/** What is known of a job: the record that the workspace keeps, and that jobs and answers are made from. */

export type JobStatus = 'queued' | 'processing' | 'completed' | 'failed' | 'canceled'

/** An uploaded file of a job, or one that it made: `file` is its name in the job's folder, `name` the one for people. */
export interface JobFile {
  file: string
  name: string
  bytes: number
  mime: string
  /** Of an upload: the id of its type by its content, where that was seen when it came in. */
  type?: string
}

/** What is to be done, kept while it is not done, so that a restart can take it up again. */
export interface StoredTask {
  kind: 'tool' | 'pipeline'
  /** `image/resize`, `image/edit-metadata/inspect`; '' for pipelines. */
  target: string
  /** Checked settings. */
  settings: Record<string, unknown>
  /** Pipelines only. */
  steps?: readonly { toolId: string; settings: Record<string, unknown> }[]
  inputs: readonly JobFile[]
  secondary: Readonly<Record<string, JobFile>>
  timeoutS: number
  heavy: boolean
}

/** The install of a bundle. */
export interface InstallTask {
  bundle: string
  tier: 'light' | 'standard'
  models: readonly string[]
  by: { username: string; ip: string }
}

/** How one file of a batch ended. */
export interface BatchMember {
  readonly index: number
  readonly filename: string
  readonly state: 'waiting' | 'done' | 'failed'
  /** Its outputs in the job's folder. */
  readonly files?: readonly JobFile[]
  /** The tool's own fields for this file. */
  readonly notes?: Record<string, unknown>
  readonly error?: JobFailure
}

/** Why a job failed, as clients see it. */
export interface JobFailure {
  message: string
  code: string
  status: number
  details?: string
  /** Further fields of the answer, such as `completedSteps`. */
  fields?: Record<string, unknown>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isFile = (value: unknown): boolean =>
  isObject(value) && [value.file, value.name, value.mime].every((text) => typeof text === 'string')

const areFiles = (value: unknown): boolean => Array.isArray(value) && value.every(isFile)

function isTask(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.settings) || !isObject(value.secondary)) return false
  return typeof value.target === 'string' && areFiles(value.inputs) && areFiles(Object.values(value.secondary))
}

const isInstall = (value: unknown): boolean =>
  isObject(value) && typeof value.bundle === 'string' && Array.isArray(value.models) && isObject(value.by)

const isMember = (value: unknown): boolean =>
  isObject(value) && typeof value.state === 'string' && (value.files === undefined || areFiles(value.files))

/** Whether a value that was read back can be worked with as the record of this job: a disk may hold anything. */
export function isJobRecord(value: unknown, id: string): value is JobRecord {
  if (!isObject(value) || value.id !== id) return false
  const { task, members, install, result, error } = value
  return (
    [value.type, value.status, value.createdAt].every((text) => typeof text === 'string') &&
    [value.percent, value.attempts, value.inputBytes].every(Number.isFinite) &&
    [value.clientJobId, value.ownerId, value.expiresAt].every((text) => text === null || typeof text === 'string') &&
    [result, error].every((one) => one === null || isObject(one)) &&
    areFiles(value.outputs) &&
    (task === undefined || isTask(task)) &&
    (install === undefined || isInstall(install)) &&
    (members === undefined || (Array.isArray(members) && members.every(isMember)))
  )
}

export interface JobRecord {
  /** Made by the server; part of download addresses. */
  readonly id: string
  /** Chosen by the client, unique among the jobs of one owner only. */
  readonly clientJobId: string | null
  /** null: made while authentication was off. */
  readonly ownerId: string | null
  readonly type: 'single' | 'batch' | 'pipeline' | 'upload' | 'install'
  readonly toolId: string | null
  /** The library item whose next version the result becomes. */
  readonly library?: { parentId: string; saveMode: 'new' | 'overwrite' }
  readonly status: JobStatus
  readonly percent: number
  readonly stage: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly completedAt: string | null
  /** How often it was begun; more than two beginnings end it as INTERRUPTED. */
  readonly attempts: number
  readonly inputBytes: number
  /** Absent once it is over. */
  readonly task?: StoredTask | undefined
  readonly members?: readonly BatchMember[]
  /** Installs only: the bundle, and who asked for it. Absent once it is over. */
  readonly install?: InstallTask | undefined
  /** What a download of this job may fetch. */
  readonly outputs: readonly JobFile[]
  readonly result: Record<string, unknown> | null
  readonly error: JobFailure | null
  /** When the files go; null while it runs, or never. */
  readonly expiresAt: string | null
}

/** Whether nothing more happens with a job. */
export const isOver = ({ status }: Pick<JobRecord, 'status'>): boolean => status !== 'queued' && status !== 'processing'
