import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mapConcurrently } from '../../concurrency.ts'
import { MediaprocError } from '../../errors.ts'
import { zip } from '../../lists.ts'
import { openMediaFile } from '../../media/file.ts'
import { lengthened } from '../../store/library-rules.ts'
import type { LibraryItem } from '../../store/records.ts'
import type { ServerContext } from '../context.ts'
import { invalid, notFound } from '../http/answers.ts'
import { MAX_FILES, MAX_ID, MAX_IDS } from '../http/limits.ts'
import { perMinute, UNCHECKED } from '../http/route-options.ts'
import { sendBlob } from '../http/send-file.ts'
import { audit } from '../instance/audit.ts'
import { requireOwner } from '../jobs/require-owner.ts'
import { maySee } from '../library/ownership.ts'
import { derivedFile } from '../library/preview-cache.ts'
import { pictureSize, versionName } from '../library/versions.ts'
import { operation, SOURCES } from '../openapi/operations.ts'
import { count, exactly, listOf, the } from '../openapi/shapes.ts'
import type { ReceivedFile } from '../uploads/multipart.ts'
import { receivedFiles } from '../uploads/received-files.ts'
import { storedType } from '../uploads/stored-type.ts'

/** Longest tool id that is stored with a file. */
const MAX_TOOL_ID = 100
/** Files of one upload that are inspected concurrently. */
const MAX_LOOKS = 4

const FILES = {
  type: 'object',
  properties: {
    file: { type: 'array', maxItems: MAX_FILES, items: { type: 'string', format: 'binary' } },
    sources: SOURCES,
    toolId: { type: 'string', maxLength: MAX_TOOL_ID, description: 'the tool that made the file' },
  },
}

interface ById {
  Params: { id: string }
}

/** An item in the form of the API. */
export function shownItem(item: LibraryItem): Record<string, unknown> {
  const { id, originalName, mimeType, size, width, height, version, parentId, toolChain, createdAt } = item
  return { id, originalName, mimeType, size, width, height, version, parentId, toolChain, createdAt }
}

const ownerOf = ({ caller }: FastifyRequest): string => caller.userId

/** Returns an item that is visible to the caller. @throws NOT_FOUND otherwise */
export async function visibleItem({ store }: ServerContext, request: FastifyRequest, id: string): Promise<LibraryItem> {
  const item = await store.library.get(id)
  if (!item || !maySee(request.caller, item)) throw notFound()
  return item
}

/** Reads the files of a form after a quota check; empty parts are ignored. */
async function received(context: ServerContext, request: FastifyRequest) {
  await context.quota.check(ownerOf(request))
  const form = await receivedFiles(context, request)
  if ((form.fields.toolId?.length ?? 0) > MAX_TOOL_ID) throw invalid(`toolId: longer than ${MAX_TOOL_ID} characters`)
  return form
}

/** Stored metadata of an upload. */
async function facts({ pool }: ServerContext, request: FastifyRequest, { path, name }: ReceivedFile) {
  return { mimeType: await storedType(path, name), ...(await pictureSize(pool, ownerOf(request), path, name)) }
}

async function upload(context: ServerContext, request: FastifyRequest, reply: FastifyReply) {
  const { files, fields } = await received(context, request)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const room = await context.quota.reserve(ownerOf(request), total)
  const toolChain = fields.toolId ? [fields.toolId] : []
  const items: LibraryItem[] = []
  try {
    const about = await mapConcurrently(files, MAX_LOOKS, (file) => facts(context, request, file))
    for (const [file, known] of zip(files, about)) {
      const common = { ownerId: ownerOf(request), parentId: null, originalName: file.name, toolChain, version: 1 }
      items.push(await context.store.library.add({ ...common, ...known }, file.path, 'move'))
      await room.stored(file.bytes)
    }
    // The items added so far are removed below.
    await requireOwner(context.store, ownerOf(request), async () => undefined)
  } catch (error) {
    // All or nothing: the files stored before the failure are removed again.
    await context.store.library.deleteChains(
      items.map(({ id }) => id),
      () => true,
    )
    throw error
  } finally {
    await room.release()
  }
  await audit(context, request, 'FILE_UPLOADED', { details: { ids: items.map(({ id }) => id) } })
  return reply.code(201).send({ files: items.map(shownItem) })
}

async function saveResult(context: ServerContext, request: FastifyRequest, reply: FastifyReply) {
  const { files, fields } = await received(context, request)
  if (!fields.parentId) throw invalid('parentId: the item that the file is a new version of is missing')
  const parent = await visibleItem(context, request, fields.parentId)
  const [file] = files as [ReceivedFile]
  const room = await context.quota.reserve(parent.ownerId, file.bytes)
  const version = {
    ...{ ownerId: parent.ownerId, parentId: parent.id, version: parent.version + 1 },
    originalName: versionName(parent.originalName, file.name),
    toolChain: fields.toolId ? lengthened(parent.toolChain, fields.toolId) : parent.toolChain,
  }
  const item = await facts(context, request, file)
    .then((about) => context.store.library.add({ ...version, ...about }, file.path, 'move'))
    .finally(() => room.release())
  await requireOwner(context.store, parent.ownerId, () => context.store.library.deleteOwner(parent.ownerId ?? ''))
  return reply.code(201).send({ file: shownItem(item) })
}

