import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import type { ServerContext } from '../context.ts'
import { MAX_FILES, MAX_ID, MAX_JSON_FIELD } from '../http/limits.ts'
import { perMinute, UNCHECKED } from '../http/route-options.ts'
import { explainSteps } from '../jobs/explain-steps.ts'
import { checkSteps, parseDefinition, pipelineTools, type StepRequest, stepsOf } from '../jobs/pipeline-request.ts'
import { startJob } from '../jobs/start-job.ts'
import { asJobFile, checkFiles, clientJobId } from '../jobs/submission.ts'
import { CALLBACK, OUTCOME, operation, SOURCES } from '../openapi/operations.ts'
import { exactly, listOf, text, the } from '../openapi/shapes.ts'
import { receiveInputs } from '../uploads/receive-inputs.ts'
import { type WorkFolder, workFolder } from '../uploads/work-folder.ts'
import { callbackOf } from '../webhooks/callback.ts'
import { answerBatch, batchForm } from './batch.ts'
import { STEPS } from './kept/pipelines.ts'
import { usableTools } from './tool-list.ts'
import { answerJob } from './tools.ts'

const WAIT_MS = 10 * 60_000
const EXAMPLE = { steps: [{ toolId: 'resize', settings: { width: 800 } }, { toolId: 'sharpening' }] }

const FORM = {
  type: 'object',
  required: ['pipeline'],
  properties: {
    file: { type: 'array', maxItems: MAX_FILES, items: { type: 'string', format: 'binary' } },
    sources: SOURCES,
    pipeline: {
      type: 'string',
      maxLength: MAX_JSON_FIELD,
      examples: ['{"steps":[{"toolId":"resize","settings":{"width":800}}]}'],
      description: 'JSON: {"steps": [{"toolId": "resize", "settings": {"width": 800}}]}',
    },
    clientJobId: { type: 'string', maxLength: MAX_ID },
    outcome: OUTCOME,
    callbackUrl: CALLBACK,
  },
}

async function execute(context: ServerContext, request: FastifyRequest, reply: FastifyReply, isBatch: boolean) {
  const work = await workFolder(context, request)
  const { form, chosen } = isBatch ? await batchForm(context, request, work) : await singleForm(context, request, work)
  if (form.files.length === 0 || (form.files.length === 1 && firstOf(form.files).bytes === 0 && !isBatch))
    throw new MediaprocError('NO_FILE', 'No file was sent')
  const callback = await callbackOf(context, request.caller, form.fields.callbackUrl)
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
      ...(form.fields.outcome === 'true' && { outcome: true as const }),
      ...callback,
    },
  }
  const waitMs = isMany ? 0 : WAIT_MS
  const record = await startJob(context, request, job, { waitMs })
  return isMany ? answerBatch(context, reply, record) : answerJob(context, reply, record, waitMs)
}

async function singleForm(context: ServerContext, request: FastifyRequest, work: WorkFolder) {
  const { config } = context
  const form = await receiveInputs(context, request, work, {
    fileBytes: config.maxUploadBytes,
    files: config.maxBatchSize,
  })
  return { form, chosen: clientJobId(form.fields.clientJobId) }
}

export async function pipelineRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const use = 'tools:use' as const
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
  app.post<{ Body: { steps: StepRequest[] } }>(
    '/api/v1/pipeline/explain',
    {
      config: { access: use, rateLimit: perMinute(300), detailsAsList: true },
      ...operation('pipelines', 'Explain what steps would do, with the faults of all of them', {
        body: { type: 'object', required: ['steps'], properties: { steps: STEPS }, examples: [EXAMPLE] },
        answer: the('ExplainedPipeline'),
        description: 'Nothing runs and no file is needed. Steps that run as one decode and encode once.',
      }),
    },
    async ({ caller, body }) => {
      const steps = stepsOf(body, context.config.maxPipelineSteps)
      return explainSteps(context, caller, steps, await usableTools(context, caller))
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
