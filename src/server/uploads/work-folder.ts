import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { shareOf } from '../../store/fair-share.ts'
import type { ServerConfig } from '../config.ts'
import type { ServerContext } from '../context.ts'

/** How long a disk space check is cached, in milliseconds. */
const LOOK_EVERY_MS = 2000

/** Last check of each folder's disk. */
const looks = new Map<string, { at: number; free: number }>()

/** Free bytes on a folder's disk, at most two seconds old. */
export async function freeBytes(path: string): Promise<number> {
  const last = looks.get(path)
  if (last && Date.now() - last.at < LOOK_EVERY_MS) return last.free
  const { bavail, bsize } = await statfs(path)
  const free = bavail * bsize
  looks.set(path, { at: Date.now(), free })
  return free
}

/** Whether the disk of a folder has enough free space for jobs. */
export const hasRoom = async (path: string, { leastFreeBytes }: ServerConfig): Promise<boolean> =>
  (await freeBytes(path)) >= leastFreeBytes

/** Folder for the files of a request. */
export interface WorkFolder {
  id: string
  folder: string
  /** Path of a file with this name in the folder. */
  path(name: string): string
  /** Counts received bytes. @throws MediaprocError when there is no space for them */
  arrived(bytes: number): void
}

/**
 * Checks that the workspace has space: within this owner's share, and in total.
 * @throws MediaprocError RATE_LIMITED when the owner uses too much, workspace-cap
 */
function checkRoom({ store: { workspace }, config }: ServerContext, ownerId: string, own: number, more: number): void {
  const { workspaceBytes: cap, authEnabled } = config
  if (cap === 0) return
  const held = workspace.bytesOf(ownerId)
  const isOver = authEnabled && held + more > shareOf(cap, workspace.totalBytes - held)
  if (isOver && held > own)
    throw new MediaprocError('RATE_LIMITED', 'Your uploads and results fill your share of the workspace', {
      hint: 'Delete results with DELETE /api/v1/jobs/{jobId}, or wait until they expire.',
      fields: { retryAfter: 60 },
    })
  if (isOver || workspace.totalBytes + more > cap) throw new MediaprocError('workspace-cap')
}

/**
 * Creates the workspace folder for a request's files before the body is read.
 * @throws MediaprocError SHUTTING_DOWN, RATE_LIMITED, workspace-cap, DISK_LOW
 */
export async function workFolder(context: ServerContext, request: FastifyRequest): Promise<WorkFolder> {
  const { store, config, shutdown } = context
  const { userId } = request.caller
  if (shutdown.begun) throw new MediaprocError('SHUTTING_DOWN')
  const announced = Number(request.headers['content-length'] ?? 0)
  await store.workspace.refresh(userId)
  checkRoom(context, userId, 0, announced)
  if (!(await hasRoom(config.workspaceFolder, config))) throw new MediaprocError('DISK_LOW')
  const made = await store.workspace.begin(userId)
  request.workFolder = made.id
  let own = 0
  return {
    ...made,
    path: (name) => join(made.folder, name),
    // A body may have no declared length, and other uploads run at the same time.
    arrived: (bytes) => {
      checkRoom(context, userId, own, bytes)
      own += bytes
      store.workspace.count(made.id, own)
    },
  }
}

/** Removes the folders of requests that created no job, after the response. */
export function addWorkFolders(app: FastifyInstance, { store: { jobs, workspace }, log }: ServerContext): void {
  app.decorateRequest('workFolder', undefined)
  const tidy = async (request: FastifyRequest): Promise<void> => {
    const id = request.workFolder
    if (id === undefined) return
    try {
      if (await jobs.get(id)) return
      request.workFolder = undefined
      await workspace.discard(id)
    } catch (error) {
      // The next start removes it.
      log.warn({ err: error }, 'a work folder stayed')
    }
  }
  // Waits for the handler: onResponse does not run when the client disconnects early, and removing the folder on
  // disconnect would take it from a handler that is still running.
  app.addHook('onSend', async (request, reply) => {
    if (reply.raw.destroyed) await tidy(request)
    else reply.raw.once('close', () => void tidy(request))
  })
}
