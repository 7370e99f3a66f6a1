import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { type FoundEntry, type FoundTool, findTool } from '../../pipeline/read/find-tool.ts'
import type { JobFile, JobRecord } from '../../store/job-record.ts'
import type { CatalogueAction, CatalogueEntry } from '../../tool/catalogue.ts'
import { sentInput } from '../../tool/from-job.ts'
import { catalogue } from '../../tool/registry.ts'
import type { ServerContext } from '../context.ts'
import { checkBundles } from '../features/gate.ts'
import { invalid } from '../http/answers.ts'
import { sendBlob } from '../http/send-file.ts'
import { failureAnswer } from '../jobs/failure.ts'
import { resultPlace } from '../jobs/results.ts'
import { reportIgnored, startJob } from '../jobs/start-job.ts'
import { checkedSettings, clientJobId, libraryTarget, requestTask, toolTask } from '../jobs/submission.ts'
import { toolOperation } from '../openapi/operations.ts'
import type { FormLimits } from '../uploads/multipart.ts'
import { receiveInputs } from '../uploads/receive-inputs.ts'
import { workFolder } from '../uploads/work-folder.ts'
import { callbackOf } from '../webhooks/callback.ts'

/** How long a request waits for a direct file response, or for a result that must not be deferred, in milliseconds. */
const LONGEST_WAIT_MS = 10 * 60_000

/** Responds with 202 while the job continues in the background, and with the address to poll. */
export function answerAccepted(reply: FastifyReply, record: JobRecord): FastifyReply {
  const ids = record.clientJobId ? { progressJobId: record.clientJobId, artifactJobId: record.id } : {}
  return reply.code(202).send({ jobId: record.clientJobId ?? record.id, async: true, ...ids })
}

/** Waits for a job up to the request's limit. Responds with the outcome, or with 202. */
export async function answerJob(
  { jobs }: ServerContext,
  reply: FastifyReply,
  record: JobRecord,
  waitMs: number,
): Promise<FastifyReply> {
  const ended = await jobs.settled(record, waitMs)
  if (!ended) return answerAccepted(reply, record)
  const { error, result, requestId } = ended
  return error ? reply.code(error.status).send(failureAnswer(error, requestId)) : reply.send(result)
}

/** For tools that return the file itself: the body is the file, and its properties are in headers. */
async function answerFile(
  { jobs, store }: ServerContext,
  reply: FastifyReply,
  record: JobRecord,
  archive: string | undefined,
): Promise<FastifyReply> {
  const ended = await jobs.settled(record, LONGEST_WAIT_MS)
  if (!ended) return answerAccepted(reply, record)
  const { error, outputs, result, requestId } = ended
  if (error) return reply.code(error.status).send(failureAnswer(error, requestId))
  const [made] = outputs as [JobFile]
  const { name, bytes } = made
  const { originalSize } = result as { originalSize?: number }
  reply.headers({
    'x-job-id': record.clientJobId ?? record.id,
    'x-original-size': originalSize ?? record.inputBytes,
    'x-processed-size': bytes,
    'x-output-filename': encodeURIComponent(name),
  })
  const shown = archive === undefined ? name : `${archive}-${record.id.slice(0, 8)}.zip`
  return sendBlob(reply.request, reply, resultPlace(store, record.id, made), { name: shown })
}

/** Whether a client accepts only JSON; clients whose libraries add * / * accept the file as well. */
function wantsJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /^\s*application\/json\s*(;[^,]*)?$/i.test(accept)
}

function limitsOf(context: ServerContext, entry: FoundEntry): FormLimits {
  const { max, secondary = {} } = sentInput(entry)
  return { fileBytes: context.config.maxUploadBytes, files: max + Object.keys(secondary).length }
}

/** How long a request waits before the response is 202. */
const waitOf = ({ config }: ServerContext, { sync, async }: FoundEntry): number =>
  sync ? LONGEST_WAIT_MS : async ? 0 : config.syncWaitMs

