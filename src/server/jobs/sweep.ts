import { sweepSessions } from '../../accounts/sign-in/sign-in.ts'
import type { ServerContext } from '../context.ts'
import { sweepDerived } from '../library/preview-cache.ts'
import { removeResults } from './results.ts'

/** Removes the files of expired results. The record changes first: a download must not find half a file. */
async function expire({ store }: ServerContext, id: string): Promise<void> {
  const { jobs, workspace } = store
  const before = await jobs.get(id)
  if (before?.upload) return jobs.remove(id)
  const record = await jobs.update(id, { outputs: [] })
  if (before) await removeResults(store, before)
  await workspace.removeFiles(id)
  await jobs.settle(id, await workspace.held(record))
}

/**
 * Removes the files of expired results, and expired records completely. Running jobs are not touched. Ends early when
 * the server stops.
 */
export async function sweep(context: ServerContext): Promise<void> {
  const { config, store, accounts, log, shutdown } = context
  const { jobs } = store
  // A failing removal must not stop the others.
  const each = async (ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> => {
    for (const id of ids) {
      if (shutdown.begun) return
      await work(id).catch((error: unknown) => log.warn({ err: error, jobId: id }, 'an expired job stayed'))
    }
  }
  const now = Date.now()
  const moment = new Date(now).toISOString()
  if (config.jobRetentionMs > 0)
    await each(await jobs.endedBefore(new Date(now - config.jobRetentionMs).toISOString(), moment), (id) =>
      jobs.remove(id),
    )
  if (config.maxFinishedJobs > 0) await each(await jobs.surplus(config.maxFinishedJobs), (id) => jobs.remove(id))
  await each(await jobs.expired(moment), (id) => expire(context, id))
  await sweepDerived(store)
  await store.audit.sweep()
  await sweepSessions(accounts)
  await store.tickets.removeDead(moment)
  await store.idempotencyKeys.removeDead(moment)
  await store.deliveries.removeDead(moment)
  log.debug({ bytes: store.workspace.totalBytes }, 'tidied up')
}
