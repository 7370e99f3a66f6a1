import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import { isOver, type JobRecord } from '../../store/job-record.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { catalogue } from '../../tool/registry.ts'
import type { ServerContext } from '../context.ts'
import { perMinute } from '../http/route-options.ts'
import { archiveName } from '../jobs/batch.ts'
import { failureAnswer, memberFailure } from '../jobs/failure.ts'
import { resultPlace } from '../jobs/results.ts'
import { parseSettings } from '../jobs/settings-field.ts'
import { reportIgnored, startJob } from '../jobs/start-job.ts'
import { archiveAsItGrows } from '../jobs/stream.ts'
import { checkedSettings, clientJobId, storedTask } from '../jobs/submission.ts'
import { batchOperation } from '../openapi/operations.ts'
import type { ReceivedForm } from '../uploads/multipart.ts'
import { receiveInputs } from '../uploads/receive-inputs.ts'
import { type WorkFolder, workFolder } from '../uploads/work-folder.ts'
import { callbackOf } from '../webhooks/callback.ts'
import { answerAccepted, pathsOf } from './tools.ts'

/** How long a batch may take for its first result before the response is 202. */
const MAX_WAIT_MS = 30 * 60_000
/** Longest list of failures in a header, in bytes. */
const MAX_ERRORS_BYTES = 8192
/**
 * Limit of all headers about files together. Node's HTTP client refuses responses with more than 16 KiB of headers; the
 * rest is omitted, and the job's status contains it.
 */
const MAX_HEADERS_BYTES = 14_000

const encoded = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

function fileErrors({ members = [] }: JobRecord): string {
  const failed = members.filter(({ error }) => error)
  const list = []
  let length = encoded([]).length
  for (const member of failed) {
    const entry = { index: member.index, ...memberFailure(member) }
    length += encoded(entry).length + encoded(',').length
    if (length > MAX_ERRORS_BYTES) break
    list.push(entry)
  }
  return list.length > 0 ? encoded(list) : ''
}

function fileNotes({ members = [] }: JobRecord): string {
  const notes = members.filter((member) => member.notes).map(({ index, notes }) => [String(index), notes] as const)
  if (notes.length === 0) return ''
  const texts = notes.map(([, value]) => JSON.stringify(value))
  const isSame = notes.length > 1 && notes.length === members.length && texts.every((text) => text === texts[0])
  return encoded(isSame ? { '*': firstOf(notes)[1] } : Object.fromEntries(notes))
}

/** Headers that describe the files of an archive. */
export function resultHeaders(record: JobRecord, results: Readonly<Record<string, string>>): Record<string, string> {
  const all = {
    'x-file-errors': fileErrors(record),
    'x-file-results': encoded(results),
    'x-file-notes': fileNotes(record),
  }
  let room = MAX_HEADERS_BYTES
  const fits = ([, value]: [string, string]): boolean => {
    if (value === '' || value.length > room) return false
    room -= value.length
    return true
  }
  return Object.fromEntries(Object.entries(all).filter(fits))
}

function archiveHeaders(reply: FastifyReply, record: JobRecord): void {
  reply.header('x-job-id', record.clientJobId ?? record.id)
  reply.header('content-type', 'application/zip')
  reply.header('content-disposition', `attachment; filename="${archiveName(record)}"`)
}

const hasResult = ({ members = [] }: JobRecord): boolean => members.some(({ state }) => state === 'done')

/** Waits until the batch ends, until it has a first result after the wait window, or until the server stops. */
async function wait({ jobs, config }: ServerContext, record: JobRecord): Promise<JobRecord> {
  const first = await jobs.until(record, config.syncWaitMs, () => false)
  return isOver(first) || hasResult(first) || jobs.isClosing ? first : jobs.until(first, MAX_WAIT_MS, hasResult)
}

/** Responds with the finished archive, an archive streamed as the files finish, the failure, or 202. */
export async function answerBatch(
  context: ServerContext,
  reply: FastifyReply,
  submitted: JobRecord,
): Promise<FastifyReply> {
  const record = await wait(context, submitted)
  if (isOver(record)) {
    const [archive] = record.outputs
    if (!archive) return reply.code(record.error!.status).send(failureAnswer(record.error!, record.requestId))
    archiveHeaders(reply, record)
    reply.headers(resultHeaders(record, record.result!.fileResults as Record<string, string>))
    reply.header('content-length', archive.bytes)
    const { blobs, key } = resultPlace(context.store, record.id, archive)
    return reply.send(await blobs.open(key))
  }
  if (!hasResult(record) || context.jobs.isClosing) return answerAccepted(reply, record)
  // Failures are only known at the end: they are sent as trailers and in the last progress frame.
  archiveHeaders(reply, record)
  const archive = await archiveAsItGrows(record, context.store, context.jobs)
  for (const name of ['x-file-results', 'x-file-notes', 'x-file-errors'])
    reply.trailer(name, async () => resultHeaders(archive.record(), archive.results())[name] ?? '')
  return reply.send(archive.stream)
}

/** The files of a batch form in upload order; an empty file becomes a failed member. */
export async function batchForm(
  context: ServerContext,
  request: FastifyRequest,
  work: WorkFolder,
): Promise<{ form: ReceivedForm; chosen: string | undefined }> {
  const { config, jobs } = context
  const limits = { fileBytes: config.maxUploadBytes, files: config.maxBatchSize }
  const form = await receiveInputs(context, request, work, limits)
  const chosen = clientJobId(form.fields.clientJobId)
  await jobs.checkUnused(request.caller, chosen)
  if (form.files.length === 0) throw new MediaprocError('NO_FILE', 'No file was sent')
  return { form, chosen }
}

/** A batch has one list of files: a part for a second kind of file would be processed as one of them. */
function checkParts({ input, section, id }: CatalogueEntry, { files }: ReceivedForm): void {
  const wrong = Object.entries(input.secondary ?? {}).find(([name]) => files.some(({ field }) => field === name))
  if (!wrong) return
  const [part, { what }] = wrong
  throw new MediaprocError('INVALID_SETTINGS', `A batch of ${section}/${id} takes no part ${part}: ${what}`, {
    hint: 'Send only files to process.',
  })
}

async function runBatchRoute(context: ServerContext, name: string, request: FastifyRequest, reply: FastifyReply) {
  const work = await workFolder(context, request)
  const { form, chosen } = await batchForm(context, request, work)
  const callback = await callbackOf(context, request.caller, form.fields.callbackUrl)
  const given = parseSettings(form.fields.settings)
  const { found, values, ignored } = await checkedSettings(context, request.caller, findTool(name), given)
  reportIgnored(reply, ignored)
  checkParts(found.entry, form)
  const files = { inputs: form.files, secondary: {} }
  const task = { ...storedTask(found, values, files, context.config), ...callback }
  const toolId = found.entry.id
  const record = await startJob(context, request, { id: work.id, clientJobId: chosen, type: 'batch', toolId, task })
  return answerBatch(context, reply, record)
}

/** Registers a batch route for every tool that processes one file at a time. */
export async function batchRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  for (const entry of catalogue().filter(({ batch }) => batch)) {
    const name = `${entry.section}/${entry.id}`
    for (const { path, isAlias } of pathsOf(entry)) {
      const config = {
        ...{ access: 'tools:use' as const, tool: entry, rateLimit: perMinute(20) },
        describes: () => batchOperation(entry, isAlias),
      }
      app.post(`${path}/batch`, { config }, (request, reply) => runBatchRoute(context, name, request, reply))
    }
  }
}
