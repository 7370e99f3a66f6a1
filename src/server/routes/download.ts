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

interface Params {
  jobId: string
  filename: string
}

/** Whether the caller may fetch files of a job; with DOWNLOAD_AUTH=capability the server's own id is enough. */
async function checkOwner(context: ServerContext, request: FastifyRequest, record: JobRecord | undefined) {
  const { config, accounts } = context
  if (record && config.downloadAuth === 'capability') return
  const caller = request.caller ?? (await authenticate(accounts, credentialOf(request)?.token ?? ''))
  if (!record || !caller.permissions.has('tools:use') || !maySee(caller, record)) throw notFound()
}

export async function downloadRoutes(app: FastifyInstance, context: ServerContext): Promise<void> {
  const access = context.config.downloadAuth === 'capability' ? ('public' as const) : ('tools:use' as const)
  app.get(
    '/api/v1/download/:jobId/:filename',
    { config: { access }, ...operation('jobs', 'A result', { content: 'application/octet-stream' }) },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { jobId, filename } = request.params as Params
      if (/[/\\\0]|^\.\.?$/.test(filename) || /[/\\\0]|\.\./.test(jobId)) throw invalid('The address is not valid')
      // Under an id that a client chose, only its owner's files are looked for.
      const record = await context.store.jobs.get(jobId)
      await checkOwner(context, request, record)
      const file = record!.outputs.find(({ name }) => name === filename)
      if (!file || isPast(record!)) throw notFound()
      const place = resultPlace(context.store, record!.id, file)
      // What a client sent is served as what it is; what our tools made, as what they call it.
      const sent =
        record!.type === 'upload' && extensionOf(file.name) === 'svg'
          ? await place.blobs.borrow(place.key, (path) => storedType(path, file.name))
          : ''
      return sendBlob(request, reply, place, { name: file.name, ...(sent && { mime: sent }) })
    },
  )
}