async function sendThumbnail(context: ServerContext, request: FastifyRequest, reply: FastifyReply, id: string) {
  const place = await derivedFile(context, ownerOf(request), await visibleItem(context, request, id), 'thumbnail')
  const { type } = await place.blobs.borrow(place.key, (path) => openMediaFile(path, 'thumbnail'))
  const name = `thumbnail.${type.extensions[0]}`
  return sendBlob(request, reply, place, { name, cache: 'private, max-age=86400, immutable' })
}

async function sendPreview(context: ServerContext, request: FastifyRequest, reply: FastifyReply, id: string) {
  if (!/^[A-Za-z0-9_-]+$/.test(id)) throw invalid('The id is not valid')
  const item = await visibleItem(context, request, id)
  const place = await context.store.library.content(id)
  const { type } = await place.blobs.borrow(place.key, (path) => openMediaFile(path, item.originalName))
  if (type.group === 'pdf') return sendBlob(request, reply, place, { name: 'preview.pdf' })
  if (type.group === 'office')
    throw new MediaprocError('ENGINE_UNAVAILABLE', 'Office documents cannot be previewed here', {
      hint: '',
      fields: { engine: 'libreoffice' },
    })
  const made = await derivedFile(context, ownerOf(request), item, 'preview')
  const about = await made.blobs.borrow(made.key, (path) => openMediaFile(path, 'preview'))
  return sendBlob(request, reply, made, { name: about.type.group === 'video' ? 'preview.mp4' : 'preview.mp3' })
}

/** The file library: a user's stored files with their versions. */
export async function libraryRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const { library } = context.store
  const access = 'files:own' as const
  const reads = { config: { access, rateLimit: perMinute(300) } }
  const writes = { config: { access, rateLimit: perMinute(60) } }
  app.post(
    '/api/v1/files/upload',
    {
      ...writes,
      ...operation('library', 'Keep files; all or nothing', {
        form: FILES,
        status: 201,
        answer: exactly({ files: listOf(the('LibraryItem')) }),
      }),
      ...UNCHECKED,
    },
    (request, reply) => upload(context, request, reply),
  )
  app.post(
    '/api/v1/files/save-result',
    {
      ...writes,
      ...operation('library', 'Keep a file as the next version of an item', {
        form: { ...FILES, properties: { ...FILES.properties, parentId: { type: 'string', maxLength: MAX_ID } } },
        status: 201,
        answer: exactly({ file: the('LibraryItem') }),
      }),
      ...UNCHECKED,
    },
    (request, reply) => saveResult(context, request, reply),
  )
  app.get<ById>(
    '/api/v1/files/:id',
    {
      ...reads,
      ...operation('library', 'One file and its versions', {
        answer: exactly({ file: the('LibraryItem'), versions: listOf(the('LibraryItem')) }),
      }),
    },
    async (request) => ({
      file: shownItem(await visibleItem(context, request, request.params.id)),
      versions: (await library.versions(request.params.id)).map(shownItem),
    }),
  )
  app.get<ById>(
    '/api/v1/files/:id/download',
    { ...reads, ...operation('library', 'The bytes of a file', { content: 'application/octet-stream' }) },
    async (request, reply) => {
      const item = await visibleItem(context, request, request.params.id)
      return sendBlob(request, reply, await library.content(item.id), { name: item.originalName, mime: item.mimeType })
    },
  )
  app.get<ById>(
    '/api/v1/files/:id/thumbnail',
    { ...reads, ...operation('library', 'A small picture of a file', { content: 'image/jpeg' }) },
    (request, reply) => sendThumbnail(context, request, reply, request.params.id),
  )
  app.get<ById>(
    '/api/v1/files/:id/preview',
    { ...writes, ...operation('library', 'The beginning of a video or audio file', { content: 'video/mp4' }) },
    (request, reply) => sendPreview(context, request, reply, request.params.id),
  )
  app.delete<{ Body: { ids: string[] } }>(
    '/api/v1/files',
    {
      ...writes,
      ...operation('library', 'Delete files with all their versions', {
        body: {
          type: 'object',
          required: ['ids'],
          properties: {
            ids: { type: 'array', minItems: 1, maxItems: MAX_IDS, items: { type: 'string', maxLength: MAX_ID } },
          },
          examples: [{ ids: ['0b6f4e9c-5d0e-4c43-8f0b-6d3f0c0a7a11'] }],
        },
        answer: exactly({ deleted: count }),
      }),
    },
    async (request) => {
      const deleted = await library.deleteChains(request.body.ids, (item) => maySee(request.caller, item))
      // Logs only removed items: unknown ids are client text and could fill the log.
      const details = { ids: deleted.slice(0, MAX_IDS), deleted: deleted.length }
      if (deleted.length > 0) await audit(context, request, 'FILE_DELETED', { details })
      return { deleted: deleted.length }
    },
  )
}
