import type { Blobs } from '../blobs.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import type { JobTable } from '../postgres/job-table.ts'
import { resultsOf } from './jobs.ts'

/** How long a file without a record is kept, in milliseconds: it may belong to a job that is being submitted or ended. */
const KEPT_MS = 3_600_000
/** Keys that are looked up with one query. */
const BATCH = 500

/** Removes old blobs of jobs unless `isNeeded`; keys begin with the id of the job. */
async function removeUnneeded(
  blobs: Blobs,
  table: JobTable,
  isNeeded: (key: string, record: JobRecord | undefined) => boolean,
): Promise<void> {
  const removeSome = async (keys: readonly string[]): Promise<void> => {
    const idOf = (key: string): string => key.split('/', 1)[0] ?? ''
    const records = new Map((await table.some([...new Set(keys.map(idOf))])).map((record) => [record.id, record]))
    for (const key of keys) {
      const about = isNeeded(key, records.get(idOf(key))) ? undefined : await blobs.stat(key)
      if (about && about.modifiedMs < Date.now() - KEPT_MS) await blobs.remove(key)
    }
  }
  let keys: string[] = []
  for await (const key of blobs.keys()) {
    keys.push(key)
    if (keys.length < BATCH) continue
    await removeSome(keys)
    keys = []
  }
  await removeSome(keys)
}

/** Removes uploads of ended jobs, and results that no record names, after processes were killed. */
export async function removeJobLeftovers(table: JobTable, inputs: Blobs, results: Blobs): Promise<void> {
  await removeUnneeded(inputs, table, (_key, record) => record !== undefined && !isOver(record))
  await removeUnneeded(
    results,
    table,
    (key, record) => record !== undefined && (!isOver(record) || resultsOf(record).includes(key)),
  )
}
