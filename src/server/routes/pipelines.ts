import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import type { PipelineRecord } from '../../store/records.ts'
import type { ServerContext } from '../context.ts'
import { invalid, notFound } from '../http/answers.ts'
import { MAX_FILES, MAX_ID, MAX_JSON_FIELD } from '../http/limits.ts'
import { perMinute, UNCHECKED } from '../http/route-options.ts'
import { checkSteps, parseDefinition, pipelineTools, stepsOf, withoutUnknown } from '../jobs/pipeline-request.ts'
import { startJob } from '../jobs/start-job.ts'
import { asJobFile, checkFiles, clientJobId } from '../jobs/submission.ts'
import { operation } from '../openapi/operations.ts'
import { DONE, exactly, listOf, text, the } from '../openapi/shapes.ts'
import { receiveForm } from '../uploads/multipart.ts'
import { type WorkFolder, workFolder } from '../uploads/work-folder.ts'
import { answerBatch, batchForm } from './batch.ts'
import { answerJob } from './tools.ts'

const WAIT_MS = 10 * 60_000
/** Most pipelines that one user can save. */
const MAX_KEPT = 200
/** Most steps of a saved pipeline; the operator's MAX_PIPELINE_STEPS limits how many run. */
const MAX_STEPS = 1000
/** Longest saved definition, as JSON in characters: all definitions share one file. */
const MAX_LENGTH = 65_536

const FORM = {
  type: 'object',
  required: ['file', 'pipeline'],
  properties: {
    file: { type: 'array', maxItems: MAX_FILES, items: { type: 'string', format: 'binary' } },
    pipeline: {
      type: 'string',
      maxLength: MAX_JSON_FIELD,
      examples: ['{"steps":[{"toolId":"resize","settings":{"width":800}}]}'],
      description: 'JSON: {"steps": [{"toolId": "resize", "settings": {"width": 800}}]}',
    },
    clientJobId: { type: 'string', maxLength: MAX_ID },
  },
}

const DEFINITION = {
  type: 'object',
  examples: [{ name: 'small', steps: [{ toolId: 'resize', settings: { width: 800 } }] }],
  required: ['name', 'steps'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', maxLength: 500 },
    steps: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_STEPS,
      items: {
        type: 'object',
        required: ['toolId'],
        properties: { toolId: { type: 'string', maxLength: 100 }, settings: { type: 'object' } },
      },
    },
  },
}

async function execute(context: ServerContext, request: FastifyRequest, reply: FastifyReply, isBatch: boolean) {
  const work = await workFolder(context, request)
  const { form, chosen } = isBatch ? await batchForm(context, request, work) : await singleForm(context, request, work)
  if (form.files.length === 0 || (form.files.length === 1 && firstOf(form.files).bytes === 0 && !isBatch))
    throw new MediaprocError('NO_FILE', 'No file was sent')
  const steps = stepsOf(parseDefinition(form.fields.pipeline), context.config.maxPipelineSteps)
  const checked = await checkSteps(context, request.caller, steps)
  const isMany = isBatch || form.files.length > 1
  if (isMany && !isBatch) await context.jobs.checkUnused(request.caller, chosen)
  if (!isMany) await checkFiles(checked.first, { inputs: form.files, secondary: {} })
  await checked.checkInstalled()
  const job = {
    id: work.id,
    clientJobId: chosen,
    type: isMany ? ('batch' as const) : ('pipeline' as const),
    toolId: null,
    task: {
      kind: 'pipeline' as const,
      target: '',
      settings: {},
      steps: checked.steps,
      inputs: form.files.map(asJobFile),
      secondary: {},
      timeoutS: checked.timeoutS,
      heavy: checked.heavy,
    },
  }
  const record = await startJob(context, request, job, { isAwaited: !isMany })
  return isMany ? answerBatch(context, reply, record) : answerJob(context, reply, record, WAIT_MS)
}

