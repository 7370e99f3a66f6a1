import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authenticate } from '../../accounts/sign-in/authenticate.ts'
import { extensionOf } from '../../media/file.ts'
import type { JobRecord } from '../../store/job-record.ts'
import type { ServerContext } from '../context.ts'
import { invalid, notFound } from '../http/answers.ts'
import { credentialOf } from '../http/guard.ts'
import { sendBlob } from '../http/send-file.ts'
import { resultPlace } from '../jobs/results.ts'
import { isPast } from '../jobs/retention.ts'
import { maySee } from '../library/ownership.ts'
import { operation } from '../openapi/operations.ts'
import { storedType } from '../uploads/stored-type.ts'

/** Path parameters of a result. */
export interface ResultParams {
  jobId: string
  filename: string
}

/** Whether the caller may download a job's files; with DOWNLOAD_AUTH=capability the server's own id is enough. */
async function checkOwner(context: ServerContext, request: FastifyRequest, record: JobRecord | undefined) {
  const { config, accounts } = context
  if (record && config.downloadAuth === 'capability') return
  const caller = request.caller ?? (await authenticate(accounts, credentialOf(request)?.token ?? ''))
  if (!record || !caller.permissions.has('tools:use') || !maySee(caller, record)) throw notFound()
}

/** @throws VALIDATION_ERROR for names that are paths */
export function checkNames({ jobId, filename }: ResultParams): void {
  if (/[/\\\0]|^\.\.?$/.test(filename) || /[/\\\0]|\.\./.test(jobId)) throw invalid('The address is not valid')
}

/** Sends a result of a job that the caller may access. @throws NOT_FOUND when it no longer exists */
export async function sendResult(
  { store }: Pick<ServerContext, 'store'>,
  request: FastifyRequest,
  reply: FastifyReply,
  record: JobRecord,
  filename: string,
): Promise<FastifyReply> {
  const file = record.outputs.find(({ name }) => name === filename)
  // A resumable upload may be incomplete, or in parts.
  if (!file || record.upload || isPast(record)) throw notFound()
  const place = resultPlace(store, record.id, file)
  // An upload gets the type of its content; a tool's output gets the type that the tool declares.
  const sent =
    record.type === 'upload' && extensionOf(file.name) === 'svg'
      ? await place.blobs.borrow(place.key, (path) => storedType(path, file.name))
      : ''
  return sendBlob(request, reply, place, { name: file.name, ...(sent && { mime: sent }) })
}

export async function downloadRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const access = context.config.downloadAuth === 'capability' ? ('public' as const) : ('tools:use' as const)
  app.get(
    '/api/v1/download/:jobId/:filename',
    { config: { access }, ...operation('jobs', 'A result', { content: 'application/octet-stream' }) },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const params = request.params as ResultParams
      checkNames(params)
      // For an id chosen by a client, only that owner's files are searched.
      const record = await context.store.jobs.get(params.jobId)
      await checkOwner(context, request, record)
      return sendResult(context, request, reply, record!, params.filename)
    },
  )
}
