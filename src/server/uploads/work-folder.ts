import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import type { ServerConfig } from '../config.ts'
import type { ServerContext } from '../context.ts'
import { shareOf } from '../library/fair-share.ts'

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

/** A folder for what a request brings. */
export interface WorkFolder {
  id: string
  folder: string
  /** Where something of this name goes in it. */
  path(name: string): string
  /** Counts bytes that have arrived. @throws MediaprocError when there is no room for them */
  arrived(bytes: number): void
}

/**
 * Looks whether the workspace has room: for this owner, who may hold a share of it, and at all.
 * @throws MediaprocError RATE_LIMITED when the owner holds too much, workspace-cap
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
 * The folder in the workspace that a request's files go into, made before the body is read.
 * @throws MediaprocError SHUTTING_DOWN, RATE_LIMITED, workspace-cap, DISK_LOW
 */
export async function workFolder(context: ServerContext, request: FastifyRequest): Promise<WorkFolder> {
  const { store, config, shutdown } = context
  const { userId } = request.caller
  if (shutdown.begun) throw new MediaprocError('SHUTTING_DOWN')
  const announced = Number(request.headers['content-length'] ?? 0)
  checkRoom(context, userId, 0, announced)
  if (!(await hasRoom(config.workspaceFolder, config))) throw new MediaprocError('DISK_LOW')
  const made = await store.workspace.begin(userId)
  request.workFolder = made.id
  let own = 0
  return {
    ...made,
    path: (name) => join(made.folder, name),
    // A body need not say how long it is, and others arrive at the same time.
    arrived: (bytes) => {
      checkRoom(context, userId, own, bytes)
      own += bytes
      store.workspace.count(made.id, own)
    },
  }
}

/** Folders of requests that came to nothing are removed when the answer is out. */
export function addWorkFolders(app: FastifyInstance, { store: { jobs, workspace }, log }: ServerContext): void {
  app.decorateRequest('workFolder', undefined)
  const tidy = async (request: FastifyRequest): Promise<void> => {
    const id = request.workFolder
    if (id === undefined || (await jobs.get(id))) return
    request.workFolder = undefined
    await workspace.discard(id).catch((error: unknown) => log.warn({ err: error }, 'a work folder stayed'))
  }
  // The handler is done now. onResponse would not come where the client went away before the answer, and removing the
  // folder when it goes would take it from under a handler that is still at work.
  app.addHook('onSend', async (request, reply) => {
    if (reply.raw.destroyed) await tidy(request)
    else reply.raw.once('close', () => void tidy(request))
  })
}
