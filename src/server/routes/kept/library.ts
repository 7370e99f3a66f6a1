import type { FastifyInstance } from 'fastify'
import { safeFileName } from '../../../media/safe-file-name.ts'
import { LIBRARY_ORDERS } from '../../../store/store.ts'
import type { ServerContext } from '../../context.ts'
import { MAX_FIELD, MAX_SEARCH } from '../../http/limits.ts'
import { perMinute } from '../../http/route-options.ts'
import { renamed } from '../../library/versions.ts'
import { operation } from '../../openapi/operations.ts'
import { count, countOrNull, exactly, pageOf, the } from '../../openapi/shapes.ts'
import { shownItem, visibleItem } from '../library.ts'

interface LibraryList {
  search?: string
  extensions?: string
  sort: (typeof LIBRARY_ORDERS)[number]
  limit: number
  offset: number
}

interface ById {
  Params: { id: string }
}

/** The list of the library: its order, its names, and its size. */
export async function libraryListRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { library } = context.store
  const access = 'files:own' as const
  const reads = { access, rateLimit: perMinute(300) }
  const writes = { access, rateLimit: perMinute(60) }
  app.get<{ Querystring: LibraryList }>(
    '/api/v1/files',
    {
      config: reads,
      ...operation('library', 'Kept files, newest first by default', {
        query: {
          search: { type: 'string', maxLength: MAX_SEARCH },
          sort: { enum: LIBRARY_ORDERS, default: 'newest', description: 'by the last version of each file' },
          extensions: {
            ...{ type: 'string', maxLength: MAX_FIELD, pattern: '^[a-z0-9]+(,[a-z0-9]+)*$' },
            description: 'only files with one of these extensions: png,jpg',
          },
          limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
          offset: { type: 'integer', minimum: 0, default: 0 },
        },
        answer: pageOf('files', the('LibraryItem')),
      }),
    },
    async (request) => {
      const { limit, offset, search, extensions, sort: order } = request.query
      const filters = { ...(search && { search }), ...(extensions && { extensions: extensions.split(',') }) }
      const ownerId = request.caller.permissions.has('files:all') ? undefined : request.caller.userId
      const { items, total } = await library.list({ ownerId, order, limit, offset, ...filters })
      return { files: items.map(shownItem), total, limit, offset }
    },
  )
  app.get(
    '/api/v1/files/usage',
    {
      config: reads,
      ...operation('library', 'Bytes that the caller keeps, and the limits', {
        answer: exactly({
          ...{ usedBytes: count, limitBytes: countOrNull, teamUsedBytes: countOrNull, teamLimitBytes: countOrNull },
        }),
        description: 'A limit is null where none is set. Bytes of the team are those of all its members together.',
      }),
    },
    (request) => context.quota.usage(request.caller.userId),
  )
  app.patch<ById & { Body: { name: string } }>(
    '/api/v1/files/:id',
    {
      config: writes,
      ...operation('library', 'Rename a file; its extension stays', {
        body: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string', minLength: 1, maxLength: MAX_SEARCH } },
          examples: [{ name: 'cover' }],
        },
        answer: exactly({ file: the('LibraryItem') }),
      }),
    },
    async (request) => {
      const { id, originalName } = await visibleItem(context, request, request.params.id)
      const name = safeFileName(renamed(originalName, safeFileName(request.body.name)))
      return { file: shownItem(await library.rename(id, name)) }
    },
  )
}
