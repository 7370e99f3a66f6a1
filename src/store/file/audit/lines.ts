import {
  closeSync,
  createReadStream,
  fstatSync,
  fsync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import type { ChainedEntry } from '../../audit-chain.ts'
import { temporaryName } from '../../local/atomic-write.ts'

const NEWLINE = 10
/** Bytes first read from the end of a file. */
const TAIL_BYTES = 16 * 1024

/** Parses a line; undefined for one that was cut off by a crash or a full disk. */
export function parseLine(line: string): ChainedEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<ChainedEntry> | null
    return typeof entry?.id === 'string' && typeof entry.createdAt === 'string' ? (entry as ChainedEntry) : undefined
  } catch {
    return undefined
  }
}

/**
 * The lines of a file without their newlines, including an unterminated last line. Only a newline ends a line: user
 * names may contain other line separators.
 * @param end number of bytes to read; the whole file when absent
 */
export async function* linesOf(path: string, end?: number): AsyncGenerator<Buffer> {
  if (end === 0) return
  let begun: Buffer[] = []
  for await (const chunk of createReadStream(
    path,
    end === undefined ? {} : { end: end - 1 },
  ) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, chunk.subarray(from, at)])
      begun = []
      from = at + 1
    }
    begun.push(chunk.subarray(from))
  }
  const rest = Buffer.concat(begun)
  if (rest.length > 0) yield rest
}

/** The last valid line of a file. */
export function lastLine(path: string): string | undefined {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    for (let length = Math.min(size, TAIL_BYTES); length > 0; length = Math.min(size, 4 * length)) {
      const tail = Buffer.alloc(length)
      const count = readSync(descriptor, tail, 0, length, size - length)
      const lines = tail.subarray(0, count).toString().split('\n')
      // The first line may be incomplete.
      const found = lines.slice(length < size ? 1 : 0).findLast((line) => parseLine(line) !== undefined)
      if (found !== undefined || length === size) return found
    }
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

function writeFully(descriptor: number, bytes: Buffer): void {
  let done = 0
  while (done < bytes.length) done += writeSync(descriptor, bytes, done)
}

/** Appends lines to one file. Synchronous on purpose: the line is written before anything can end the process. */
export class LineWriter {
  readonly path: string
  readonly #descriptor: number
  /** Whether the file ends in an incomplete line. */
  #torn: boolean
  #syncing: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.path = path
    this.#descriptor = openSync(path, 'a+', 0o600)
    const { size } = fstatSync(this.#descriptor)
    const last = Buffer.alloc(1)
    this.#torn = size > 0 && readSync(this.#descriptor, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE
  }

  write(line: string): void {
    const bytes = Buffer.from(`${this.#torn ? '\n' : ''}${line}\n`)
    this.#torn = true
    writeFully(this.#descriptor, bytes)
    this.#torn = false
  }

  /** Flushes the file to the disk, so that it survives a power failure. */
  sync(): Promise<void> {
    const synced = promisify(fsync)(this.#descriptor)
    this.#syncing = Promise.allSettled([this.#syncing, synced])
    return synced
  }

  async close(): Promise<void> {
    await this.#syncing
    closeSync(this.#descriptor)
  }
}

/** Copies the data that was appended to a file after its first `from` bytes. */
function copyRest(path: string, from: number, output: number): void {
  const input = openSync(path, 'r')
  try {
    const rest = Buffer.alloc(64 * 1024)
    for (let position = from; ; ) {
      const count = readSync(input, rest, 0, rest.length, position)
      if (count === 0) return
      writeFully(output, rest.subarray(0, count))
      position += count
    }
  } finally {
    closeSync(input)
  }
}

/**
 * Removes the entries before a given time by replacing the file. All lines after the first remaining entry are kept,
 * because each contains the hash of the previous one. Lines may be appended while the file is read: the last part, up
 * to the replacement, runs synchronously; it calls `replaced`, and holders of an open handle must then reopen the file.
 *
 * @param moment ISO 8601
 */
export async function dropLinesBefore(path: string, moment: string, replaced: () => void): Promise<void> {
  const { size } = statSync(path)
  if (size === 0) return
  const temporary = temporaryName(path)
  const output = openSync(temporary, 'w', 0o600)
  try {
    let isKept = false
    for await (const line of linesOf(path, size)) {
      const entry = parseLine(line.toString())
      isKept ||= entry !== undefined && entry.createdAt >= moment
      if (isKept && entry) writeFully(output, Buffer.concat([line, Buffer.of(NEWLINE)]))
    }
    copyRest(path, size, output)
    fsyncSync(output)
    renameSync(temporary, path)
    replaced()
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(output)
  }
}
