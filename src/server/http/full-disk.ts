import type { FastifyInstance } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import type { ServerContext } from '../context.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * On a full disk users still sign in and delete: the room that the store keeps is for them. Until there is more, everything
 * else that would be stored is refused.
 */
export function addFullDisk(app: FastifyInstance, { store: { reserve } }: ServerContext): void {
  if (!reserve) return
  app.addHook('preParsing', async ({ method, is404, routeOptions }) => {
    if (method === 'DELETE' || routeOptions.config.onFullDisk) await reserve.release()
    else if (!READS.has(method) && !is404 && (await reserve.isSpent())) throw new MediaprocError('DISK_FULL')
  })
}
