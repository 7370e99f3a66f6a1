import {
  closeSync,
  createReadStream,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { createInterface } from 'node:readline'
import type { AuditEntry } from '../../records.ts'
import { temporaryName } from '../atomic-write.ts'

const NEWLINE = 10

/** An entry from its line; undefined for a line that a crash or a full disk cut off. */
export function parseLine(line: string): AuditEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<AuditEntry> | null
    return typeof entry?.id === 'string' && typeof entry.createdAt === 'string' ? (entry as AuditEntry) : undefined
  } catch {
    return undefined
  }
}

function writeFully(descriptor: number, bytes: Buffer): void {
  let done = 0
  while (done < bytes.length) done += writeSync(descriptor, bytes, done)
}

/** Adds lines to one file. Synchronous on purpose: a line is out of the process before anything else can end it. */
export class LineWriter {
  readonly path: string
  readonly #descriptor: number
  /** Whether the file ends within a line. */
  #torn: boolean

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

  close(): void {
    closeSync(this.#descriptor)
  }
}

/** Copies what was added to a file after its first `from` bytes. */
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
 * Replaces a file by one without the entries before a moment. Lines may be added while it is read: the last part, up to
 * the replacement, runs in one go; `replaced` is called in it, and holders of an open handle must reopen it.
 *
 * @param moment ISO 8601
 */
export async function dropLinesBefore(path: string, moment: string, replaced: () => void): Promise<void> {
  const { size } = statSync(path)
  if (size === 0) return
  const temporary = temporaryName(path)
  const output = openSync(temporary, 'w', 0o600)
  try {
    const input = createReadStream(path, { end: size - 1 })
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const entry = parseLine(line)
      if (entry && entry.createdAt >= moment) writeFully(output, Buffer.from(`${line}\n`))
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
