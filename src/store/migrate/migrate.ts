import { counted, listed } from '../../wording.ts'
import { copyCollection, copyRecords, type Steps } from './copy.ts'
import type { Dump, OpenedDump } from './dump.ts'
import type { Count, Survey } from './survey.ts'
import { type Findings, verifyCollection, verifySmall } from './verify.ts'

export interface Migration {
  counts: Count[]
  /** Entries of the audit log, and SHA-256 of the last one. */
  audit: { entries: number; head: string }
  /** What the copy cannot have, with the reason. */
  warnings: string[]
}

export interface MigrateOptions {
  signal: AbortSignal
  /** @param done bytes of blobs that were copied or compared, of twice their sum */
  onProgress(done: number, total: number, phase: string): void
}

/** What the source lacks itself, or what its copy cannot have. */
function warningsOf({ audit }: Survey, findings: readonly Findings[], alteredRecords: number): string[] {
  const missing = findings.flatMap((one) => one.missing)
  const short = findings.flatMap((one) => one.short)
  const altered = findings.reduce((sum, one) => sum + one.altered, alteredRecords)
  return [
    ...(missing.length > 0
      ? [`${counted(missing.length, 'file')} that records name did not exist in the source: ${listed(missing)}`]
      : []),
    ...(short.length > 0
      ? [`${counted(short.length, 'file')} of the source had fewer bytes than the records say: ${listed(short)}`]
      : []),
    ...(altered > 0
      ? [
          `${counted(altered, 'record')} had NUL or half surrogates in a text, which PostgreSQL cannot store; they are U+FFFD`,
        ]
      : []),
    ...(audit.cutOff > 0
      ? [`${counted(audit.cutOff, 'line')} of the audit log without an entry, cut off by a crash, were not copied`]
      : []),
    ...(audit.broken > 0
      ? [`The audit log was modified before: mediaproc admin audit verify shows ${counted(audit.broken, 'place')}`]
      : []),
  ]
}

/**
 * Copies everything from one store to another, and compares both: counts, records, the audit log, and SHA-256 of all blobs.
 * The source stays as it is. Previews are not copied, because servers create them again.
 * @param surveyed of the source
 * @throws MediaprocError INVALID_FILE when the copy differs; CANCELED
 */
export async function migrate(
  from: Dump,
  { dump: to, isResumed }: OpenedDump,
  surveyed: Survey,
  { signal, onProgress }: MigrateOptions,
): Promise<Migration> {
  let done = 0
  const stepsOf = (phase: string): Steps => {
    const total = 2 * surveyed.bytes
    onProgress(Math.min(done, total), total, phase)
    return {
      signal,
      onBytes(bytes) {
        done += bytes
        onProgress(Math.min(done, total), total, phase)
      },
    }
  }
  await copyCollection(from.library, to.library, isResumed, stepsOf('copying the library'))
  await copyCollection(from.jobs, to.jobs, isResumed, stepsOf('copying the results of jobs'))
  await copyRecords(from, to, stepsOf('copying accounts and the audit log'))
  done = surveyed.bytes
  const small = await verifySmall(from, to, signal)
  const library = await verifyCollection('library', from.library, to.library, stepsOf('comparing the library'))
  const jobs = await verifyCollection('jobs', from.jobs, to.jobs, stepsOf('comparing the results of jobs'))
  signal.throwIfAborted()
  await to.finish()
  const { audit } = surveyed
  return {
    counts: surveyed.counts.map((count) => {
      const verified = { library, jobs }[count.kind]
      return verified ? { ...count, files: verified.files, bytes: verified.bytes } : count
    }),
    audit: { entries: audit.entries, head: audit.head },
    warnings: warningsOf(surveyed, [library, jobs], small),
  }
}
