import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../../errors.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import type { ServerContext } from '../../context.ts'
import { invalid } from '../../http/answers.ts'
import { MAX_IDS } from '../../http/limits.ts'
import { UNCHECKED } from '../../http/route-options.ts'
import { operation } from '../../openapi/operations.ts'
import { exactly, listOf, the } from '../../openapi/shapes.ts'
import { ArrivingBody } from '../../uploads/resumable/arriving-body.ts'
import { checkSha256, uploadsWith } from '../../uploads/resumable/checksum.ts'
import { UploadLocks } from '../../uploads/resumable/locks.ts'
import { isMetadata, MAX_METADATA, metadataOf } from '../../uploads/resumable/metadata.ts'
import {
  createUpload,
  offsetOf,
  ownUpload,
  receive,
  type UploadRecord,
  uploadsOf,
} from '../../uploads/resumable/upload.ts'
import { hasRoom, workFolder } from '../../uploads/work-folder.ts'

const VERSION = '1.0.0'
const EXTENSIONS = 'creation,expiration,termination'
/** Type of the body of PATCH. */
const BYTES = 'application/offset+octet-stream'
const PATH = '/api/v1/uploads'

type ById = FastifyRequest<{ Params: { uploadId: string } }>

/** The value of a header; undefined without one. */
const header = ({ headers }: FastifyRequest, name: string): string | undefined =>
  [headers[name]].flat().join() || undefined

/** @throws VALIDATION_ERROR for a header that is no whole number of bytes */
function bytesOf(request: FastifyRequest, name: string): number {
  const given = header(request, name.toLowerCase())
  const bytes = /^\d{1,16}$/.test(given ?? '') ? Number(given) : Number.NaN
  if (!Number.isSafeInteger(bytes)) throw invalid(`${name}: Expected a whole number of bytes`)
  return bytes
}

/** @throws TUS_VERSION */
function checkVersion(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('tus-resumable', VERSION)
  if (header(request, 'tus-resumable') === VERSION) return
  reply.header('tus-version', VERSION)
  throw new MediaprocError('TUS_VERSION')
}

/** The upload as records of the API show it. */
function shown(record: UploadRecord): Record<string, unknown> {
  const { id, upload, createdAt, expiresAt } = record
  return {
    uploadId: id,
    name: metadataOf(upload.metadata).name,
    size: upload.length,
    offset: offsetOf(record),
    createdAt,
    expiresAt,
    ...(upload.sha256 !== undefined && { sha256: upload.sha256 }),
  }
}

function setState(reply: FastifyReply, record: UploadRecord): FastifyReply {
  reply.header('upload-offset', offsetOf(record))
  if (record.expiresAt !== null) reply.header('upload-expires', new Date(record.expiresAt).toUTCString())
  return reply
}

async function create(context: ServerContext, request: FastifyRequest, reply: FastifyReply) {
  checkVersion(request, reply)
  const { maxUploadBytes } = context.config
  if (header(request, 'upload-defer-length') !== undefined)
    throw invalid('Upload-Defer-Length: the length must be known when an upload is created')
  const length = bytesOf(request, 'Upload-Length')
  if (maxUploadBytes > 0 && length > maxUploadBytes)
    throw limitExceeded(
      `The file is larger than the limit of ${maxUploadBytes / 1_000_000} MB`,
      { variable: 'MAX_UPLOAD_SIZE_MB' },
      'FILE_TOO_LARGE',
    )
  const metadata = header(request, 'upload-metadata') ?? ''
  if (!isMetadata(metadata))
    throw invalid(`Upload-Metadata: Expected pairs of a key and a Base64 value, of at most ${MAX_METADATA} characters`)
  const record = await createUpload(context, request.caller, await workFolder(context, request), { length, metadata })
  // Relative, because a proxy may serve the API below a prefix.
  return setState(reply, record).code(201).header('location', `uploads/${record.id}`).send(shown(record))
}

async function append(context: ServerContext, locks: UploadLocks, request: ById, reply: FastifyReply) {
  const { uploadId } = request.params
  const { upload } = await ownUpload(context, request.caller, uploadId)
  checkVersion(request, reply)
  if (!(request.body as Partial<Readable> | undefined)?.readable || header(request, 'content-type') !== BYTES)
    throw new MediaprocError('UNSUPPORTED_MEDIA_TYPE', `Expected a body of the type ${BYTES}`)
  const offset = bytesOf(request, 'Upload-Offset')
  const body = new ArrivingBody(request.body as Readable, Math.max(0, upload.length - offset))
  const record = await locks.run(
    uploadId,
    async () => {
      const begun = await ownUpload(context, request.caller, uploadId)
      if (offset !== offsetOf(begun))
        throw new MediaprocError('CONFLICT', `Expected Upload-Offset: ${offsetOf(begun)}, got ${offset}`)
      if (!(await hasRoom(context.config.workspaceFolder, context.config))) throw new MediaprocError('DISK_LOW')
      return checkSha256(context, await receive(context, begun, body))
    },
    () => body.interrupt(),
  )
  return setState(reply, record).code(204).send()
}

