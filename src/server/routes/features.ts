import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import { MediaprocError } from '../../errors.ts'
import { zip } from '../../lists.ts'
import { type BundleState, bundleState, bundleStates, storeBytes } from '../../models/bundles.ts'
import { findBundle, TIERS, type Tier } from '../../models/manifest.ts'
import { MOST_BYTES } from '../../models/store/archive.ts'
import { importArchive } from '../../models/store/import-archive.ts'
import { readRecords } from '../../models/store/records.ts'
import { remove, removeAll } from '../../models/store/remove.ts'
import { bundlesOf, requirementsFor, toolsOf } from '../../tool/bundles.ts'
import { catalogue } from '../../tool/registry.ts'
import type { ServerContext } from '../context.ts'
import type { Asker } from '../features/installer.ts'
import { errorAnswer, notFound } from '../http/answers.ts'
import { perMinute, UNCHECKED } from '../http/route-options.ts'
import { audit } from '../instance/audit.ts'
import { operation } from '../openapi/operations.ts'
import { count, DONE, exactly, flag, listOf, text, the } from '../openapi/shapes.ts'
import { receiveForm } from '../uploads/multipart.ts'
import { workFolder } from '../uploads/work-folder.ts'

interface ByBundle {
  Params: { bundleId: string }
  Body: { tier?: Tier } | undefined
}
interface ByTool {
  Params: { toolId: string }
  Body: { tier?: Tier } | undefined
}

const FORM = { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } }
const TIER = {
  type: 'object',
  properties: {
    tier: { enum: [...TIERS], description: 'light: the least that makes the tools work; standard by default' },
  },
  example: { tier: 'light' },
}

const askerOf = ({ caller, ip }: FastifyRequest): Asker => ({ userId: caller.userId, username: caller.username, ip })

/** A bundle in the form of the API (http-api, section 20). */
function shown({ features }: ServerContext, state: BundleState, { permissions }: Caller): Record<string, unknown> {
  const { bundle, installed, version, estimatedSize, downloadBytes, installedBytes, incompatible } = state
  const { id, name, description } = bundle
  const job = features.jobOf(id)
  const failure = features.failureOf(id)
  const rest = failure !== undefined && !installed ? 'error' : installed ? 'installed' : 'not_installed'
  const status = job ? (job.isRunning ? 'installing' : 'queued') : rest
  return {
    ...{ id, name, description, status, installedVersion: version ?? null, estimatedSize, downloadBytes },
    installedBytes: installed ? installedBytes : null,
    enablesTools: toolsOf(id).map((tool) => tool.id),
    progress: !job
      ? null
      : {
          ...{ percent: job.record.percent, stage: job.record.stage ?? status },
          // Others can neither follow nor cancel the job.
          ...(permissions.has('features:manage') && { jobId: job.record.id }),
        },
    error: status === 'error' ? (failure ?? null) : null,
    compatibility: incompatible ? 'incompatible' : 'compatible',
    compatibilityReason: incompatible ?? null,
  }
}

/** Response to an install that this machine does not support: 409, while running the tool returns 501. */
function refusal({ incompatible }: BundleState): object {
  const fields = { compatibilityReason: incompatible }
  return errorAnswer(new MediaprocError('FEATURE_INCOMPATIBLE', undefined, { fields })).body
}

/** Whether a tier is installed; installing a higher tier over a lower one is allowed. */
const has = ({ installed, tier }: BundleState, wanted: Tier): boolean =>
  installed && (wanted === 'light' || tier === 'standard')

/** Installs the bundles of a tool, in the order in which the tool lists them. */
async function installForTool(context: ServerContext, request: FastifyRequest<ByTool>, reply: FastifyReply) {
  const { config, features } = context
  const tier = request.body?.tier ?? 'standard'
  const tool = catalogue().find(({ id }) => id === request.params.toolId)
  if (!tool || bundlesOf(tool).length === 0) throw notFound()
  const requirements = requirementsFor(`${tool.section}/${tool.id}`, tier)
  const states = await Promise.all(requirements.map(({ bundle }) => bundleState(bundle!, config.modelsFolder)))
  const hopeless = states.find((state) => state!.incompatible && !state!.installed)
  if (hopeless) return reply.code(409).send(refusal(hopeless))
  const bundles = []
  for (const [requirement, state] of zip(requirements, states)) {
    const bundleId = requirement.bundle!
    const isHere = state!.installed && !features.jobOf(bundleId)
    if (isHere) bundles.push({ bundleId, queued: false, skipped: true })
    else bundles.push({ bundleId, ...(await features.ask({ ...requirement, bundle: bundleId }, askerOf(request))) })
  }
  return reply.code(202).send({ bundles })
}

