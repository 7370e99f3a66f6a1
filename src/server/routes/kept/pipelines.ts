import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PipelineRecord } from '../../../store/records.ts'
import type { ServerContext } from '../../context.ts'
import { invalid, notFound } from '../../http/answers.ts'
import { MAX_ID } from '../../http/limits.ts'
import { perMinute } from '../../http/route-options.ts'
import { checkSteps, type StepRequest, stepsOf, withoutUnknown } from '../../jobs/pipeline-request.ts'
import { operation } from '../../openapi/operations.ts'
import { DONE, exactly, listOf, the } from '../../openapi/shapes.ts'

/** Most pipelines that one user can save. */
const MAX_KEPT = 200
/** Most steps of a saved pipeline; the operator's MAX_PIPELINE_STEPS limits how many run. */
const MAX_STEPS = 1000
/** Longest saved definition, as JSON in characters: all definitions share one file. */
const MAX_LENGTH = 65_536

/** The steps of a JSON body. */
export const STEPS = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_STEPS,
  items: {
    type: 'object',
    required: ['toolId'],
    properties: { toolId: { type: 'string', maxLength: MAX_ID }, settings: { type: 'object' } },
  },
}

const FIELDS = {
  name: { type: 'string', minLength: 1, maxLength: 100 },
  description: { type: 'string', maxLength: 500 },
  steps: STEPS,
}

const DEFINITION = {
  type: 'object',
  examples: [{ name: 'small', steps: [{ toolId: 'resize', settings: { width: 800 } }] }],
  required: ['name', 'steps'],
  properties: FIELDS,
}

interface Definition {
  name: string
  description?: string
  steps: StepRequest[]
}

interface ById {
  Params: { id: string }
}

function shown({ id, name, description, steps, createdAt }: PipelineRecord) {
  return { id, name, description, steps, createdAt }
}

const seesAll = ({ caller }: FastifyRequest): boolean => caller.permissions.has('pipelines:all')

/** As the API shows it; with its owner for callers who see those of others. */
const shownTo = (request: FastifyRequest, pipeline: PipelineRecord) => ({
  ...shown(pipeline),
  ...(seesAll(request) && { userId: pipeline.userId }),
})

/** A pipeline that is visible to the caller. @throws NOT_FOUND otherwise */
function visible(request: FastifyRequest, pipeline: PipelineRecord | undefined): PipelineRecord {
  if (!pipeline || (pipeline.userId !== request.caller.userId && !seesAll(request))) throw notFound()
  return pipeline
}

/** Checks steps as they are stored. @throws MediaprocError as checkSteps, VALIDATION_ERROR for a definition that is too long */
async function checkedSteps(
  context: ServerContext,
  { caller }: FastifyRequest,
  definition: Pick<Definition, 'steps'>,
): Promise<StepRequest[]> {
  const steps = stepsOf(definition, context.config.maxPipelineSteps)
  await checkSteps(context, caller, steps)
  const known = steps.map(withoutUnknown)
  if (JSON.stringify(known).length > MAX_LENGTH)
    throw invalid(`The steps are longer than ${MAX_LENGTH} characters as JSON`)
  return known
}

/** The pipelines that users keep. */
export async function keptPipelineRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { store } = context
  const reads = { access: 'pipelines:own' as const, rateLimit: perMinute(300) }
  const writes = { access: 'pipelines:own' as const, rateLimit: perMinute(60), detailsAsList: true as const }
  app.post<{ Body: Definition }>(
    '/api/v1/pipeline/save',
    {
      config: writes,
      ...operation('pipelines', 'Keep a pipeline', { body: DEFINITION, status: 201, answer: the('KeptPipeline') }),
    },
    async (request, reply) => {
      const { name, description } = request.body
      const record = {
        ...{ id: randomUUID(), userId: request.caller.userId, name, description: description ?? null },
        steps: await checkedSteps(context, request, request.body),
        createdAt: new Date().toISOString(),
      }
      await store.transaction(async ({ pipelines }) => {
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
      config: reads,
      ...operation('pipelines', 'Kept pipelines', { answer: exactly({ pipelines: listOf(the('KeptPipeline')) }) }),
    },
    async (request) => {
      const pipelines = await store.pipelines.ofOwner(seesAll(request) ? undefined : request.caller.userId)
      return { pipelines: pipelines.map((one) => shownTo(request, one)) }
    },
  )
  app.get<ById>(
    '/api/v1/pipeline/:id',
    { config: reads, ...operation('pipelines', 'One kept pipeline', { answer: the('KeptPipeline') }) },
    async (request) => shownTo(request, visible(request, await store.pipelines.byId(request.params.id))),
  )
  app.patch<ById & { Body: Partial<Definition> }>(
    '/api/v1/pipeline/:id',
    {
      config: writes,
      ...operation('pipelines', 'Change the name, description or steps of a kept pipeline', {
        body: { type: 'object', properties: FIELDS, minProperties: 1, examples: [{ name: 'smaller' }] },
        answer: the('KeptPipeline'),
      }),
    },
    async (request) => {
      const { name, description, steps } = request.body
      const { id } = visible(request, await store.pipelines.byId(request.params.id))
      const known = steps && (await checkedSteps(context, request, { steps }))
      const changes = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
      const changed = await store.transaction(async ({ pipelines }) => {
        // It may have been deleted meanwhile.
        const record = { ...visible(request, await pipelines.byId(id)), ...changes, ...(known && { steps: known }) }
        await pipelines.add(record)
        return record
      })
      return shownTo(request, changed)
    },
  )
  app.delete<ById>(
    '/api/v1/pipeline/:id',
    { config: writes, ...operation('pipelines', 'Delete a kept pipeline', { answer: DONE }) },
    async (request) => {
      const { id } = visible(request, await store.pipelines.byId(request.params.id))
      await store.pipelines.remove(id)
      return { ok: true }
    },
  )
}
