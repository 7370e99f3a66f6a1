import { createHash } from 'node:crypto'
import { crc32 } from '../../../media/crc32.ts'
import type { JobRecord, JobStatus } from '../../job-record.ts'
import { JobIndexFile } from './index-file.ts'
import { JobSlots, NUMBER, WORD } from './slots.ts'

const TYPES: readonly JobRecord['type'][] = ['single', 'batch', 'pipeline', 'upload', 'install']
const STATUSES: readonly JobStatus[] = ['queued', 'processing', 'completed', 'failed', 'canceled']
const NONE = Number.NaN

/** What is known of a job that is over without reading its record. Times in milliseconds since 1970, NaN for none. */
export interface IndexedJob {
  /** Where it is in the index. */
  slot: number
  type: JobRecord['type']
  status: JobStatus
  hasOutputs: boolean
  ownerId: string | null
  toolId: string | null
  created: number
  started: number
  completed: number
  expires: number
  inputBytes: number
  bytes: number
}

/** Milliseconds since 1970; NaN for none. */
export const timeOf = (text: string | null): number => (text === null ? NONE : Date.parse(text))

/** A client's id as a number of 64 bits; two ids rarely share one, so the record decides. */
function clientWords(clientJobId: string | null): [number, number] {
  if (clientJobId === null) return [0, 0]
  const digest = createHash('sha256').update(clientJobId).digest()
  return [digest.readUInt32LE(0) || 1, digest.readUInt32LE(4)]
}

/**
 * What lists, reports and sweeps ask about jobs that are over: 96 bytes for each, in memory and in a file, so that many
 * cost little and are there at once after a start. It is made from the records and can be made again: a slot that a crash
 * spoiled is forgotten, and a job that is not in it is read.
 */
export class JobIndex {
  readonly #slots: JobSlots
  /** Ids of owners and of tools by number; null is the first. */
  readonly #names: (string | null)[] = [null]
  readonly #numbers = new Map<string | null, number>([[null, 0]])
  readonly #file: JobIndexFile | undefined
  /** Checks of pairs of names that were asked for, by the number of the owner, then by that of the tool. */
  #checks: (number[] | undefined)[] = []

