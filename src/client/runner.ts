import type { SettingsFor, ToolId } from '../tool/tool-id.ts'
import type { Connection } from './connection.ts'
import { ApiError, apiError } from './failure.ts'
import { type FileInput, formOf } from './form.ts'
import type { Jobs, WaitOptions } from './jobs.ts'

export interface RunOptions extends WaitOptions {
  /** Cancels the job on the server. */
  signal?: AbortSignal
  /** The id of the job, to follow it elsewhere: 1 to 128 letters, digits, `_`, `-` and `.`; by default a random one. */
  jobId?: string
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
export type SettingsAndOptions<Settings> =
  Record<never, never> extends Settings
    ? [settings?: Settings, options?: RunOptions]
    : [settings: Settings, options?: RunOptions]

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

const listOf = (files: FileInput | readonly FileInput[]): readonly FileInput[] =>
  Array.isArray(files) ? (files as readonly FileInput[]) : [files as FileInput]

/** Pages without TLS have no `crypto.randomUUID`. */
const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

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
    const path = `/api/v1/tools/${id.split('/').map(encodeURIComponent).join('/')}`
    return this.#run(path, files, { settings: JSON.stringify(settings) }, options)
  }

  pipeline(
    steps: readonly Step[],
    files: FileInput | readonly FileInput[],
    options: RunOptions = {},
  ): Promise<RunResult> {
    // The API names tools without their sections.
    const sent = steps.map(({ tool, settings = {} }) => ({ toolId: tool.slice(tool.indexOf('/') + 1), settings }))
    return this.#run('/api/v1/pipeline/execute', files, { pipeline: JSON.stringify({ steps: sent }) }, options)
  }

  async #run(
    path: string,
    files: FileInput | readonly FileInput[],
    fields: Record<string, string>,
    { signal, onProgress, jobId = randomId(), secondary = {}, saveTo }: RunOptions,
  ): Promise<RunResult> {
    signal?.throwIfAborted()
    const named = listOf(files).map((file) => ['file', file] as const)
    const body = formOf([...named, ...Object.entries(secondary)], {
      ...fields,
      ...(saveTo && { fileId: saveTo.fileId, saveMode: saveTo.mode ?? 'new' }),
      ...{ clientJobId: jobId, outcome: 'true' },
    })
    const cancel = (): void => void this.#jobs.cancelSoon(jobId)
    signal?.addEventListener('abort', cancel, { once: true })
    const ended = new AbortController()
    try {
      if (onProgress) void this.#showProgress(jobId, onProgress, ended.signal)
      return resultOf(await this.#submit(path, body, { jobId, signal }))
    } finally {
      ended.abort()
      signal?.removeEventListener('abort', cancel)
    }
  }

  async #submit(
    path: string,
    body: FormData,
    { jobId, signal }: { jobId: string; signal?: AbortSignal },
  ): Promise<Record<string, unknown>> {
    const init = { body, headers: { accept: 'application/json' }, ...(signal && { signal }) }
    try {
      const response = await this.#connection.request('POST', path, init)
      if (response.status !== 202) return await this.#connection.objectOf(response)
    } catch (error) {
      signal?.throwIfAborted()
      // The connection was lost, or a proxy gave up, and the job may have started: it must not run twice.
      const isLost = error instanceof ApiError && error.code === 'SERVER_UNREACHABLE'
      if (!isLost || !(await this.#exists(jobId))) throw error
    }
    return this.#jobs.wait(jobId, { signal })
  }

  async #exists(jobId: string): Promise<boolean> {
    return this.#jobs.get(jobId).then(
      () => true,
      () => false,
    )
  }

  /** Shows the progress of a job from its start on; only its request decides how it ends. */
  async #showProgress(
    jobId: string,
    onProgress: NonNullable<WaitOptions['onProgress']>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      for await (const event of this.#jobs.events(jobId, { signal }) as AsyncIterable<Record<string, unknown>>) {
        const { percent, stage } = event
        if (typeof percent === 'number' && !signal.aborted)
          onProgress(percent / 100, typeof stage === 'string' ? stage : '')
      }
    } catch {
      // The stream is lost, or the job has ended.
    }
  }
}