async function singleForm({ config }: ServerContext, request: FastifyRequest, work: WorkFolder) {
  const form = await receiveForm(request, work, { fileBytes: config.maxUploadBytes, files: config.maxBatchSize })
  return { form, chosen: clientJobId(form.fields.clientJobId) }
}

function shown({ id, name, description, steps, createdAt }: PipelineRecord) {
  return { id, name, description, steps, createdAt }
}

const seesAll = ({ caller }: FastifyRequest): boolean => caller.permissions.has('pipelines:all')

export async function pipelineRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const use = 'tools:use' as const
  const own = 'pipelines:own' as const
  app.post(
    '/api/v1/pipeline/execute',
    {
      config: { access: use, rateLimit: perMinute(60) },
      ...operation('pipelines', 'Run steps on a file; several files are answered as a ZIP', {
        form: FORM,
        answer: the('Result'),
        mayWait: true,
      }),
      ...UNCHECKED,
    },
    (request, reply) => execute(context, request, reply, false),
  )
  app.post(
    '/api/v1/pipeline/batch',
    {
      config: { access: use, rateLimit: perMinute(20) },
      ...operation('pipelines', 'Run steps on many files', {
        form: FORM,
        content: 'application/zip',
        mayWait: true,
      }),
      ...UNCHECKED,
    },
    (request, reply) => execute(context, request, reply, true),
  )
  app.post<{ Body: { name: string; description?: string; steps: { toolId: string; settings?: object }[] } }>(
    '/api/v1/pipeline/save',
    {
      config: { access: own, rateLimit: perMinute(60), detailsAsList: true },
      ...operation('pipelines', 'Keep a pipeline', { body: DEFINITION, status: 201, answer: the('KeptPipeline') }),
    },
    async (request, reply) => {
      const { name, description } = request.body
      const steps = stepsOf(request.body, context.config.maxPipelineSteps)
      await checkSteps(context, request.caller, steps)
      const known = steps.map(withoutUnknown)
      if (JSON.stringify(known).length > MAX_LENGTH)
        throw invalid(`The steps are longer than ${MAX_LENGTH} characters as JSON`)
      const record = {
        id: randomUUID(),
        userId: request.caller.userId,
        name,
        description: description ?? null,
        steps: known,
        createdAt: new Date().toISOString(),
      }
      await context.store.transaction(async ({ pipelines }) => {
        if ((await pipelines.countOf(record.userId)) >= MAX_KEPT)
          throw invalid(`You keep ${MAX_KEPT} pipelines: delete one that is not used`)
        await pipelines.add(record)
      })
      return reply.code(201).send(shown(record))
    },
  )
  app.get(
    '/api/v1/pipeline/list',
    {
      config: { access: own, rateLimit: perMinute(300) },
      ...operation('pipelines', 'Kept pipelines', { answer: exactly({ pipelines: listOf(the('KeptPipeline')) }) }),
    },
    async (request) => {
      const all = seesAll(request)
      const pipelines = await context.store.pipelines.ofOwner(all ? undefined : request.caller.userId)
      return { pipelines: pipelines.map((one) => ({ ...shown(one), ...(all && { userId: one.userId }) })) }
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/api/v1/pipeline/:id',
    {
      config: { access: own, rateLimit: perMinute(60) },
      ...operation('pipelines', 'Delete a kept pipeline', { answer: DONE }),
    },
    async (request) => {
      const { pipelines } = context.store
      const pipeline = await pipelines.byId(request.params.id)
      if (!pipeline || (pipeline.userId !== request.caller.userId && !seesAll(request))) throw notFound()
      await pipelines.remove(pipeline.id)
      return { ok: true }
    },
  )
  app.get(
    '/api/v1/pipeline/tools',
    {
      config: { access: 'auth' },
      ...operation('pipelines', 'Tools that a pipeline may use', { answer: exactly({ toolIds: listOf(text) }) }),
    },
    async () => ({ toolIds: pipelineTools().map(({ id }) => id) }),
  )
}
