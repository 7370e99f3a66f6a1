import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { crc32 } from '../../../media/crc32.ts'
import { temporaryName } from '../../local/atomic-write.ts'
import type { IndexedJob } from './indexed-job.ts'

const NEWLINE = 10
/** Hexadecimal digits of the checksum at the start of each line, and a space. */
const PREFIX = 9
/** Changes within this time are written together, milliseconds. A crash before that makes the next start read some records. */
const GATHER_MS = 50
/** The file is rewritten when it has more than twice as many lines as jobs, and this many more. */
const SPARE_LINES = 1000
/** Lines that are formatted before other work gets its turn. */
const LINES_AT_ONCE = 2000

/** A job as it is now, or that it was removed. */
export type IndexChange = IndexedJob | { id: string; isRemoved: true }

/** The facts of a job in the order of its line. Names would make the file, which every start reads, twice as long. */
function rowOf(job: IndexedJob): unknown[] {
  const { id, type, status, hasOutputs, ownerId, toolId, clientJobId } = job
  const { created, started, completed, expires, inputBytes, bytes } = job
  const times = [created, started, completed, expires]
  return [id, type, status, hasOutputs, ownerId, toolId, clientJobId, ...times, inputBytes, bytes]
}

// biome-ignore format: one line shows the order, which is that of rowOf.
function jobOf([id, type, status, hasOutputs, ownerId, toolId, clientJobId, created, started, completed, expires, inputBytes, bytes]: unknown[]): IndexedJob {
  // A literal without spreads: a start makes a hundred thousand of them.
  return {
    id, type, status, hasOutputs, ownerId, toolId, clientJobId, created, started, completed, expires, inputBytes, bytes,
  } as IndexedJob
}

function lineOf(change: IndexChange): string {
  const json = JSON.stringify('isRemoved' in change ? [change.id] : rowOf(change))
  return `${crc32(Buffer.from(json)).toString(16).padStart(8, '0')} ${json}\n`
}

/** Reads a line without its end; undefined for one that a crash or the disk damaged. */
function parseLine(bytes: Buffer, start: number, end: number): IndexChange | undefined {
  const sum = Number.parseInt(bytes.toString('latin1', start, start + PREFIX - 1), 16)
  if (end - start <= PREFIX || sum !== crc32(bytes, 0, start + PREFIX, end)) return undefined
  const row = JSON.parse(bytes.toString('utf8', start + PREFIX, end)) as unknown[]
  return row.length === 1 ? { id: row[0] as string, isRemoved: true } : jobOf(row)
}

/**
 * The file of the index. Each change appends a line with a checksum and the job's facts as JSON; the last line of a job is
 * valid. The file is rewritten when most of its lines are out of date.
 */
export class JobIndexFile {
  readonly #path: string
  #file: FileHandle
  #lines: number
  #pending: IndexChange[] = []
  #jobs: ReadonlyMap<string, IndexedJob> = new Map()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, file: FileHandle, lines: number) {
    this.#path = path
    this.#file = file
    this.#lines = lines
  }

  /** Opens or creates the file, and reads its jobs. */
  static async open(path: string): Promise<{ file: JobIndexFile; jobs: Map<string, IndexedJob> }> {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    const jobs = new Map<string, IndexedJob>()
    let lines = 0
    for (let start = 0; start < bytes.length; lines++) {
      const end = bytes.indexOf(NEWLINE, start)
      const change = parseLine(bytes, start, end < 0 ? bytes.length : end)
      if (change && 'isRemoved' in change) jobs.delete(change.id)
      else if (change) jobs.set(change.id, change)
      start = end < 0 ? bytes.length : end + 1
    }
    const file = await open(path, 'a', 0o600)
    // A crash may have cut off the last line: the next one starts on a line of its own.
    if (bytes.length > 0 && bytes.at(-1) !== NEWLINE) await file.appendFile('\n')
    return { file: new JobIndexFile(path, file, lines), jobs }
  }

  /** Writes a change soon. @param jobs all jobs as they are now, for a file that is rewritten */
  add(change: IndexChange, jobs: ReadonlyMap<string, IndexedJob>): void {
    this.#pending.push(change)
    this.#jobs = jobs
    this.#timer ??= setTimeout(() => this.#writePending(), GATHER_MS).unref()
  }

  #writePending(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const changes = this.#pending
    if (changes.length === 0) return
    this.#pending = []
    this.#lines += changes.length
    const isLong = this.#lines > 2 * this.#jobs.size + SPARE_LINES
    if (isLong) this.#lines = this.#jobs.size
    const work = isLong ? () => this.#rewrite() : () => this.#append(changes)
    // On a full disk the job is missing in the file, and the next start reads its record.
    this.#writing = this.#writing.then(work).catch(() => {})
  }

  async #append(changes: readonly IndexChange[]): Promise<void> {
    try {
      await this.#file.appendFile(changes.map(lineOf).join(''))
    } catch (error) {
      await this.#file.appendFile('\n').catch(() => {})
      throw error
    }
  }

  /** Later changes are appended afterwards, so it does not matter which of them the new file already contains. */
  async #rewrite(): Promise<void> {
    const temporary = temporaryName(this.#path)
    const file = await open(temporary, 'w', 0o600)
    try {
      let lines: string[] = []
      for (const job of this.#jobs.values()) {
        lines.push(lineOf(job))
        if (lines.length < LINES_AT_ONCE) continue
        await file.appendFile(lines.join(''))
        lines = []
      }
      await file.appendFile(lines.join(''))
      await rename(temporary, this.#path)
    } catch (error) {
      await file.close()
      await rm(temporary, { force: true })
      throw error
    }
    await this.#file.close()
    this.#file = file
  }

  /** Writes what is pending. */
  async close(): Promise<void> {
    this.#writePending()
    await this.#writing
    await this.#file.close()
  }
}
