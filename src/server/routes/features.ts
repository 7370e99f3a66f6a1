import type { FastifyInstance } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { bytesOf } from '../../models/bundles.ts'
import { allBundles } from '../../models/manifest.ts'
import { catalogue } from '../../tool/registry.ts'
import { readableSize } from '../../wording.ts'
import { notFound } from '../answer.ts'
import { operation } from '../openapi/operations.ts'
import { count, DONE, exactly, flag, listOf, text, the } from '../openapi/shapes.ts'

const noBackEnd = (): MediaprocError =>
  new MediaprocError('ENGINE_UNAVAILABLE', 'This version has no model back end', { fields: { engine: 'onnxruntime' } })

/** The tools that a bundle is for, as they declare it themselves. */
const toolsOf = (bundle: string): string[] =>
  catalogue()
    .filter(({ bundles, bundlesFor = {} }) => bundles.includes(bundle) || Object.hasOwn(bundlesFor, bundle))
    .map(({ id }) => id)

interface ByBundle {
  Params: { bundleId: string }
}

/** The feature bundles. This version runs no models: they are listed, and cannot be installed. */
export async function featureRoutes(app: FastifyInstance): Promise<void> {
  const managed = { config: { access: 'features:manage' as const } }
  const find = (id: string): void => {
    if (!allBundles().some((bundle) => bundle.id === id)) throw notFound()
  }
  app.get(
    '/api/v1/features',
    {
      config: { access: 'auth' },
      ...operation('instance', 'Feature bundles and their states', {
        answer: exactly({ bundles: listOf(the('Bundle')) }),
      }),
    },
    async () => ({
      bundles: allBundles().map(({ id, name, description, standard }) => ({
        ...{ id, name, description, status: 'not_installed', installedVersion: null },
        estimatedSize: readableSize(bytesOf(standard)),
        ...{ downloadBytes: null, installedBytes: null, enablesTools: toolsOf(id), progress: null, error: null },
      })),
    }),
  )
  app.post<{ Params: { toolId: string } }>(
    '/api/v1/admin/tools/:toolId/features/install',
    {
      ...managed,
      ...operation('instance', 'Install the bundles of a tool', {
        status: 202,
        answer: exactly({
          bundles: listOf(exactly({ bundleId: text, jobId: text, queued: flag, skipped: flag }, ['jobId', 'skipped'])),
        }),
      }),
    },
    async ({ params }) => {
      if (!allBundles().some(({ id }) => toolsOf(id).includes(params.toolId))) throw notFound()
      throw noBackEnd()
    },
  )
  app.post<ByBundle>(
    '/api/v1/admin/features/:bundleId/install',
    {
      ...managed,
      ...operation('instance', 'Install a bundle', {
        status: 202,
        answer: exactly({ jobId: text, queued: flag }),
      }),
    },
    async ({ params }) => {
      find(params.bundleId)
      throw noBackEnd()
    },
  )
  app.post<ByBundle>(
    '/api/v1/admin/features/:bundleId/uninstall',
    { ...managed, ...operation('instance', 'Remove a bundle', { answer: DONE }) },
    async ({ params }) => {
      find(params.bundleId)
      throw new MediaprocError('CONFLICT', 'The bundle is not installed')
    },
  )
  app.get(
    '/api/v1/admin/features/disk-usage',
    {
      ...managed,
      ...operation('instance', 'Bytes of the installed bundles', {
        answer: exactly({ totalBytes: count, bundles: { type: 'object', additionalProperties: count } }),
      }),
    },
    async () => ({ totalBytes: 0, bundles: {} }),
  )
}
