import { ApiError, textOf } from './failure.ts'
import { resultIn } from './follow.ts'
import type { FileInput } from './form.ts'
import type { Jobs } from './jobs.ts'
import {
  type JobOptions,
  pathOf,
  type Runner,
  type RunOptions,
  type RunResult,
  type Step,
  stepsField,
} from './runner.ts'

/** A file of a batch that failed. */
export interface BatchFailure {
  readonly filename: string
  readonly message: string
  /** One of the codes of docs/errors.md. */
  readonly code: string
}

/** The results of a batch, in one ZIP file. */
export interface BatchResult {
  readonly jobId: string
  /** Path of the ZIP file on the server, for `download`. */
  readonly archive: string
  /** Size of the ZIP file. */
  readonly bytes: number
  /** The name in the ZIP file of each input's result, in the order of the inputs; undefined for failed ones. */
  readonly names: readonly (string | undefined)[]
  readonly failures: readonly BatchFailure[]
}

export interface EachOptions extends Omit<RunOptions, 'jobId' | 'saveTo' | 'onProgress'> {
  /** Jobs at the same time; 4 by default. */
  concurrency?: number
  /** `input` (default): results have the order of the files. `completion`: results arrive as they end. */
  order?: 'input' | 'completion'
}

/** The result of one of several files: a result, or its error. */
export type EachResult =
  | { readonly index: number; readonly result: RunResult; readonly error?: undefined }
  | { readonly index: number; readonly error: ApiError; readonly result?: undefined }

type Event = Readonly<Record<string, unknown>>

function failuresIn({ errors }: Event): BatchFailure[] {
  const list = Array.isArray(errors) ? (errors as Record<string, unknown>[]) : []
  return list.map(({ filename, error, details, code }) => ({
    filename: textOf(filename),
    message: textOf(details) || textOf(error),
    code: textOf(code),
  }))
}

/** Runs one job over many files, whose results are in one ZIP file. */
export class Batches {
  readonly #runner: Runner
  readonly #jobs: Jobs

  constructor(runner: Runner, jobs: Jobs) {
    this.#runner = runner
    this.#jobs = jobs
  }

  tool(
    id: string,
    files: readonly FileInput[],
    settings: Readonly<Record<string, unknown>>,
    options: JobOptions = {},
  ): Promise<BatchResult> {
    return this.#run(`${pathOf(id)}/batch`, files, { settings: JSON.stringify(settings) }, options)
  }

  pipeline(steps: readonly Step[], files: readonly FileInput[], options: JobOptions = {}): Promise<BatchResult> {
    return this.#run('/api/v1/pipeline/batch', files, stepsField(steps), options)
  }

  #run(
    path: string,
    files: readonly FileInput[],
    fields: Record<string, string>,
    options: JobOptions,
  ): Promise<BatchResult> {
    const form = { files: files.map((file) => ['file', file] as const), fields }
    return this.#runner.submit(path, form, options, async (jobId, response) => {
      // The archive is streamed while files are processed. Its download can be resumed, so that is what callers get.
      await response?.body?.cancel()
      const last = await this.#jobs.last(jobId, options)
      const result = resultIn(last)
      if (!result) throw await this.#failure(jobId, last)
      const { fileResults = {}, downloadUrl, processedSize } = result
      const names = fileResults as Record<string, string>
      return {
        jobId,
        archive: textOf(downloadUrl),
        bytes: Number(processedSize),
        names: files.map((_file, index) => names[index]),
        failures: failuresIn(last),
      }
    })
  }

  /** Without results, the batch failed as a whole; waiting for it throws its error. */
  async #failure(jobId: string, last: Event): Promise<unknown> {
    return this.#jobs.wait(jobId).then(
      () => new ApiError('PROCESSING_FAILED', 'All files failed', { fields: last }),
      (error: unknown) => error,
    )
  }
}

/**
 * Runs one job for each file, several at a time. A failed file does not stop the others; a caller that stops cancels
 * the jobs that run.
 * @param start runs the job of a file
 * @throws the reason of the signal
 */
export async function* runEach(
  count: number,
  start: (index: number, signal: AbortSignal) => Promise<RunResult>,
  { concurrency = 4, order = 'input', signal }: EachOptions,
): AsyncGenerator<EachResult> {
  if (!Number.isInteger(concurrency) || concurrency < 1) throw new TypeError('Expected a concurrency of at least 1')
  const stop = new AbortController()
  const all = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const running = new Map<number, Promise<EachResult>>()
  const run = async (index: number): Promise<EachResult> => {
    try {
      return { index, result: await start(index, all) }
    } catch (error) {
      if (all.aborted || !(error instanceof ApiError)) throw error
      return { index, error }
    }
  }
  try {
    for (let next = 0; next < count || running.size > 0; ) {
      for (; next < count && running.size < concurrency; next += 1) {
        const work = run(next)
        // It is awaited later, and may fail before.
        work.catch(() => undefined)
        running.set(next, work)
      }
      const [first] = running.values()
      const ended = await (order === 'input' ? first : Promise.race(running.values()))
      if (!ended) return
      running.delete(ended.index)
      yield ended
    }
  } finally {
    stop.abort(new Error('No more results are needed'))
  }
}
