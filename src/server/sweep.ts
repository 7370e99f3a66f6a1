import type { ServerContext } from './context.ts'
import { isOver } from './jobs/frames.ts'

/** Results past their time lose their files; records past theirs go whole. Running jobs are never touched. */
export async function sweep({ records, config, store, accounts, log }: ServerContext): Promise<void> {
  const now = Date.now()
  for (const record of [...records.all()]) {
    if (!isOver(record)) continue
    const ended = Date.parse(record.completedAt ?? record.createdAt)
    const isExpired = record.expiresAt !== null && Date.parse(record.expiresAt) <= now
    if (config.jobRetentionMs > 0 && ended + config.jobRetentionMs <= now && (isExpired || record.outputs.length === 0))
      await records.remove(record.id)
    else if (isExpired && record.outputs.length > 0) {
      // The record goes first: a download must not find half a file.
      record.outputs = []
      await records.save(record)
      await records.removeFiles(record.id)
    }
  }
  await store.audit.sweep()
  await accounts.sweepSessions()
  log.debug({ jobs: [...records.all()].length, bytes: records.totalBytes }, 'tidied up')
}
