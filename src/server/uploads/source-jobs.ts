import { constants } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import type { Caller } from '../../accounts/caller.ts'
import { MediaprocError } from '../../errors.ts'
import { extensionOf, stemOf } from '../../media/file.ts'
import { outputName } from '../../media/naming.ts'
import { safeFileName } from '../../media/safe-file-name.ts'
import type { FoundTool } from '../../pipeline/read/find-tool.ts'
import type { JobFile, JobRecord } from '../../store/job-record.ts'
import { storageFailure } from '../../store/local/atomic-write.ts'
import type { FromJob } from '../../tool/contract.ts'
import type { ServerContext } from '../context.ts'
import { resultPlace } from '../jobs/results.ts'
import { isPast } from '../jobs/retention.ts'
import { maySee } from '../library/ownership.ts'
import type { ReceivedFile, SortedFiles } from './multipart.ts'
import type { WorkFolder } from './work-folder.ts'

/** Job id and file name of a request. Both are untrusted: they are compared, and never used as a path. */
interface Named {
  jobId: string
  filename: string
}

/** The kept files of a job by role; undefined if one is missing. */
function keptFiles({ outputs }: JobRecord, { files }: FromJob, filename: string): [string, JobFile][] | undefined {
  // No upload has such a name.
  if (safeFileName(filename) !== filename) return undefined
  const kept = Object.entries(files).map(([use, ending]) => {
    const name = outputName(stemOf(filename), `_${stemOf(ending)}`, extensionOf(ending))
    return [use, outputs.find((output) => output.name === name)] as const
  })
  return kept.every((one): one is [string, JobFile] => one[1] !== undefined) ? kept : undefined
}

/** A job of this tool that is visible to the caller and kept all the files; the caller's own jobs take precedence. */
async function jobWithFiles(
  { store }: ServerContext,
  caller: Caller,
  tool: string,
  fromJob: FromJob,
  { jobId, filename }: Named,
): Promise<{ record: JobRecord; kept: [string, JobFile][] } | undefined> {
  const known = await store.jobs.named(jobId)
  const own = known.filter(
    (record) => maySee(caller, record) && record.toolId?.split('/')[0] === tool && !isPast(record),
  )
  for (const record of own.sort((one) => (one.ownerId === caller.userId ? -1 : 1))) {
    const kept = record.status === 'completed' ? keptFiles(record, fromJob, filename) : undefined
    if (kept) return { record, kept }
  }
  return undefined
}

/**
 * Copies the kept files of an earlier job into the folder of a new one, so that the new job does not depend on how long
 * results are kept. They are named after the picture that the client names.
 * @throws MediaprocError defined by the action, when the job is gone, has another owner or kept no such files
 */
export async function earlierFiles(
  context: ServerContext,
  caller: Caller,
  { tool, action }: FoundTool,
  named: Named,
  work: WorkFolder,
): Promise<SortedFiles> {
  const fromJob = action!.fromJob!
  const { code, message, hint } = fromJob.gone
  const gone = new MediaprocError(code, message, { hint })
  const found = await jobWithFiles(context, caller, tool.id, fromJob, named)
  if (!found) throw gone
  const files: SortedFiles = { inputs: [], secondary: {} }
  for (const [use, file] of found.kept) {
    work.arrived(file.bytes)
    const path = work.path(`kept-${use}`)
    const { blobs, key } = resultPlace(context.store, found.record.id, file)
    await blobs
      .borrow(key, (from) => copyFile(from, path, constants.COPYFILE_FICLONE))
      .catch((error: unknown) => {
        const { code } = error as { code?: string }
        throw code === 'NOT_FOUND' || code === 'ENOENT' ? gone : storageFailure(error)
      })
    const { bytes, mime } = file
    const received: ReceivedFile = { field: use, name: named.filename, path, bytes, mime }
    if (use === 'file') files.inputs.push(received)
    else files.secondary[use] = received
  }
  return files
}
