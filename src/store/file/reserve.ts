import { randomFillSync } from 'node:crypto'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** The file that keeps the room: this much, or a fiftieth of a small disk. */
const MOST_BYTES = 16 * 1024 * 1024
const SHARE = 1 / 50
const CHUNK = 256 * 1024
/** A full disk is looked at again after so long, milliseconds. */
const LOOK_MS = 1000

/**
 * Room on the disk of the data folder that is given up when there is no other: signing in, deleting and starting need a few
 * kilobytes to make more. Nothing else is stored while it is gone.
 */
export class Reserve {
  readonly #folder: string
  readonly #path: string
  #isSpent = false
  #lookedAt = 0

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, 'reserve')
  }

  /** Whether the disk is full and the reserve given up. A disk with room again gets a new one. */
  async isSpent(): Promise<boolean> {
    if (this.#isSpent && performance.now() - this.#lookedAt > LOOK_MS) await this.fill()
    return this.#isSpent
  }

  /** Keeps the room, where there is twice as much. */
  async fill(): Promise<void> {
    this.#lookedAt = performance.now()
    const { bytes, free } = await this.#disk()
    const held = await stat(this.#path).then(
      ({ size }) => size,
      () => 0,
    )
    if (held >= bytes) this.#isSpent = false
    else if (free > 2 * bytes) this.#isSpent = !(await this.#write(bytes))
  }

  /** Gives the room up where there is hardly any other. */
  async release(): Promise<void> {
    const { bytes, free } = await this.#disk()
    if (free >= bytes / 2) return
    await rm(this.#path, { force: true })
    this.#isSpent = true
    this.#lookedAt = performance.now()
  }

  /** In bytes: how much is kept, and what is free. */
  async #disk(): Promise<{ bytes: number; free: number }> {
    const { blocks, bavail, bsize } = await statfs(this.#folder)
    return { bytes: Math.min(MOST_BYTES, Math.floor(blocks * bsize * SHARE)), free: bavail * bsize }
  }

  /** Random bytes, as zeros take no room on disks that compress. Says whether all were written. */
  async #write(bytes: number): Promise<boolean> {
    try {
      const file = await open(this.#path, 'w', 0o600)
      try {
        for (let done = 0; done < bytes; done += CHUNK) await file.write(randomFillSync(Buffer.alloc(CHUNK)))
      } finally {
        await file.close()
      }
      return true
    } catch {
      await rm(this.#path, { force: true }).catch(() => {})
      return false
    }
  }
}
