import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { syncFolder } from './atomic-write.ts'

const NEWLINE = 10
/**
 * Lines are filled up to blocks of the disk: what a power cut leaves of one cannot harm those before it, and a full disk
 * refuses all lines, not only those that do not fit into what is left of the last block.
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
 * A file that lines of JSON are added to. A line is there as a whole or not at all: what a crash cut off was not
 * acknowledged, and goes when the file is opened again.
 */
export class Journal {
  readonly path: string
  readonly #file: FileHandle
  #size: number
  /** Whether the file may hold more than the lines that were acknowledged. */
  #torn = false

  private constructor(path: string, file: FileHandle, size: number) {
    this.path = path
    this.#file = file
    this.#size = size
  }

  /**
   * @param onLine gets each line as it is parsed; what it throws says why the line cannot be read
   * @throws INVALID_CONFIG when a line before the last cannot be read
   */
  static async open(path: string, onLine: (value: unknown) => void): Promise<Journal> {
    const file = await open(path, 'a+', 0o600)
    try {
      const bytes = await file.readFile()
      let start = 0
      for (let number = 1; start < bytes.length; number++) {
        const end = bytes.indexOf(NEWLINE, start)
        // Cut off, by a crash or a power cut; lines that follow one another are never written together.
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

  /** Adds a line; it survives a power cut once the promise has resolved. */
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
      // Nobody must find a part of it, or the whole of what was refused.
      await this.#repair().catch(() => {})
      throw error
    }
    this.#torn = false
    this.#size += line.length
  }

  /** Takes all lines out: what they say is kept elsewhere. */
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
