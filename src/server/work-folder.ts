import { statfs } from 'node:fs/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaprocError } from '../errors.ts'
import type { ServerConfig } from './config.ts'
import type { ServerContext } from './context.ts'

/** How long a look at the disk counts, milliseconds. */
const LOOK_EVERY_MS = 2000

/** The last look at each folder's disk. */
const looks = new Map<string, { at: number; free: number }>()

/** Free bytes where a folder is, at most two seconds old. */
export async function freeBytes(path: string): Promise<number> {
  const last = looks.get(path)
  if (last && Date.now() - last.at < LOOK_EVERY_MS) return last.free
  const { bavail, bsize } = await statfs(path)
  const free = bavail * bsize
  looks.set(path, { at: Date.now(), free })
  return free
}

/** Whether the disk of a folder has the room that work needs. */
export const hasRoom = async (path: string, { leastFreeBytes }: ServerConfig): Promise<boolean> =>
  (await freeBytes(path)) >= leastFreeBytes

/**
 * The folder in the workspace that a request's files go into, made before the body is read.
 * @throws MediaprocError SHUTTING_DOWN, workspace-cap, DISK_LOW
 */
export async function workFolder(
  { records, config, shutdown }: ServerContext,
  request: FastifyRequest,
): Promise<{ id: string; folder: string }> {
  if (shutdown.begun) throw new MediaprocError('SHUTTING_DOWN')
  const announced = Number(request.headers['content-length'] ?? 0)
  if (config.workspaceBytes > 0 && records.totalBytes + announced > config.workspaceBytes)
    throw new MediaprocError('workspace-cap')
  if (!(await hasRoom(config.workspaceFolder, config))) throw new MediaprocError('DISK_LOW')
  const made = await records.begin()
  request.workFolder = made.id
  return made
}

/** Folders of requests that came to nothing are removed when the answer is out. */
export function addWorkFolders(app: FastifyInstance, { records, log }: ServerContext): void {
  app.decorateRequest('workFolder', undefined)
  const tidy = async (request: FastifyRequest): Promise<void> => {
    const id = request.workFolder
    if (id === undefined || records.get(id)) return
    request.workFolder = undefined
    await records.remove(id).catch((error: unknown) => log.warn({ err: error }, 'a work folder stayed'))
  }
  // The handler is done now. onResponse would not come where the client went away before the answer, and removing the
  // folder when it goes would take it from under a handler that is still at work.
  app.addHook('onSend', async (request, reply) => {
    if (reply.raw.destroyed) await tidy(request)
    else reply.raw.once('close', () => void tidy(request))
  })
}
