import type { JobRecord } from '../store/job-record.ts'
import type { JobRecords } from '../store/job-records.ts'
import type { ServerConfig } from './config.ts'
import type { ServerContext } from './context.ts'
import { sweepDerived } from './derived.ts'
import { isOver } from './jobs/frames.ts'

async function sweepJob(records: JobRecords, config: ServerConfig, record: JobRecord): Promise<void> {
  const now = Date.now()
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

/** Results past their time lose their files; records past theirs go whole. Running jobs are never touched. */
export async function sweep({ records, config, store, accounts, log }: ServerContext): Promise<void> {
  for (const record of [...records.all()])
    if (isOver(record))
      // One that resists must not keep the others.
      await sweepJob(records, config, record).catch((error: unknown) =>
        log.warn({ err: error, jobId: record.id }, 'an expired job stayed'),
      )
  await sweepDerived({ config, store })
  await store.audit.sweep()
  await accounts.sweepSessions()
  log.debug({ jobs: [...records.all()].length, bytes: records.totalBytes }, 'tidied up')
}
