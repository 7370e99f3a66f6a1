import type { FastifyInstance } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import type { ServerContext } from '../context.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * On a full disk, users can still sign in and delete, using the space that the store reserves for this. All other
 * requests that store data are refused until space is free again.
 */
export function addFullDisk(app: FastifyInstance, { store: { reserve } }: ServerContext): void {
  if (!reserve) return
  app.addHook('preParsing', async ({ method, is404, routeOptions }) => {
    if (method === 'DELETE' || routeOptions.config.onFullDisk) await reserve.release()
    else if (!READS.has(method) && !is404 && (await reserve.isSpent())) throw new MediaprocError('DISK_FULL')
  })
}
