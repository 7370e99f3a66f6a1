import { MediaprocError } from '../errors.ts'
import type { Runnable } from '../job/run.ts'
import type { FoundTool } from '../pipeline/read/find-tool.ts'
import type { Conversion } from '../pipeline/run/run-alone.ts'
import type { AnyJob, ToolResult } from '../tool/contract.ts'
import type { Connection } from './connection.ts'
import { ServerJob, type ServerResult } from './job.ts'
import { fetchResult, outcomeOf } from './results.ts'
import { settingsToSend } from './settings.ts'
import { type FormFile, formWith, type Uploads } from './uploads.ts'

/** A server and the files that it has for this run. */
export interface Remote {
  connection: Connection
  uploads: Uploads
}

/** A step of a pipeline as the server takes it. */
export interface SentStep {
  toolId: string
  settings: Record<string, unknown>
}

/** Sends a job with its files. If the server has lost an upload meanwhile, the files are sent again. */
export async function sendJob(
  { connection, uploads }: Remote,
  path: string,
  { files, fields, job }: { files: readonly FormFile[]; fields: Record<string, string>; job: AnyJob },
): Promise<ServerResult> {
  const run = (isFresh: boolean): Promise<ServerResult> =>
    new ServerJob(connection, job).run(path, async () => {
      const form = await formWith(files, (file) => uploads.send(file, job.signal, isFresh))
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      return form
    })
  try {
    return await run(false)
  } catch (error) {
    const isLost = error instanceof MediaprocError && error.code === 'NOT_FOUND' && error.message.startsWith('sources.')
    if (!isLost) throw error
    return run(true)
  }
}

/** The field `pipeline` of a form. */
export const definitionOf = (steps: readonly SentStep[]): string => JSON.stringify({ steps })

export const PIPELINE_PATH = '/api/v1/pipeline/execute'

const inputsOf = ({ inputs }: AnyJob): FormFile[] => inputs.map((file) => ({ field: 'file', file }))

/** How the server is asked to run a tool, or a tool and the conversion of its output. */
async function requestFor(
  { tool, action, entry }: FoundTool,
  job: AnyJob,
  settings: Record<string, unknown>,
  conversion: Conversion | undefined,
): Promise<{ path: string; fields: Record<string, string> }> {
  const own = settingsToSend(entry, settings)
  const last = job.inputs[0] && (await conversion?.(job.inputs[0].type.extensions[0] ?? job.inputs[0].type.id))
  if (!last && (action || tool.overHttp === undefined)) {
    const path = ['/api/v1/tools', tool.section, tool.id, ...(action ? [action.id] : [])].join('/')
    return { path, fields: { settings: JSON.stringify(own) } }
  }
  if (Object.keys(job.secondary).length > 0)
    throw new MediaprocError('USAGE', `${entry.section}/${entry.id} cannot use additional files this way on a server`, {
      hint: { shell: 'Run it in two commands: the tool, then mediaproc convert.' },
    })
  // Only a pipeline runs the whole of a tool that works in several requests, or a conversion after a tool.
  const steps: SentStep[] = [{ toolId: tool.id, settings: own }]
  if (last) steps.push({ toolId: last.tool.id, settings: settingsToSend(last.tool, last.settings) })
  return { path: PIPELINE_PATH, fields: { pipeline: definitionOf(steps) } }
}

/** A tool whose jobs run on a server. Its time limit is the server's, which does not count the time in the queue. */
export function remoteTool(
  remote: Remote,
  found: FoundTool,
  { id, section, input }: Runnable,
  conversion: Conversion | undefined,
): Runnable {
  const run = async (job: AnyJob, settings: Record<string, unknown>): Promise<ToolResult> => {
    if (found.entry.fromJob)
      throw new MediaprocError('USAGE', `${section}/${id} continues an earlier job, which --server does not support`, {
        hint: { shell: 'Run it without --server.' },
      })
    const { path, fields } = await requestFor(found, job, settings, conversion)
    const further = Object.entries(job.secondary).map(([field, file]) => ({ field, file }))
    const result = await sendJob(remote, path, { files: [...inputsOf(job), ...further], fields, job })
    const { warnings, ...outcome } = outcomeOf(result, remote.connection.address)
    for (const { message, manner } of warnings) job.warn(message, manner)
    return fetchResult(remote.connection, result, outcome, job)
  }
  return { id, section, input, timeoutS: Number.POSITIVE_INFINITY, run }
}
