import { createHash, timingSafeEqual } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { allEngines } from '../../engines/index.ts'
import { zip } from '../../lists.ts'
import { packageVersion } from '../../root.ts'
import { LOG_LEVELS, type LogLevel } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { invalid } from '../http/answers.ts'
import { MAX_ID } from '../http/limits.ts'
import { supportBundle } from '../instance/support-bundle.ts'
import { usage } from '../instance/usage.ts'
import { operation } from '../openapi/operations.ts'
import { exactly, INSTANCE_STATE, USAGE } from '../openapi/shapes.ts'
import { hasRoom } from '../uploads/work-folder.ts'

const LEVEL = exactly({ level: { enum: LOG_LEVELS } })

/** How long the engine versions are cached, in milliseconds: reading them starts programs. */
const ENGINES_MS = 60_000

type EngineStates = Record<string, { available: boolean; version: string | null }>

let asked: { at: number; states: Promise<EngineStates> } | undefined

async function askEngines(): Promise<EngineStates> {
  const engines = await allEngines()
  const states = await Promise.all(engines.map((engine) => engine.probe()))
  return Object.fromEntries(
    zip(engines, states).map(([{ id }, { available, version = null }]) => [id, { available, version }]),
  )
}

function engineStates(): Promise<EngineStates> {
  if (!asked || Date.now() - asked.at > ENGINES_MS) asked = { at: Date.now(), states: askEngines() }
  return asked.states
}

async function adminHealth({ config, store, pool }: ServerContext): Promise<Record<string, unknown>> {
  const [isWritable, room, { bavail, bsize }] = await Promise.all([
    store.ping(),
    hasRoom(config.workspaceFolder, config),
    statfs(config.libraryFolder),
  ])
  return {
    status: isWritable && room ? 'healthy' : 'degraded',
    version: packageVersion(),
    uptime: `${Math.floor(process.uptime())}s`,
    storage: { mode: config.cluster?.contents.kind === 's3' ? 's3' : 'local', available: bavail * bsize },
    database: isWritable ? 'ok' : 'error',
    queue: { active: pool.active, pending: pool.pending },
    pools: { jobs: pool.stats() },
    libraryStorage: 'local',
    lastBackup: null,
    // Models come with their bundles; this version has none.
    ai: { gpu: false, dispatcher: null },
    enterprise: { active: false },
    engines: await engineStates(),
  }
}

/** State of the server, for operators. */
export async function adminRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { config, log, metrics, pool, jobs, store } = context
  metrics.watch('queue_active', 'Jobs that run', () => pool.active)
  metrics.watch('queue_pending', 'Jobs that wait', () => pool.pending)
  metrics.watch('jobs_open', 'Jobs that are not over', () => jobs.activeCount())
  metrics.watch('workspace_bytes', 'Uploads and results', () => store.workspace.totalBytes)
  metrics.watch('library_bytes', 'Contents of the file library', async () => (await store.library.totals()).bytes)
  app.addHook('onResponse', async (request, reply) => metrics.answered(request.method, reply.statusCode))

  const health = { config: { access: 'system:health' as const } }
  app.get(
    '/api/v1/admin/health',
    { ...health, ...operation('instance', 'The instance in detail', { answer: INSTANCE_STATE }) },
    () => adminHealth(context),
  )
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const wanted = digest(`Bearer ${config.metricsToken}`)
  const hasToken = (header = ''): boolean => config.metricsToken !== '' && timingSafeEqual(digest(header), wanted)
  app.get(
    '/api/v1/metrics',
    {
      config: { ...health.config, withToken: hasToken },
      ...operation('instance', 'Metrics for Prometheus', { content: 'text/plain' }),
    },
    async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
  app.get(
    '/api/v1/admin/support-bundle',
    { ...health, ...operation('instance', 'What a bug report needs', { content: 'application/zip' }) },
    async (_request, reply) => supportBundle(context, reply, await adminHealth(context)),
  )
  const write = { config: { access: 'settings:write' as const } }
  app.get(
    '/api/v1/admin/log-level',
    { ...write, ...operation('instance', 'How much is logged', { answer: LEVEL }) },
    async () => ({
      level: log.level,
    }),
  )
  app.post<{ Body: { level?: string } }>(
    '/api/v1/admin/log-level',
    {
      ...write,
      ...operation('instance', 'Log more or less, until the next start', {
        body: {
          type: 'object',
          properties: { level: { type: 'string', maxLength: MAX_ID, description: `one of ${LOG_LEVELS.join(', ')}` } },
          examples: [{ level: 'debug' }],
        },
        answer: LEVEL,
      }),
    },
    async ({ body }) => {
      if (!LOG_LEVELS.includes(body.level as LogLevel)) throw invalid(`level: Expected ${LOG_LEVELS.join(', ')}`)
      log.level = body.level!
      return { level: log.level }
    },
  )
  app.get<{ Querystring: { days: number } }>(
    '/api/v1/admin/usage',
    {
      config: { access: 'audit:read' },
      ...operation('instance', 'Jobs, tools and users of the last days', {
        query: { days: { type: 'integer', minimum: 1, maximum: 365, default: 30 } },
        answer: USAGE,
      }),
    },
    async ({ query }) => usage(store, query.days),
  )
}