  private constructor(slots: JobSlots, names: readonly string[], file?: JobIndexFile) {
    this.#slots = slots
    for (const name of names) this.#numberOf(name)
    this.#file = file
    for (let slot = 0; slot < slots.length; slot++)
      if (slots.isUsed(slot) && slots.word(slot, WORD.names) !== this.#namesCheck(slot)) slots.clear(slot)
  }

  /** @param path of the file; without one the index is in memory only */
  static async open(path?: string): Promise<JobIndex> {
    if (path === undefined) return new JobIndex(new JobSlots(), [])
    const { file, slots, names } = await JobIndexFile.open(path)
    return new JobIndex(new JobSlots(slots), names, file)
  }

  get size(): number {
    return this.#slots.used
  }

  has(id: string): boolean {
    return this.#slots.find(id) !== undefined
  }

  idOf({ slot }: Pick<IndexedJob, 'slot'>): string {
    return this.#slots.idOf(slot)
  }

  /** Where a job is in the index. */
  slotOf(id: string): number | undefined {
    return this.#slots.find(id)
  }

  /** More than any slot. */
  get length(): number {
    return this.#slots.length
  }

  get(id: string): IndexedJob | undefined {
    const slot = this.#slots.find(id)
    return slot === undefined ? undefined : this.#entry(slot)
  }

  /** Puts a job in, or what is known of it now in the place of what was. */
  put(record: JobRecord, bytes: number): void {
    const slots = this.#slots
    const slot = slots.find(record.id) ?? slots.take(record.id)
    const numbers: Readonly<Record<keyof typeof NUMBER, number>> = {
      created: timeOf(record.createdAt),
      started: timeOf(record.startedAt),
      completed: timeOf(record.completedAt),
      expires: timeOf(record.expiresAt),
      inputBytes: record.inputBytes,
      bytes,
    }
    for (const [name, value] of Object.entries(numbers))
      slots.setNumber(slot, NUMBER[name as keyof typeof NUMBER], value)
    slots.setWord(slot, WORD.owner, this.#numberOf(record.ownerId))
    slots.setWord(slot, WORD.tool, this.#numberOf(record.toolId))
    for (const [index, word] of clientWords(record.clientJobId).entries())
      slots.setWord(slot, WORD.client + index, word)
    const [type, status] = [TYPES.indexOf(record.type), STATUSES.indexOf(record.status)]
    const hasOutputs = record.outputs.length > 0 ? 1 : 0
    slots.setWord(slot, WORD.flags, (1 << 24) | (hasOutputs << 16) | (status << 8) | type)
    slots.setWord(slot, WORD.names, this.#namesCheck(slot))
    slots.seal(slot)
    this.#note(slot)
  }

  remove(id: string): void {
    const slot = this.#slots.find(id)
    if (slot === undefined) return
    this.#slots.clear(slot)
    this.#note(slot)
  }

  /** Removes the jobs of all other slots. */
  keep(isKept: (slot: number) => boolean): void {
    for (let slot = 0; slot < this.#slots.length; slot++) {
      if (!this.#slots.isUsed(slot) || isKept(slot)) continue
      this.#slots.clear(slot)
      this.#note(slot)
    }
  }

  /** How many jobs each owner has, and how many bytes. */
  owners(): { ownerId: string | null; jobs: number; bytes: number }[] {
    // By number: a start counts a hundred thousand.
    const [jobs, bytes] = [new Float64Array(this.#names.length), new Float64Array(this.#names.length)]
    for (let slot = 0; slot < this.#slots.length; slot++) {
      if (!this.#slots.isUsed(slot)) continue
      const owner = this.#slots.word(slot, WORD.owner)
      jobs[owner]! += 1
      bytes[owner]! += this.#slots.number(slot, NUMBER.bytes)
    }
    const all = this.#names.map((ownerId, owner) => ({ ownerId, jobs: jobs[owner]!, bytes: bytes[owner]! }))
    return all.filter((one) => one.jobs > 0)
  }

  /** How often each tool ran; uploads are no runs. */
  tools(): { toolId: string; runs: number }[] {
    const runs = new Float64Array(this.#names.length)
    const upload = TYPES.indexOf('upload')
    for (let slot = 0; slot < this.#slots.length; slot++)
      if (this.#slots.isUsed(slot) && (this.#slots.word(slot, WORD.flags) & 0xff) !== upload)
        runs[this.#slots.word(slot, WORD.tool)]! += 1
    return this.#names.flatMap((toolId, tool) =>
      toolId !== null && runs[tool]! > 0 ? { toolId, runs: runs[tool]! } : [],
    )
  }

  /** All jobs that are over, in no order. */
  *all(): Generator<IndexedJob> {
    for (let slot = 0; slot < this.#slots.length; slot++) if (this.#slots.isUsed(slot)) yield this.#entry(slot)
  }

  /** Jobs of an owner and in a state, where that is asked for; no uploads. */
  matching(ownerId: string | undefined, status: JobStatus | undefined): Pick<IndexedJob, 'slot' | 'created'>[] {
    const owner = ownerId === undefined ? undefined : (this.#numbers.get(ownerId) ?? -1)
    const [state, upload] = [status && STATUSES.indexOf(status), TYPES.indexOf('upload')]
    const found: Pick<IndexedJob, 'slot' | 'created'>[] = []
    for (let slot = 0; slot < this.#slots.length; slot++) {
      if (owner !== undefined && this.#slots.word(slot, WORD.owner) !== owner) continue
      const flags = this.#slots.word(slot, WORD.flags)
      if (flags === 0 || (flags & 0xff) === upload) continue
      if (state === undefined || ((flags >> 8) & 0xff) === state)
        found.push({ slot, created: this.#slots.number(slot, NUMBER.created) })
    }
    return found
  }

  /** All of an owner, with uploads. */
  ofOwner(ownerId: string | null): IndexedJob[] {
    const owner = this.#numbers.get(ownerId)
    const found: IndexedJob[] = []
    for (let slot = 0; slot < this.#slots.length; slot++)
      if (this.#slots.isUsed(slot) && this.#slots.word(slot, WORD.owner) === owner) found.push(this.#entry(slot))
    return found
  }

  /** Ids of jobs that may go by an id which a client chose. */
  ofClient(clientJobId: string): string[] {
    const [first, second] = clientWords(clientJobId)
    const found: string[] = []
    for (let slot = 0; slot < this.#slots.length; slot++)
      if (this.#slots.word(slot, WORD.client) === first && this.#slots.word(slot, WORD.client + 1) === second)
        found.push(this.#slots.idOf(slot))
    return found
  }

  /** Writes what is waiting. What cannot be written is read from the records at the next start. */
  async close(): Promise<void> {
    await this.#file?.close()
  }

  #entry(slot: number): IndexedJob {
    const number = (place: number): number => this.#slots.number(slot, place)
    const flags = this.#slots.word(slot, WORD.flags)
    return {
      slot,
      type: TYPES[flags & 0xff]!,
      status: STATUSES[(flags >> 8) & 0xff]!,
      hasOutputs: ((flags >> 16) & 0xff) === 1,
      ownerId: this.#names[this.#slots.word(slot, WORD.owner)] ?? null,
      toolId: this.#names[this.#slots.word(slot, WORD.tool)] ?? null,
      created: number(NUMBER.created),
      started: number(NUMBER.started),
      completed: number(NUMBER.completed),
      expires: number(NUMBER.expires),
      inputBytes: number(NUMBER.inputBytes),
      bytes: number(NUMBER.bytes),
    }
  }

  #numberOf(name: string | null): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#names.push(name) - 1
    // Of slots that a crash spoiled, some may have been made with this number.
    this.#checks = []
    this.#numbers.set(name, number)
    // Before the slots that mean it; a number without its name is told by the check of the names.
    if (name !== null) this.#file?.addName(name)
    return number
  }

  /** Tells that the numbers of a slot mean what they meant when it was written. */
  #namesCheck(slot: number): number {
    const [owner, tool] = [this.#slots.word(slot, WORD.owner), this.#slots.word(slot, WORD.tool)]
    const known = this.#checks[owner]?.[tool]
    if (known !== undefined) return known
    const check = crc32(Buffer.from(JSON.stringify([this.#names[owner], this.#names[tool]])))
    this.#checks[owner] ??= []
    this.#checks[owner][tool] = check
    return check
  }

  #note(slot: number): void {
    this.#file?.put(slot, this.#slots.bytesOf(slot))
  }
}
