import type { Resource } from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { dataResult, failureOf, type Preview, type ResultFile, runResult } from '../../mcp/answers.ts'
import { type Arguments, flag, list, object, requiredText, steps } from '../../mcp/arguments.ts'
import type { Backend, Call, Outcome } from '../../mcp/backend.ts'
import { LIMITS } from '../../mcp/definitions.ts'
import { usableTool } from '../../mcp/discover.ts'
import { isTextMime } from '../../media/type.ts'
import { isOver, type JobFile, type JobRecord } from '../../store/job-record.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import type { ServerContext } from '../context.ts'
import { resultPlace } from '../jobs/results.ts'
import { statusOf, visibleJob } from '../routes/jobs.ts'
import { usableTools } from '../routes/tool-list.ts'
import { callRoute, failureIn, resultsOf, runThrough } from './call-route.ts'
import { filesOf } from './files.ts'
import { resultPreview } from './preview.ts'

/** Recent jobs whose results are listed as resources. */
const RECENT_JOBS = 20
/** Largest result that is returned as a resource, in bytes. */
const MAX_READ_BYTES = 8 * 1024 * 1024

/** `mediaproc://jobs/JOB` or `mediaproc://jobs/JOB/NAME` */
const ADDRESS = /^mediaproc:\/\/jobs\/([A-Za-z0-9_.-]{1,128})(?:\/([^/?#]{1,1024}))?$/

const uriOf = (jobId: string, name: string): string => `mediaproc://jobs/${jobId}/${encodeURIComponent(name)}`

const asResult = ({ id }: JobRecord, { name, bytes, mime }: JobFile): ResultFile => ({
  ...{ uri: uriOf(id, name), name, bytes, mimeType: mime },
})

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw new MediaprocError('NOT_FOUND')
  }
}

/** Addresses of the tool's own answer that `outputs` has already. */
function ownFields({ jobId: _id, downloadUrl: _url, downloads: _all, ...own }: Record<string, unknown>): object {
  return own
}

/** Runs for an account: what it may use, on its own files, as jobs. */
export class AccountBackend implements Backend {
  readonly place = 'account'
  readonly template = {
    uriTemplate: 'mediaproc://jobs/{jobId}/{filename}',
    name: 'result',
    description: 'A result of a job; without the file name, the state of the job',
  }
  readonly #context: ServerContext
  readonly #request: FastifyRequest

  constructor(context: ServerContext, request: FastifyRequest) {
    this.#context = context
    this.#request = request
  }

  usable(): Promise<readonly CatalogueEntry[]> {
    return usableTools(this.#context, this.#request.caller)
  }

  async runTool(given: Arguments, call: Call): Promise<Outcome> {
    const { entry } = usableTool(requiredText(given, 'tool', LIMITS.id), await this.usable())
    const extra = object(given, 'extra_files')
    const fields = { settings: JSON.stringify(object(given, 'settings')) }
    const files = list(given, 'files', LIMITS.files)
    const path = `/api/v1/tools/${entry.section}/${entry.id}`
    return this.#runEach({ files, extra, isEach: entry.input.files === 'one', path, fields }, call)
  }

  async runPipeline(given: Arguments, call: Call): Promise<Outcome> {
    const usable = await this.usable()
    const listed = steps(given).map(({ tool, settings }) => {
      const { tool: entry, action } = usableTool(tool, usable)
      return { toolId: action ? `${entry.id}/${action.id}` : entry.id, settings }
    })
    if (flag(given, 'explain')) {
      const bytes = Buffer.from(JSON.stringify({ steps: listed }))
      const answer = await callRoute(this.#request, '/api/v1/pipeline/explain', {
        contentType: 'application/json',
        bytes,
      })
      if (answer.status !== 200) throw failureIn(answer)
      return dataResult(answer.json)
    }
    const files = list(given, 'files', LIMITS.files)
    if (files.length === 0) throw new MediaprocError('NO_FILE')
    const fields = { pipeline: JSON.stringify({ steps: listed }) }
    return this.#runEach({ files, extra: {}, isEach: true, path: '/api/v1/pipeline/execute', fields }, call)
  }

  /** Runs a job, or one for each file. A job that fails does not stop the others. */
  async #runEach(
    {
      files,
      extra,
      isEach,
      path,
      fields,
    }: {
      files: readonly unknown[]
      extra: Readonly<Record<string, unknown>>
      isEach: boolean
      path: string
      fields: Readonly<Record<string, string>>
    },
    call: Call,
  ): Promise<Outcome> {
    const jobs = (isEach && files.length > 1 ? files.map((file) => [file]) : [files]).map((one) => filesOf(one, extra))
    const results: object[] = []
    const all: ResultFile[] = []
    const previews: Preview[] = []
    let isError = false
    for (const [index, { parts, sources }] of jobs.entries()) {
      const onProgress: Call['onProgress'] = (fraction, phase) =>
        call.onProgress((index + fraction) / jobs.length, phase)
      try {
        const named: Record<string, string> = sources.length > 0 ? { sources: JSON.stringify(sources) } : {}
        const job = { path, fields: { ...fields, ...named }, files: parts }
        const record = await runThrough(this.#context, this.#request, job, { signal: call.signal, onProgress })
        onProgress(1, 'done')
        const outputs = resultsOf(record).map((file) => asResult(record, file))
        all.push(...outputs)
        results.push(shownResult(record, outputs))
        if (previews.length === 0) previews.push(...(await resultPreview(this.#context, record)))
      } catch (error) {
        call.signal.throwIfAborted()
        isError = true
        results.push({ error: failureOf(error, 'account') })
      }
    }
    return runResult({ results }, all, previews, isError)
  }

  async resources(): Promise<Resource[]> {
    const { caller } = this.#request
    const query = { ownerId: caller.userId, limit: RECENT_JOBS, offset: 0, status: 'completed' as const }
    const { jobs } = await this.#context.store.jobs.ofOwner(query)
    return jobs.flatMap((record) =>
      resultsOf(record).map((file) => {
        const { uri, name, bytes, mimeType } = asResult(record, file)
        return { uri, name, mimeType, size: bytes }
      }),
    )
  }

  async read(uri: string): ReturnType<Backend['read']> {
    const [, jobId, encoded] = ADDRESS.exec(uri) ?? []
    if (jobId === undefined) throw new MediaprocError('NOT_FOUND', 'There is no such resource')
    const record = await visibleJob(this.#context, this.#request.caller, jobId)
    if (!record || record.type === 'install') throw new MediaprocError('NOT_FOUND', 'There is no such resource')
    if (encoded === undefined)
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(statusOf(record)) }] }
    const name = decoded(encoded)
    const file = resultsOf(record).find((one) => one.name === name)
    if (!file) throw new MediaprocError('NOT_FOUND', 'There is no such resource')
    if (file.bytes > MAX_READ_BYTES)
      throw limitExceeded(`The result has ${file.bytes} bytes, and resources have at most ${MAX_READ_BYTES}`, {
        hint: `Download it from /api/v1/download/${record.id}/${encodeURIComponent(name)}, or make it smaller.`,
      })
    const { blobs, key } = resultPlace(this.#context.store, record.id, file)
    const chunks: Buffer[] = []
    for await (const chunk of (await blobs.open(key)) as AsyncIterable<Buffer>) chunks.push(chunk)
    const content = Buffer.concat(chunks)
    const about = { uri, mimeType: file.mime }
    return {
      contents: [
        isTextMime(file.mime)
          ? { ...about, text: content.toString('utf8') }
          : { ...about, blob: content.toString('base64') },
      ],
    }
  }
}

/** A job that has not ended is followed by reading its resource. */
function shownResult(record: JobRecord, outputs: readonly ResultFile[]): object {
  if (!isOver(record))
    return { jobId: record.id, status: record.status, hint: `Read mediaproc://jobs/${record.id} until it has ended.` }
  return {
    jobId: record.id,
    ...(outputs.length > 0 && {
      outputs: outputs.map(({ uri, name, bytes, mimeType }) => ({
        ...{ uri, name, bytes, mimeType },
        downloadUrl: `/api/v1/download/${record.id}/${encodeURIComponent(name)}`,
      })),
    }),
    ...(record.result && { report: ownFields(record.result) }),
  }
}