/** Resumable uploads by the tus protocol 1.0.0: the uploaded file is named in the field `sources` of a form. */
export async function resumableUploadRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  await app.register(async (scope) => {
    // The body stays a stream. Outside of this scope, every route refuses its type.
    scope.addContentTypeParser(BYTES, (_request, payload, done) => done(null, payload))
    addRoutes(scope, context)
  })
}

function addRoutes(app: FastifyInstance, context: ServerContext): void {
  const locks = new UploadLocks(context.store)
  const config = { access: 'tools:use' as const }
  app.get(
    PATH,
    { config, ...operation('jobs', 'Your resumable uploads', { answer: exactly({ uploads: listOf(the('Upload')) }) }) },
    async (request) => ({ uploads: (await uploadsOf(context, request.caller)).map(shown) }),
  )
  app.route({
    ...{ method: 'POST', url: PATH, config, ...UNCHECKED },
    ...operation('jobs', 'Create a resumable upload (tus 1.0.0)', {
      status: 201,
      answer: the('Upload'),
      description: USE,
    }),
    handler: (request, reply) => create(context, request, reply),
  })
  app.post<{ Body: { sha256: string[] } }>(
    `${PATH}/have`,
    {
      config,
      ...operation('jobs', 'Which files of these checksums you have uploaded', {
        body: HAVE,
        answer: exactly({ uploads: listOf(the('Upload')) }),
        description:
          'Only complete uploads of your own that announced `sha256` in Upload-Metadata, in hex; the server has verified it.',
      }),
    },
    async (request) => ({ uploads: (await uploadsWith(context, request.caller, request.body.sha256)).map(shown) }),
  )
  app.route<{ Params: { uploadId: string } }>({
    ...{ method: 'HEAD', url: `${PATH}/:uploadId`, config },
    ...operation('jobs', 'How far an upload has come (tus 1.0.0)', {
      description: 'The header Upload-Offset has the bytes that have arrived.',
    }),
    handler: async (request, reply) => {
      const { uploadId } = request.params
      await ownUpload(context, request.caller, uploadId)
      checkVersion(request, reply)
      // Ends a request whose connection is lost, so that the offset is final.
      const record = await locks.run(uploadId, () => ownUpload(context, request.caller, uploadId))
      const { length, metadata } = record.upload
      reply.headers({
        'upload-length': length,
        'cache-control': 'no-store',
        ...(metadata && { 'upload-metadata': metadata }),
      })
      return setState(reply, record).code(200).send()
    },
  })
  app.route<{ Params: { uploadId: string } }>({
    ...{ method: 'PATCH', url: `${PATH}/:uploadId`, config, ...UNCHECKED },
    ...operation('jobs', 'Send bytes of an upload (tus 1.0.0)', {
      status: 204,
      description: `The body has the type ${BYTES}.`,
    }),
    handler: (request, reply) => append(context, locks, request, reply),
  })
  app.route<{ Params: { uploadId: string } }>({
    ...{ method: 'DELETE', url: `${PATH}/:uploadId`, config },
    ...operation('jobs', 'Delete an upload (tus 1.0.0)', { status: 204 }),
    handler: async (request, reply) => {
      const { uploadId } = request.params
      await ownUpload(context, request.caller, uploadId)
      checkVersion(request, reply)
      await locks.run(uploadId, () => context.jobs.remove(uploadId))
      return reply.code(204).send()
    },
  })
  app.route({
    ...{ method: 'OPTIONS', url: PATH, config: { access: 'public' as const } },
    schema: { hide: true },
    handler: async (_request, reply) => {
      const { maxUploadBytes } = context.config
      reply.headers({ 'tus-resumable': VERSION, 'tus-version': VERSION, 'tus-extension': EXTENSIONS })
      if (maxUploadBytes > 0) reply.header('tus-max-size', maxUploadBytes)
      return reply.code(204).send()
    },
  })
}

const HAVE = {
  type: 'object',
  required: ['sha256'],
  properties: {
    sha256: { type: 'array', maxItems: MAX_IDS, items: { type: 'string', pattern: '^[0-9a-f]{64}$', maxLength: 64 } },
  },
}

const USE =
  'Headers: Tus-Resumable: 1.0.0, Upload-Length in bytes, Upload-Metadata with filename in Base64. Location has the address ' +
  'for PATCH. When all bytes have arrived, the field `sources` of a form takes the upload instead of a file.'
