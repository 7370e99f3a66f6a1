import type { FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import type { ServerContext } from '../context.ts'
import type { ReceivedForm } from './multipart.ts'
import { receiveInputs } from './receive-inputs.ts'
import { workFolder } from './work-folder.ts'

/**
 * The files of a form that are stored unchanged, in any number; empty parts are ignored.
 * @throws MediaprocError NO_FILE
 */
export async function receivedFiles(
  context: ServerContext,
  request: FastifyRequest,
): Promise<ReceivedForm & { id: string }> {
  const work = await workFolder(context, request)
  const form = await receiveInputs(context, request, work, { fileBytes: context.config.maxUploadBytes, files: 0 })
  const files = form.files.filter(({ bytes }) => bytes > 0)
  if (files.length === 0) throw new MediaprocError('NO_FILE', 'No file was sent')
  return { id: work.id, files, fields: form.fields }
}
