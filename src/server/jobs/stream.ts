import type { Readable } from 'node:stream'
import { MediaprocError } from '../../errors.ts'
import { openZipStream } from '../../media/zip.ts'
import { type BatchMember, isOver, type JobRecord } from '../../store/job-record.ts'
import type { Store } from '../../store/store.ts'
import { archiveNames, resultPlace } from './results.ts'
import type { JobService } from './service.ts'

/**
 * Streams the archive of a running batch: files are added in upload order as they finish, so that duplicate names are
 * numbered as in the finished archive.
 */
export async function archiveAsItGrows(
  begun: JobRecord,
  store: Pick<Store, 'results'>,
  jobs: Pick<JobService, 'follow' | 'isClosing'>,
): Promise<{ stream: Readable; results(): Record<string, string>; record(): JobRecord }> {
  const archive = await openZipStream()
  const names = archiveNames()
  const results: Record<string, string> = {}
  let next = 0
  const add = ({ index, files = [] }: BatchMember): void => {
    for (const file of files) {
      results[String(index)] = names.give(file.name)
      const { blobs, key } = resultPlace(store, begun.id, file)
      archive.add(results[String(index)]!, file.bytes, () => blobs.open(key))
    }
  }
  let record = begun
  const go = (now: JobRecord): void => {
    if (isOver(record)) return
    record = now
    const members = record.members!
    for (; next < members.length && members[next]!.state !== 'waiting'; next += 1) add(members[next]!)
    // Destroyed, so that clients do not accept the archive as complete.
    if (!isOver(record) && jobs.isClosing) archive.stream.destroy(new MediaprocError('SHUTTING_DOWN'))
    if (!isOver(record)) return
    // A canceled batch leaves files unprocessed; finished files after them are still added.
    for (; next < members.length; next += 1) if (members[next]!.state === 'done') add(members[next]!)
    archive.end()
  }
  const stop = await jobs.follow(record.id, go)
  archive.stream.once('close', stop)
  return { stream: archive.stream, results: () => results, record: () => record }
}
