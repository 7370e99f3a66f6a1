import { MediaprocError } from '../../errors.ts'
import { counted } from '../../wording.ts'
import { isOver, type JobRecord } from '../job-record.ts'
import type { AuditCheck } from '../store.ts'
import { type Collection, type Dump, type Holding, KINDS } from './dump.ts'

/** What a store has of one kind. */
export interface Count {
  kind: string
  records: number
  /** Blobs of the records, and their size in bytes. */
  files: number
  bytes: number
}

export interface Survey {
  counts: Count[]
  audit: AuditCheck
  bytes: number
}

async function countOf<T extends { id: string }>(
  kind: string,
  collection: Collection<T>,
  look: (holding: Holding<T>) => void = () => {},
): Promise<Count> {
  const count: Count = { kind, records: 0, files: 0, bytes: 0 }
  for await (const ids of collection.ids())
    for (const holding of await collection.find(ids)) {
      look(holding)
      count.records++
      for (const { bytes } of holding.contents.filter(({ mayBeGone }) => !mayBeGone)) {
        count.files++
        count.bytes += bytes
      }
    }
  return count
}

/**
 * Counts everything in a store.
 * @throws MediaprocError CONFLICT for unfinished jobs, INVALID_FILE for damaged records
 */
export async function survey(from: Dump): Promise<Survey> {
  const counts: Count[] = []
  for (const kind of KINDS) {
    let records = 0
    for await (const page of from.records(kind)) records += page.length
    counts.push({ kind, records, files: 0, bytes: 0 })
  }
  const audit = await from.checkAudit()
  counts.push({ kind: 'audit', records: audit.entries, files: 0, bytes: 0 })
  counts.push(await countOf('library', from.library))
  let unfinished = 0
  const countUnfinished = ({ record }: Holding<JobRecord>): void => {
    if (!isOver(record)) unfinished++
  }
  counts.push(await countOf('jobs', from.jobs, countUnfinished))
  if (unfinished > 0)
    throw new MediaprocError(
      'CONFLICT',
      `${counted(unfinished, 'job')} of ${from.label} ${unfinished === 1 ? 'has' : 'have'} not ended`,
      {
        hint: { shell: 'Start its server, wait for the end of the jobs or cancel them, and stop it.' },
      },
    )
  return { counts, audit, bytes: counts.reduce((sum, { bytes }) => sum + bytes, 0) }
}
