import type { SettingsFor, ToolId } from '../tool/tool-id.ts'
import type { Connection } from './connection.ts'
import { ApiError, apiError } from './failure.ts'
import { showProgress } from './follow.ts'
import { type FileInput, formOf } from './form.ts'
import type { Jobs, WaitOptions } from './jobs.ts'
import { randomId } from './random-id.ts'

/** Options of every job. */
export interface JobOptions extends WaitOptions {
  /** Cancels the job on the server. */
  signal?: AbortSignal
  /** The id of the job, to follow it elsewhere: 1 to 128 letters, digits, `_`, `-` and `.`; by default a random one. */
  jobId?: string
  /** An https address that the server notifies when the job ends. The account needs a secret for it: docs/webhooks.md. */
  callbackUrl?: string
}

export interface RunOptions extends JobOptions {
  /** The tool's named additional files, such as `mask`. */
  secondary?: Readonly<Record<string, FileInput>>
  /** A file of the library whose next version the result becomes. */
  saveTo?: { readonly fileId: string; readonly mode?: 'new' | 'overwrite' }
}

/** A file that a job made. It can be downloaded, or be an input of the next job without being sent. */
export interface ResultFile {
  readonly jobId: string
  readonly filename: string
  readonly mime: string
  /** Size. */
  readonly bytes: number
}

export interface RunResult {
  readonly jobId: string
  /** In the tool's order; empty for tools that only report. */
  readonly files: readonly ResultFile[]
  /** The tool's report, if it has one. */
  readonly report?: Readonly<Record<string, unknown>>
  /** What the tool lost, cut, guessed or did not find. */
  readonly warnings: readonly string[]
  /** The answer of the server, with fields of the tool. */
  readonly response: Readonly<Record<string, unknown>>
}

/** Settings may be left out if none is required. */
export type SettingsAndOptions<Settings, Options = RunOptions> =
  Record<never, never> extends Settings
    ? [settings?: Settings, options?: Options]
    : [settings: Settings, options?: Options]

/** Tools and presets, without their actions. */
type StepTool = Exclude<ToolId, `${string}/${string}/${string}`>

/** A step of a pipeline. */
export type Step = {
  readonly [Id in StepTool]: { readonly tool: Id; readonly settings?: SettingsFor<Id> }
}[StepTool]

interface Outcome {
  files: { name: string; mime: string; bytes: number }[]
  report?: Record<string, unknown>
  warnings: { message: string }[]
}

function resultOf(response: Record<string, unknown>): RunResult {
  const { outcome } = response as { outcome?: Outcome }
  if (!Array.isArray(outcome?.files)) throw apiError(undefined, 200)
  const jobId = String(response.jobId)
  return {
    jobId,
    files: outcome.files.map(({ name, mime, bytes }) => ({ jobId, filename: name, mime, bytes })),
    ...(outcome.report && { report: outcome.report }),
    warnings: outcome.warnings.map(({ message }) => message),
    response,
  }
}

/** What the request of a job contains. */
interface JobForm {
  /** With the names of their parts, in order. */
  files: readonly (readonly [field: string, file: FileInput])[]
  fields: Readonly<Record<string, string>>
}

const listOf = (files: FileInput | readonly FileInput[]): readonly FileInput[] =>
  Array.isArray(files) ? (files as readonly FileInput[]) : [files as FileInput]

/** The route of a tool, a preset or an action. */
export const pathOf = (id: string): string => `/api/v1/tools/${id.split('/').map(encodeURIComponent).join('/')}`

/** The field of a form with the steps of a pipeline. The API names tools without their sections. */
export function stepsField(steps: readonly Step[]): { pipeline: string } {
  const sent = steps.map(({ tool, settings = {} }) => ({ toolId: tool.slice(tool.indexOf('/') + 1), settings }))
  return { pipeline: JSON.stringify({ steps: sent }) }
}

/** Runs tools and pipelines on the server. */
export class Runner {
  readonly #connection: Connection
  readonly #jobs: Jobs

  constructor(connection: Connection, jobs: Jobs) {
    this.#connection = connection
    this.#jobs = jobs
  }

  tool(
    id: string,
    files: FileInput | readonly FileInput[],
    settings: Readonly<Record<string, unknown>>,
    options: RunOptions = {},
  ): Promise<RunResult> {
    return this.#run(pathOf(id), files, { settings: JSON.stringify(settings) }, options)
  }

  pipeline(
    steps: readonly Step[],
    files: FileInput | readonly FileInput[],
    options: RunOptions = {},
  ): Promise<RunResult> {
    return this.#run('/api/v1/pipeline/execute', files, stepsField(steps), options)
  }

  async #run(
    path: string,
    files: FileInput | readonly FileInput[],
    fields: Record<string, string>,
    { secondary = {}, saveTo, ...options }: RunOptions,
  ): Promise<RunResult> {
    const named = listOf(files).map((file) => ['file', file] as const)
    const form = {
      files: [...named, ...Object.entries(secondary)],
      fields: { ...fields, ...(saveTo && { fileId: saveTo.fileId, saveMode: saveTo.mode ?? 'new' }), outcome: 'true' },
    }
    return this.submit(path, form, options, async (jobId, response) =>
      resultOf(response ? await this.#connection.objectOf(response) : await this.#jobs.wait(jobId, options)),
    )
  }

  /**
   * Sends a job, shows its progress while the request waits, and cancels the job on an abort.
   * @param form without the fields of the options
   * @param finish waits for the end of the job; the response is undefined if the job continues
   */
  async submit<Result>(
    path: string,
    { files, fields }: JobForm,
    options: JobOptions,
    finish: (jobId: string, response: Response | undefined) => Promise<Result>,
  ): Promise<Result> {
    const { jobId = randomId(), callbackUrl, signal, onProgress } = options
    const body = formOf(files, { ...fields, ...(callbackUrl !== undefined && { callbackUrl }), clientJobId: jobId })
    signal?.throwIfAborted()
    const cancel = (): void => void this.#jobs.cancelSoon(jobId)
    signal?.addEventListener('abort', cancel, { once: true })
    const ended = new AbortController()
    try {
      if (onProgress)
        void showProgress(() => this.#jobs.stream(jobId, { signal: ended.signal }), onProgress, ended.signal)
      const response = await this.#post(path, body, jobId, options)
      ended.abort()
      return await finish(jobId, response)
    } finally {
      ended.abort()
      signal?.removeEventListener('abort', cancel)
    }
  }

  async #post(
    path: string,
    body: FormData,
    jobId: string,
    { jobId: chosen, signal }: JobOptions,
  ): Promise<Response | undefined> {
    const headers = { accept: 'application/json' }
    try {
      const init = { body, headers, repeat: 'refused' as const, ...(signal && { signal }) }
      const response = await this.#connection.request('POST', path, init)
      if (response.status !== 202) return response
      await response.body?.cancel()
    } catch (error) {
      signal?.throwIfAborted()
      // The connection was lost, or a proxy gave up, and the job may have started: it must not run twice.
      const code = error instanceof ApiError ? error.code : undefined
      // Only an earlier attempt of this job can have taken a random id.
      const isTaken = chosen === undefined && code === 'CONFLICT'
      const hasStarted = code === 'SERVER_UNREACHABLE' || isTaken
      if (!hasStarted || !(await this.#exists(jobId))) throw error
    }
    return undefined
  }

  async #exists(jobId: string): Promise<boolean> {
    return this.#jobs.get(jobId).then(
      () => true,
      () => false,
    )
  }
}
