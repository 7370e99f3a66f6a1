/** A client of `mediaproc serve` for Node and browsers: no module of it imports anything of Node. */
import type { Known, SettingsFor } from '../tool/tool-id.ts'
import { Batches, type BatchResult, type EachOptions, type EachResult, runEach } from './batch.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import type { FileInput } from './form.ts'
import { Jobs } from './jobs.ts'
import { type Request, requestsOver } from './requests.ts'
import {
  type JobOptions,
  type ResultFile,
  Runner,
  type RunOptions,
  type RunResult,
  type SettingsAndOptions,
  type Step,
} from './runner.ts'
import { Uploads } from './uploads.ts'

export type { ToolId } from '../tool/tool-id.ts'
export type { ToolSettings } from '../tool/tool-settings.ts'
export type { BatchFailure, BatchResult, EachOptions, EachResult } from './batch.ts'
export type { ConnectionOptions } from './connection.ts'
export { ApiError } from './failure.ts'
export type { FileInput, ServerFile } from './form.ts'
export type { JobEvent, Jobs, WaitOptions } from './jobs.ts'
export type { JobOptions, ResultFile, RunOptions, RunResult, Step } from './runner.ts'
export type { components, paths } from './schema.ts'
export type { UploadOptions, Uploads } from './uploads.ts'

export class MediaprocClient {
  readonly jobs: Jobs
  /** Resumable uploads. */
  readonly uploads: Uploads
  readonly get: Request<'get'>
  readonly post: Request<'post'>
  readonly put: Request<'put'>
  readonly patch: Request<'patch'>
  readonly delete: Request<'delete'>
  readonly #connection: Connection
  readonly #runner: Runner
  readonly #batches: Batches

  /** @throws TypeError if the address is not of http or https */
  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options)
    this.jobs = new Jobs(this.#connection)
    this.uploads = new Uploads(this.#connection)
    this.#runner = new Runner(this.#connection, this.jobs)
    this.#batches = new Batches(this.#runner, this.jobs)
    const requests = requestsOver(this.#connection)
    this.get = requests.get
    this.post = requests.post
    this.put = requests.put
    this.patch = requests.patch
    this.delete = requests.delete
  }

  /**
   * Runs a tool, a preset or an action, and waits for its result, however long it takes.
   * @param id such as `image/resize` or `image/edit-metadata/inspect`
   * @param files the inputs; `[]` for tools without any
   * @throws ApiError; the reason of the signal
   */
  run<Id extends string>(
    id: Id & Known<Id>,
    files: FileInput | readonly FileInput[],
    ...[settings, options]: SettingsAndOptions<SettingsFor<Id>>
  ): Promise<RunResult> {
    return this.#runner.tool(id, files, settings ?? {}, options)
  }

  /** Runs steps one after the other; between them, nothing is encoded. @throws ApiError; the reason of the signal */
  runPipeline(
    steps: readonly Step[],
    files: FileInput | readonly FileInput[],
    options?: RunOptions,
  ): Promise<RunResult> {
    return this.#runner.pipeline(steps, files, options)
  }

  /**
   * Runs a tool on each of many files in one job, whose results are in one ZIP file. Files that fail do not stop the
   * others.
   * @throws ApiError if all files fail; the reason of the signal
   */
  runBatch<Id extends string>(
    id: Id & Known<Id>,
    files: readonly FileInput[],
    ...[settings, options]: SettingsAndOptions<SettingsFor<Id>, JobOptions>
  ): Promise<BatchResult> {
    return this.#batches.tool(id, files, settings ?? {}, options)
  }

  /** Runs a pipeline on each of many files in one job, as `runBatch` does. */
  runPipelineBatch(steps: readonly Step[], files: readonly FileInput[], options?: JobOptions): Promise<BatchResult> {
    return this.#batches.pipeline(steps, files, options)
  }

  /**
   * Runs a tool on each of many files, in one job for each file: results arrive as they end, or in order. A loop that
   * ends early cancels the jobs that run.
   * @throws the reason of the signal; errors of single files are results
   */
  runEach<Id extends string>(
    id: Id & Known<Id>,
    files: readonly FileInput[],
    ...[settings, options = {}]: SettingsAndOptions<SettingsFor<Id>, EachOptions>
  ): AsyncGenerator<EachResult, void, undefined> {
    const run = (index: number, signal: AbortSignal): Promise<RunResult> =>
      this.#runner.tool(id, files.slice(index, index + 1), settings ?? {}, {
        ...(options.secondary && { secondary: options.secondary }),
        ...(options.callbackUrl !== undefined && { callbackUrl: options.callbackUrl }),
        signal,
      })
    return runEach(files.length, run, options)
  }

  /**
   * Downloads a result, or any path that a response has, such as `downloadUrl`. Use the response's `body`, `blob()` or
   * `arrayBuffer()`.
   * @throws ApiError; the reason of the signal
   */
  download(file: ResultFile | string, { signal }: { signal?: AbortSignal } = {}): Promise<Response> {
    const path =
      typeof file === 'string'
        ? file
        : `/api/v1/download/${encodeURIComponent(file.jobId)}/${encodeURIComponent(file.filename)}`
    return this.#connection.request('GET', path, signal && { signal })
  }
}