/** Installs the contents of an uploaded archive. */
async function importSent(context: ServerContext, request: FastifyRequest): Promise<object> {
  const work = await workFolder(context, request)
  const { files } = await receiveForm(request, work, { fileBytes: MOST_BYTES, files: 1 })
  const [file] = files
  if (!file || file.bytes === 0) throw new MediaprocError('NO_FILE', 'No file was sent')
  const { list } = await context.features.alone((signal) =>
    importArchive(file.path, context.config.modelsFolder, { signal, acceptLicence: true }),
  )
  await audit(context, request, 'FEATURE_INSTALLED', { target: { type: 'bundle', id: list.bundleId } })
  return { bundleId: list.bundleId, version: list.version }
}

/** Feature bundles: list, install and remove. */
export async function featureRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { config, features } = context
  const managed = (max: number) => ({ config: { access: 'features:manage' as const, rateLimit: perMinute(max) } })
  app.get(
    '/api/v1/features',
    {
      config: { access: 'auth', rateLimit: perMinute(300) },
      ...operation('instance', 'Feature bundles and their states', {
        answer: exactly({ bundles: listOf(the('Bundle')) }),
      }),
    },
    async ({ caller }) => ({
      bundles: (await bundleStates(config.modelsFolder)).map((state) => shown(context, state, caller)),
    }),
  )
  app.post<ByTool>(
    '/api/v1/admin/tools/:toolId/features/install',
    {
      ...managed(300),
      ...operation('instance', 'Install the bundles of a tool', {
        status: 202,
        body: TIER,
        answer: exactly({
          bundles: listOf(exactly({ bundleId: text, jobId: text, queued: flag, skipped: flag }, ['jobId', 'skipped'])),
        }),
      }),
    },
    (request, reply) => installForTool(context, request, reply),
  )
  app.post<ByBundle>(
    '/api/v1/admin/features/:bundleId/install',
    {
      ...managed(300),
      ...operation('instance', 'Install a bundle', {
        status: 202,
        body: TIER,
        answer: exactly({ jobId: text, queued: flag }),
      }),
    },
    async (request, reply) => {
      const { bundleId } = request.params
      const tier = request.body?.tier ?? 'standard'
      const state = await bundleState(bundleId, config.modelsFolder)
      if (!state) throw notFound()
      if (state.incompatible) return reply.code(409).send(refusal(state))
      if (has(state, tier) && !features.jobOf(bundleId))
        throw new MediaprocError('CONFLICT', 'The bundle is installed already')
      const asked = await features.ask({ bundle: bundleId, tier, models: state.bundle[tier] }, askerOf(request))
      return reply.code(202).send(asked)
    },
  )
  app.post<ByBundle>(
    '/api/v1/admin/features/:bundleId/uninstall',
    { ...managed(300), ...operation('instance', 'Remove a bundle', { answer: DONE }) },
    async (request) => {
      const { bundleId } = request.params
      if (!findBundle(bundleId)) throw notFound()
      await features.alone((stop) => remove([{ bundle: bundleId }], config.modelsFolder, { signal: stop }))
      await audit(context, request, 'FEATURE_UNINSTALLED', { target: { type: 'bundle', id: bundleId } })
      return { ok: true }
    },
  )
  app.get(
    '/api/v1/admin/features/disk-usage',
    {
      ...managed(300),
      ...operation('instance', 'Bytes of the installed bundles', {
        answer: exactly({ totalBytes: count, bundles: { type: 'object', additionalProperties: count } }),
      }),
    },
    async () => {
      const installed = (await readRecords(config.modelsFolder)).bundles
      const states = await bundleStates(config.modelsFolder)
      const own = states.filter(({ bundle }) => Object.hasOwn(installed, bundle.id))
      return {
        totalBytes: await storeBytes(config.modelsFolder),
        bundles: Object.fromEntries(own.map(({ bundle, installedBytes }) => [bundle.id, installedBytes])),
      }
    },
  )
  app.post(
    '/api/v1/admin/features/import',
    {
      ...managed(10),
      ...operation('instance', 'Install a bundle from an archive', {
        form: FORM,
        answer: exactly({ bundleId: { type: ['string', 'null'] }, version: text }),
      }),
      ...UNCHECKED,
    },
    (request) => importSent(context, request),
  )
  app.post(
    '/api/v1/admin/features/reset',
    { ...managed(10), ...operation('instance', 'Remove all bundles', { answer: DONE }) },
    async (request) => {
      await features.alone((stop) => removeAll(config.modelsFolder, { signal: stop }))
      features.forgetFailures()
      await audit(context, request, 'FEATURE_UNINSTALLED', { target: { type: 'bundle', id: null } })
      return { ok: true }
    },
  )
}
