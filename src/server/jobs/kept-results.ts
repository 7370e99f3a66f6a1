import type { JobFile, JobRecord } from '../../store/job-record.ts'
import type { Outcome } from './failure.ts'
import { aboutJob } from './job-log.ts'
import { putResults, resultPlace } from './results.ts'
import type { RunnerParts } from './runner-parts.ts'

/** More bytes of results are flushed before the end of their job is known. */
const MOST_UNFLUSHED = 1_048_576

/**
 * Whether the results of a job may be flushed after its end: its client still waits for the answer. A power failure in these
 * milliseconds damages a result that the client usually has by then.
 */
function mayBeFlushedLater({ task, createdAt }: JobRecord, files: readonly JobFile[]): boolean {
  const isAwaited = Date.now() < Date.parse(createdAt) + (task?.awaitedMs ?? 0)
  return isAwaited && files.reduce((sum, { bytes }) => sum + bytes, 0) <= MOST_UNFLUSHED
}

/** The outcome of a job whose results are where downloads read them. */
export interface KeptResults {
  /** Rejects with the error of the work, or of the storage. */
  outcome: Promise<Outcome>
  /** Makes those results durable that were not before the end of the job. Never rejects. */
  flush(): Promise<void>
}

/** Moves the outputs of a job to where downloads read them. @param isOver ends the attempts while the storage is away */
export function keepResults(
  parts: Pick<RunnerParts, 'results' | 'workspace' | 'log'>,
  record: JobRecord,
  work: Promise<Outcome>,
  isOver: () => boolean,
): KeptResults {
  let late: readonly JobFile[] = []
  const keep = async (): Promise<Outcome> => {
    const outcome = await work
    const { outputs } = outcome
    const mayBeLost = mayBeFlushedLater(record, outputs)
    await putResults(parts, record.id, outputs, { how: 'move', mayBeLost, isOver })
    if (mayBeLost) late = outputs
    return outcome
  }
  return {
    outcome: keep(),
    async flush() {
      try {
        for (const file of late) {
          const { blobs, key } = resultPlace(parts, record.id, file)
          await blobs.flush?.(key)
        }
      } catch (error) {
        parts.log.error({ err: error, ...aboutJob(record) }, 'a result may not outlive a power failure')
      }
    },
  }
}
