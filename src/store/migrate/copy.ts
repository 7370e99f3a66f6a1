import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { mapConcurrently } from '../../concurrency.ts'
import { toMediaprocError } from '../../errors.ts'
import { type Collection, type Content, type Dump, type Holding, KINDS } from './dump.ts'
import { compared } from './same.ts'

/** Blobs that are copied or read at the same time. */
export const MAX_TRANSFERS = 4
/** Records are stored when their blobs have this size together, in bytes: after a kill, so much is copied again. */
const BATCH_BYTES = 64_000_000

/** What a step reports, and what ends it. */
export interface Steps {
  signal: AbortSignal
  /** Bytes of blobs that were read or found. */
  onBytes(bytes: number): void
}

/** Copies a blob, unless the source does not have it: the verification reports that. */
async function copyContent(
  from: Collection<{ id: string }>,
  to: Collection<{ id: string }>,
  { key, name }: Content,
  { signal, onBytes }: Steps,
): Promise<void> {
  if (!(await from.blobs.stat(key))) return
  const source = await from.blobs.open(key)
  // Not a listener of `data`: the storage may not read yet.
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes(chunk.length)
      done(null, chunk)
    },
  })
  // A failure of one side ends the other one; that of the storage has the reason for users.
  const [read, stored] = await Promise.allSettled([pipeline(source, counter, { signal }), to.blobs.put(name, counter)])
  signal.throwIfAborted()
  for (const result of [stored, read]) if (result.status === 'rejected') throw toMediaprocError(result.reason)
}

/** Records in groups whose blobs are not too large together. */
function* batches<T>(holdings: readonly Holding<T>[]): Generator<Holding<T>[]> {
  let batch: Holding<T>[] = []
  let bytes = 0
  for (const holding of holdings) {
    batch.push(holding)
    bytes += holding.contents.reduce((sum, content) => sum + content.bytes, 0)
    if (bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** The records that a target lacks, or has with other facts. */
async function missingIn<T extends { id: string }>(
  to: Collection<T>,
  holdings: readonly Holding<T>[],
): Promise<Holding<T>[]> {
  const known = new Map(
    (await to.find(holdings.map(({ record }) => record.id))).map((one) => [one.record.id, one.record]),
  )
  return holdings.filter(({ record }) => {
    const copy = known.get(record.id)
    return copy === undefined || compared(record, copy) === 'different'
  })
}

/** Copies records after their blobs, so that a record of the target means that its blobs are there. */
export async function copyCollection<T extends { id: string }>(
  from: Collection<T>,
  to: Collection<T>,
  isResumed: boolean,
  steps: Steps,
): Promise<void> {
  for await (const ids of from.ids()) {
    const found = await from.find(ids)
    const missing = isResumed ? await missingIn(to, found) : found
    const isMissing = new Set(missing)
    for (const one of found) if (!isMissing.has(one)) for (const { bytes } of one.contents) steps.onBytes(bytes)
    for (const batch of batches(missing)) {
      await mapConcurrently(
        batch.flatMap(({ contents }) => contents),
        MAX_TRANSFERS,
        (content) => copyContent(from, to, content, steps),
      )
      await to.put(batch)
    }
    steps.signal.throwIfAborted()
  }
  if (isResumed) await removeOthers(from, to)
}

/** Removes records that the source does not have any more: it was used after the migration had begun. */
async function removeOthers<T extends { id: string }>(from: Collection<T>, to: Collection<T>): Promise<void> {
  for await (const ids of to.ids()) {
    const known = new Set((await from.find(ids)).map(({ record }) => record.id))
    const others = ids.filter((id) => !known.has(id))
    if (others.length > 0) await to.remove(others)
  }
}

/** Copies the small records and the audit log: a migration that is run again begins them again. */
export async function copyRecords(from: Dump, to: Dump, { signal }: Steps): Promise<void> {
  await to.clear()
  for (const kind of KINDS)
    for await (const page of from.records(kind)) {
      signal.throwIfAborted()
      await to.addRecords(kind, page)
    }
  for await (const lines of from.auditLines()) {
    signal.throwIfAborted()
    await to.addAuditLines(lines)
  }
}
