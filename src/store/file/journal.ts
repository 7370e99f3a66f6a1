import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { syncFolder } from '../local/atomic-write.ts'

const NEWLINE = 10
/**
 * Lines are padded to disk blocks: a line damaged by a power failure cannot harm the ones before it, and a full disk
 * refuses all lines, not only those that do not fit into the rest of the last block.
 */
const BLOCK = 4096

export function damagedFile(path: string, why: string, cause?: unknown): MediaprocError {
  return new MediaprocError('INVALID_CONFIG', `The file ${path} is damaged: ${why}`, {
    hint: 'Put a copy of it from a backup in its place, or move it away to begin without its content.',
    detail: cause instanceof Error ? cause.message : undefined,
    cause,
  })
}

/**
 * An append-only file of JSON lines. A line is either complete or ignored: one that was cut off by a crash was not
 * acknowledged, and is removed when the file is opened again.
 */
export class Journal {
  readonly path: string
  readonly #file: FileHandle
  #size: number
  /** Whether the file may contain more than the acknowledged lines. */
  #torn = false

  private constructor(path: string, file: FileHandle, size: number) {
    this.path = path
    this.#file = file
    this.#size = size
  }

  /**
   * @param onLine receives each parsed line; an error that it throws is reported as the reason why the line is invalid
   * @throws INVALID_CONFIG when a line before the last is invalid
   */
  static async open(path: string, onLine: (value: unknown) => void): Promise<Journal> {
    const file = await open(path, 'a+', 0o600)
    try {
      const bytes = await file.readFile()
      let start = 0
      for (let number = 1; start < bytes.length; number++) {
        const end = bytes.indexOf(NEWLINE, start)
        // Cut off by a crash or power failure; consecutive lines are never written in one operation.
        if (end < 0) break
        const isLast = end === bytes.length - 1
        try {
          onLine(JSON.parse(bytes.toString('utf8', start, end)))
        } catch (error) {
          if (isLast) break
          throw damagedFile(path, `line ${number} cannot be read (${(error as Error).message})`, error)
        }
        start = end + 1
      }
      if (start < bytes.length) await file.truncate(start)
      if (bytes.length === 0) await syncFolder(dirname(path))
      return new Journal(path, file, start)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** In bytes. */
  get size(): number {
    return this.#size
  }

  /** Appends a line; it survives a power failure once the promise has resolved. */
  async append(value: unknown): Promise<void> {
    const text = Buffer.from(JSON.stringify(value))
    const line = Buffer.alloc(Math.ceil((text.length + 1) / BLOCK) * BLOCK, ' ')
    text.copy(line)
    line[line.length - 1] = NEWLINE
    await this.#repair()
    this.#torn = true
    try {
      await this.#file.appendFile(line)
      await this.#file.datasync()
    } catch (error) {
      // A refused line must not be readable later, in part or as a whole.
      await this.#repair().catch(() => {})
      throw error
    }
    this.#torn = false
    this.#size += line.length
  }

  /** Removes all lines: their changes are in the snapshots. */
  async clear(): Promise<void> {
    await this.#file.truncate(0)
    await this.#file.sync()
    this.#size = 0
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #repair(): Promise<void> {
    if (!this.#torn) return
    await this.#file.truncate(this.#size)
    this.#torn = false
  }
}
