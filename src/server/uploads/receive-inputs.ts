import type { FastifyRequest } from 'fastify'
import type { ServerContext } from '../context.ts'
import { type FormLimits, type ReceivedForm, receiveForm } from './multipart.ts'
import { withSources } from './sources.ts'
import type { WorkFolder } from './work-folder.ts'

/**
 * Reads a form with files: those in its parts, and those on the server that its field `sources` names.
 * @throws MediaprocError those of `receiveForm` and `withSources`
 */
export async function receiveInputs(
  context: ServerContext,
  request: FastifyRequest,
  work: WorkFolder,
  limits: FormLimits,
): Promise<ReceivedForm> {
  return withSources(context, request.caller, await receiveForm(request, work, limits), work, limits)
}
