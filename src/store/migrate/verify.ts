import { createHash } from 'node:crypto'
import { mapConcurrently } from '../../concurrency.ts'
import { MediaprocError } from '../../errors.ts'
import { counted, listed } from '../../wording.ts'
import type { Blobs } from '../blobs.ts'
import { MAX_TRANSFERS, type Steps } from './copy.ts'
import { type Collection, type Content, type Dump, type Holding, KINDS, type SmallRecord } from './dump.ts'
import { compared } from './same.ts'

/** What a verification found that is not a difference between the stores. */
export interface Findings {
  /** Blobs whose SHA-256 is the same in both stores. */
  files: number
  bytes: number
  /** Keys of blobs that the source does not have, although its records name them. */
  missing: string[]
  /** Keys of blobs of the source that have fewer bytes than its records say. */
  short: string[]
  /** Records with characters that PostgreSQL cannot store. */
  altered: number
}

/** SHA-256 and size of a blob; undefined if it does not exist. */
async function digest(
  blobs: Blobs,
  key: string,
  { signal, onBytes }: Steps,
): Promise<{ hash: string; bytes: number } | undefined> {
  if (!(await blobs.stat(key))) return undefined
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of (await blobs.open(key)) as AsyncIterable<Buffer>) {
    signal.throwIfAborted()
    hash.update(chunk)
    bytes += chunk.length
    onBytes(chunk.length)
  }
  return { hash: hash.digest('hex'), bytes }
}

const different = (what: string): MediaprocError =>
  new MediaprocError('INVALID_FILE', `The copy differs from its source: ${what}`, {
    hint: { shell: 'Run the command again: it copies that again.' },
  })

/** Whether a blob is the same in both stores; records what the source lacks. */
async function isSameContent(
  from: Blobs,
  to: Blobs,
  { key, name, bytes, mayBeGone }: Content,
  steps: Steps,
  findings: Findings,
): Promise<boolean> {
  const [source, copy] = await Promise.all([digest(from, key, steps), digest(to, name, { ...steps, onBytes() {} })])
  if (source?.hash !== copy?.hash) return false
  if (source) {
    findings.files++
    findings.bytes += source.bytes
    if (source.bytes < bytes) findings.short.push(key)
  } else if (!mayBeGone) findings.missing.push(key)
  return true
}

/** Compares a page of records and their blobs; returns the ids of those that differ. */
async function differing<T extends { id: string }>(
  from: Collection<T>,
  to: Collection<T>,
  holdings: readonly Holding<T>[],
  steps: Steps,
  findings: Findings,
): Promise<string[]> {
  const copies = new Map((await to.find(holdings.map(({ record }) => record.id))).map((one) => [one.record.id, one]))
  const bad = new Set<string>()
  for (const { record } of holdings) {
    const result = compared(record, copies.get(record.id)?.record)
    if (result === 'different') bad.add(record.id)
    if (result === 'altered') findings.altered++
  }
  const contents = holdings.flatMap((holding) =>
    holding.contents.map((content) => ({ id: holding.record.id, content })),
  )
  await mapConcurrently(contents, MAX_TRANSFERS, async ({ id, content }) => {
    if (!(await isSameContent(from.blobs, to.blobs, content, steps, findings))) bad.add(id)
  })
  return [...bad]
}

/** @throws INVALID_FILE naming what differs; the copies of that are removed, so that the next run copies them again */
export async function verifyCollection<T extends { id: string }>(
  what: string,
  from: Collection<T>,
  to: Collection<T>,
  steps: Steps,
): Promise<Findings & { records: number }> {
  const findings: Findings = { files: 0, bytes: 0, missing: [], short: [], altered: 0 }
  let records = 0
  const bad: string[] = []
  for await (const ids of from.ids()) {
    steps.signal.throwIfAborted()
    const holdings = await from.find(ids)
    records += holdings.length
    const some = await differing(from, to, holdings, steps, findings)
    await to.remove(some)
    bad.push(...some)
  }
  if (bad.length > 0) throw different(`${counted(bad.length, 'record')} of the ${what} or their files (${listed(bad)})`)
  let copies = 0
  for await (const ids of to.ids()) copies += ids.length
  if (copies !== records) throw different(`the ${what} has ${records} records there, and ${copies} in the copy`)
  return { ...findings, records }
}

async function* flat(pages: AsyncIterable<readonly SmallRecord[]>): AsyncGenerator<SmallRecord> {
  for await (const page of pages) yield* page
}

/** Compares the small records, with their order. Returns the number of altered ones. @throws INVALID_FILE */
async function verifyRecords(from: Dump, to: Dump, signal: AbortSignal): Promise<number> {
  let altered = 0
  for (const kind of KINDS) {
    const copies = flat(to.records(kind))
    for await (const record of flat(from.records(kind))) {
      signal.throwIfAborted()
      const { value } = await copies.next()
      const result = compared(record, value)
      if (result === 'different') throw different(`${kind} ${record[0]}`)
      if (result === 'altered') altered++
    }
    if (!(await copies.next()).done) throw different(`there are more ${kind} in the copy`)
  }
  return altered
}

/** Compares everything but blobs and their records. Returns the number of altered records. @throws INVALID_FILE */
export async function verifySmall(from: Dump, to: Dump, signal: AbortSignal): Promise<number> {
  const altered = await verifyRecords(from, to, signal)
  const [source, copy] = [await from.checkAudit(), await to.checkAudit()]
  for (const fact of ['entries', 'head', 'broken', 'unlinked', 'begins', 'first', 'last'] as const)
    if (source[fact] !== copy[fact])
      throw different(`the audit log (${fact}: ${source[fact]}, and ${copy[fact]} in the copy)`)
  return altered
}
