import { join, posix } from 'node:path'
import { mapConcurrently } from '../../concurrency.ts'
import { type ErrorCode, MediaprocError } from '../../errors.ts'
import { stemOf } from '../../media/file.ts'
import { findTool } from '../../pipeline/read/find-tool.ts'
import type { Done } from '../../pool/messages.ts'
import type { BatchMember, JobFile, JobRecord } from '../../store/job-record.ts'
import { failureOf, memberFailure, type Outcome, wrongContent } from './failure.ts'
import { archived, archiveNames, downloadUrl, packed } from './results.ts'

/** Least time between two writes of a running batch's record, in milliseconds. */
const SAVE_EVERY_MS = 1000
/** Writing the record of a very large batch may take this share of the time. */
const SAVING_SHARE = 0.02

export interface BatchRun {
  /** The record as of the start. */
  record: JobRecord
  /** The job's folder. */
  folder: string
  /** Suffix of the names of results. */
  attempt: string
  signal: AbortSignal
  concurrency: number
  run(input: JobFile, folder: string): Promise<Done>
  /** Moves the result of a file to where downloads and the growing archive read it. */
  keep(files: readonly JobFile[]): Promise<void>
  /** Records which file is being processed. */
  begins(filename: string): Promise<unknown>
  /** Notes that so many of the members are over, saves the record and notifies listeners. */
  changed(members: readonly BatchMember[], over: number, isWorthSaving: boolean): Promise<void>
}

/** The files of a batch with their names in the archive, in upload order: duplicates get `_1`, `_2`. */
export function namedMembers(members: readonly BatchMember[]): { index: number; name: string; file: JobFile }[] {
  const names = archiveNames()
  return members
    .filter(({ state }) => state === 'done')
    .flatMap(({ index, files }) => files!.map((file) => ({ index, name: names.give(file.name), file })))
}

/** `batch-resize-1a2b3c4d.zip` */
export function archiveName({ id, clientJobId, toolId }: JobRecord): string {
  return `${toolId ? `batch-${toolId}` : 'pipeline-batch'}-${(clientJobId ?? id).slice(0, 8)}.zip`
}

const emptyFile = (name: string): MediaprocError => new MediaprocError('EMPTY_FILE', `${name} is empty (0 bytes)`)

/** Name of a member's ZIP within the batch: `photo-pages.zip`. */
const nameOfMember = (archive: string, input: string): string => `${stemOf(input)}-${archive.split('-').at(-1)}`

/** Result of a file; unchanged when the batch was stopped. */
async function runMember(
  { record, folder, attempt, signal, run, keep }: BatchRun,
  member: BatchMember,
): Promise<BatchMember> {
  const input = record.task!.inputs[member.index]!
  const own = `out-${member.index}${attempt}`
  try {
    if (input.bytes === 0) throw emptyFile(input.name)
    const made = await run(input, own)
    // Each member's set is packed in its own folder, so that names do not clash.
    const output = record.task!.kind === 'tool' ? findTool(record.task!.target).entry.output : undefined
    // A single archive is named like a direct response; a set has a name of its own.
    const archive = output?.direct ? undefined : output?.archive
    const { files } = await packed(made, join(folder, own), '.', {
      stem: 'set',
      archive: archive && nameOfMember(archive, input.name),
    })
    const placed = files.map((file) => ({ ...file, file: posix.join(own, file.file) }))
    await keep(placed)
    return { ...member, files: placed, ...(made.report && { notes: made.report }), state: 'done' }
  } catch (error) {
    if (signal.aborted) return member
    return { ...member, error: failureOf(wrongContent(error)), state: 'failed' }
  }
}

/** Packs the finished files into the archive for downloads and creates the record's result. */
async function finish(
  { record, folder, attempt }: BatchRun,
  members: readonly BatchMember[],
): Promise<Omit<Outcome, 'error'>> {
  const files = namedMembers(members)
  const name = archiveName(record)
  const entries = files.map((one) => ({ name: one.name, path: join(folder, one.file.file) }))
  const archive = await archived(entries, folder, `batch${attempt}`, name)
  const fileResults = Object.fromEntries(files.map((one) => [String(one.index), one.name]))
  const result = {
    jobId: record.id,
    downloadUrl: downloadUrl(record.id, name),
    originalSize: record.inputBytes,
    processedSize: archive.bytes,
    fileResults,
  }
  return { outputs: [archive], result }
}

function allFailed(members: readonly BatchMember[]): MediaprocError {
  const failed = members.filter(({ error }) => error)
  const errors = failed.map(memberFailure)
  // A missing engine that fails every file is reported as the one error.
  const first = failed[0]?.error
  if (first?.status === 501 && failed.every(({ error }) => error!.code === first.code)) {
    const { message, code, details, fields } = first
    return new MediaprocError(code as ErrorCode, message, {
      hint: '',
      fields: { ...fields, ...(details && { details }), errors },
    })
  }
  return new MediaprocError('PROCESSING_FAILED', undefined, {
    hint: '',
    fields: { error: 'All files failed processing', errors },
  })
}

/**
 * Runs one task per file, several at a time; a bad file does not stop the others. Files that a former run of the server
 * finished are not processed again. A canceled batch keeps the results so far.
 */
export async function runBatch(batch: BatchRun): Promise<Outcome> {
  const { record, signal, concurrency, begins, changed } = batch
  const members = [...record.members!]
  const waiting = members.filter(({ state }) => state === 'waiting')
  let over = members.length - waiting.length
  let saveAt = Date.now() + SAVE_EVERY_MS
  const work = async (member: BatchMember): Promise<void> => {
    await begins(member.filename)
    const ended = await runMember(batch, member)
    if (ended.state !== 'waiting') over += 1
    // The records of the job share this list: a copy per file would take a time that grows with the batch.
    members[member.index] = ended
    const now = Date.now()
    const isWorthSaving = now >= saveAt
    if (isWorthSaving) saveAt = Number.POSITIVE_INFINITY
    await changed(members, over, isWorthSaving)
    if (isWorthSaving) saveAt = Date.now() + Math.max(SAVE_EVERY_MS, (Date.now() - now) / SAVING_SHARE)
  }
  await mapConcurrently(waiting, concurrency, work, () => !signal.aborted)
  const hasResults = members.some(({ state }) => state === 'done')
  if (hasResults) {
    const done = await finish(batch, members)
    return { ...done, error: signal.aborted ? failureOf(new MediaprocError('CANCELED', 'Canceled')) : null }
  }
  if (signal.aborted)
    throw new MediaprocError('CANCELED', 'Canceled', { fields: { error: 'Batch canceled', errors: [] } })
  throw allFailed(members)
}