async function runForm(context: ServerContext, route: FoundTool, request: FastifyRequest, reply: FastifyReply) {
  const work = await workFolder(context, request)
  const form = await receiveInputs(context, request, work, limitsOf(context, route.entry))
  const library = await libraryTarget(context, request, form.fields)
  const chosen = clientJobId(form.fields.clientJobId)
  const callback = await callbackOf(context, request.caller, form.fields.callbackUrl)
  if (route.entry.sync) await context.jobs.checkUnused(request.caller, chosen)
  const { found, task, ignored } = await toolTask(context, request.caller, route, form, work)
  const { entry } = found
  reportIgnored(reply, ignored)
  const isFile = entry.output.direct && !wantsJson(request)
  const waitMs = isFile ? LONGEST_WAIT_MS : waitOf(context, entry)
  const isWhole = form.fields.outcome === 'true'
  const job = {
    ...{ id: work.id, clientJobId: chosen, type: 'single' as const, toolId: entry.id },
    task: { ...task, ...(isWhole && { outcome: true as const }), ...callback },
  }
  const record = await startJob(context, request, { ...job, ...(library && { library }) }, { waitMs })
  if (isFile) return answerFile(context, reply, record, entry.output.archive)
  return answerJob(context, reply, record, waitMs)
}

async function runJson(context: ServerContext, route: FoundTool, request: FastifyRequest, reply: FastifyReply) {
  const body = (request.body ?? {}) as Record<string, unknown>
  if (typeof body !== 'object' || Array.isArray(body))
    throw new MediaprocError('INVALID_SETTINGS', 'The body is not a JSON object')
  const { clientJobId: chosen, callbackUrl, ...given } = body
  const requested = await checkedSettings(context, request.caller, route, given)
  const { found, ignored } = requested
  if (chosen !== undefined && typeof chosen !== 'string') throw new MediaprocError('INVALID_CLIENT_JOB_ID')
  reportIgnored(reply, ignored)
  const clientId = clientJobId(chosen)
  const callback = await callbackOf(context, request.caller, callbackUrl)
  if (found.entry.sync) await context.jobs.checkUnused(request.caller, clientId)
  const work = await workFolder(context, request)
  const task = await requestTask(context, request.caller, requested, { inputs: [], secondary: {} }, work)
  const job = {
    id: work.id,
    clientJobId: clientId,
    type: 'single' as const,
    toolId: found.entry.id,
    task: { ...task, ...callback },
  }
  const waitMs = waitOf(context, found.entry)
  return answerJob(context, reply, await startJob(context, request, job, { waitMs }), waitMs)
}

/** Route of a tool that works only in several requests over HTTP. @throws MediaprocError */
async function refuseSteps({ config }: ServerContext, request: FastifyRequest, tool: CatalogueEntry): Promise<never> {
  // As for other tools, a missing upload is reported before a missing install.
  if (request.isMultipart()) await checkBundles([tool], config.modelsFolder)
  const steps = tool.actions.map((action) => `${tool.id}/${action.id}`)
  throw invalid(`${tool.id} works in steps: ${steps.join(', then ')}`)
}

/** Registers the route of a tool, preset or action, which accepts a form or a JSON body. */
function mount(
  app: FastifyInstance,
  context: ServerContext,
  path: string,
  name: string,
  config: FastifyContextConfig,
): void {
  const found = findTool(name)
  const { body, overHttp } = found.entry
  app.post(path, { config }, (request, reply) => {
    if (!found.action && overHttp === false) return refuseSteps(context, request, found.tool)
    // Clients that only support forms send the settings in one.
    const isForm = body === 'multipart' || request.isMultipart()
    return isForm ? runForm(context, found, request, reply) : runJson(context, found, request, reply)
  })
}

const SECTIONS = new Set(['image', 'video', 'audio', 'pdf', 'files', 'popular'])

/** Paths of a tool: its own, and those for older clients. */
export function pathsOf(entry: CatalogueEntry): { path: string; isAlias: boolean }[] {
  const own = `/api/v1/tools/${entry.section}/${entry.id}`
  // The old form without a section exists only for the image tools.
  const isOld = entry.section === 'image' && !SECTIONS.has(entry.id)
  return [{ path: own, isAlias: false }, ...(isOld ? [{ path: `/api/v1/tools/${entry.id}`, isAlias: true }] : [])]
}

/** Registers every tool, preset and action of the catalogue. */
export async function toolRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  for (const entry of catalogue()) {
    const name = `${entry.section}/${entry.id}`
    for (const { path, isAlias } of pathsOf(entry)) {
      const configOf = (action?: CatalogueAction): FastifyContextConfig => ({
        ...{ access: 'tools:use', tool: entry, takesForms: true },
        describes: () => toolOperation(entry, action, isAlias),
      })
      mount(app, context, path, name, configOf())
      for (const action of entry.actions)
        mount(app, context, `${path}/${action.id}`, `${name}/${action.id}`, configOf(action))
    }
  }
}
