import { rename } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { probeMedia, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../errors.ts'
import { lastOf, zip } from '../../../lists.ts'
import { extensionOf, openMediaFile } from '../../../media/file.ts'
import { beforeExtension, uniqueNames } from '../../../media/unique-names.ts'
import type { ServerContext } from '../../context.ts'
import { invalid } from '../../http/answers.ts'
import { MAX_FILES } from '../../http/limits.ts'
import { perMinute, UNCHECKED } from '../../http/route-options.ts'
import { sendFile } from '../../http/send-file.ts'
import { pictureSteps, playableSteps } from '../../library/previews.ts'
import { runOnce } from '../../library/run-ephemeral.ts'
import { pictureSize } from '../../library/versions.ts'
import { operation, SOURCES } from '../../openapi/operations.ts'
import { count, exactly, listOf, text } from '../../openapi/shapes.ts'
import type { ReceivedFile } from '../../uploads/multipart.ts'
import { receiveInputs } from '../../uploads/receive-inputs.ts'
import { receivedFiles } from '../../uploads/received-files.ts'
import { type WorkFolder, workFolder } from '../../uploads/work-folder.ts'
import { keepUploads } from '../../uploads/workspace-uploads.ts'

const FORM = { type: 'object', properties: { file: { type: 'string', format: 'binary' }, sources: SOURCES } }

/** The single file of a form, which is inspected and not stored. */
async function oneFile(
  context: ServerContext,
  request: FastifyRequest,
): Promise<{ file: ReceivedFile; work: WorkFolder }> {
  const work = await workFolder(context, request)
  const { files } = await receiveInputs(context, request, work, { fileBytes: context.config.maxUploadBytes, files: 1 })
  const [file] = files
  if (!file || file.bytes === 0) throw new MediaprocError('NO_FILE', 'No file was sent')
  return { file, work }
}

/** Runs steps on a file and sends the result, which is removed after the response. */
async function sendMade(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { file, work }: { file: ReceivedFile; work: WorkFolder },
  steps: Parameters<typeof runOnce>[3],
  name: string,
): Promise<FastifyReply> {
  const path = work.path('made')
  await runOnce(context, request.caller.userId, file, steps, (made) => rename(made.path, path))
  return sendFile(request, reply, { path, name })
}

async function preview(context: ServerContext, request: FastifyRequest, reply: FastifyReply) {
  const sent = await oneFile(context, request)
  const { path, name } = sent.file
  if ((await openMediaFile(path, name)).type.group !== 'image')
    throw new MediaprocError('INVALID_FILE', `${name} is no picture`)
  const { width, height } = await pictureSize(context.pool, request.caller.userId, path, name)
  if (width === null || height === null) throw new MediaprocError('DECODE_FAILED', `${name} cannot be decoded`)
  reply.headers({ 'x-original-width': width, 'x-original-height': height })
  return sendMade(context, request, reply, sent, pictureSteps(), 'preview.webp')
}

async function previewGenerate(context: ServerContext, request: FastifyRequest, reply: FastifyReply) {
  const sent = await oneFile(context, request)
  const steps = await playableSteps(await openMediaFile(sent.file.path, sent.file.name))
  if (!steps) throw invalid('Expected a video or audio file')
  const isVideo = lastOf(steps).toolId.startsWith('video/')
  const info = await probeMedia(sent.file.path)
  const { displayWidth, displayHeight } = videoStream(info) ?? {}
  // The preview is smaller and has only the beginning: positions and times refer to the original.
  reply.headers({
    ...(isVideo && { 'x-original-width': displayWidth, 'x-original-height': displayHeight }),
    ...(info.durationS !== undefined && { 'x-original-duration': info.durationS }),
  })
  return sendMade(context, request, reply, sent, steps, isVideo ? 'preview.mp4' : 'preview.mp3')
}

async function workspaceUpload(context: ServerContext, request: FastifyRequest) {
  const { id, files } = await receivedFiles(context, request)
  const names = uniqueNames(
    files.map(({ name }) => name),
    { repeat: beforeExtension('_') },
  )
  const kept = zip(files, names).map(([file, name]) => ({ ...file, name }))
  const formats = await Promise.all(
    kept.map(async ({ path, name }) => {
      const { type } = await openMediaFile(path, name)
      return type.group === 'image' ? type.id : extensionOf(name)
    }),
  )
  await keepUploads(context, request.caller, id, kept)
  return {
    jobId: id,
    files: kept.map(({ name, bytes }, index) => ({ name, size: bytes, format: formats[index] })),
  }
}

/** Uploads without a job, and previews of files that browsers cannot show. */
export async function uploadRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const many = {
    ...FORM,
    properties: { ...FORM.properties, file: { type: 'array', maxItems: MAX_FILES, items: FORM.properties.file } },
  }
  app.post(
    '/api/v1/upload',
    {
      config: { access: 'tools:use', rateLimit: perMinute(60) },
      ...operation('jobs', 'Put files into the workspace, to be downloaded again', {
        form: many,
        answer: exactly({
          jobId: text,
          files: listOf(exactly({ name: text, size: count, format: text })),
        }),
      }),
      ...UNCHECKED,
    },
    (request) => workspaceUpload(context, request),
  )
  app.post(
    '/api/v1/preview',
    {
      config: { access: 'tools:use' },
      ...operation('jobs', 'A picture as WebP of at most 1200 pixels', { form: FORM, content: 'image/webp' }),
      ...UNCHECKED,
    },
    (request, reply) => preview(context, request, reply),
  )
  app.post(
    '/api/v1/preview/generate',
    {
      config: { access: 'tools:use', rateLimit: perMinute(60) },
      ...operation('jobs', 'The beginning of a video or audio file', {
        ...{ form: FORM, content: 'video/mp4' },
        description:
          'X-Original-Width and X-Original-Height (pixels as displayed) and X-Original-Duration (seconds) are those of the whole file.',
      }),
      ...UNCHECKED,
    },
    (request, reply) => previewGenerate(context, request, reply),
  )
}
