import { randomFillSync } from 'node:crypto'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Size of the reserve file: this much, or 2 % of a small disk. */
const MOST_BYTES = 16 * 1024 * 1024
const SHARE = 1 / 50
const CHUNK = 256 * 1024
/** Interval between checks of a full disk, in milliseconds. */
const LOOK_MS = 1000

/**
 * Reserved space on the disk of the data folder, released when the disk is full: signing in, deleting and starting need
 * a few kilobytes to free more. While it is released, nothing else is stored.
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

  /** Whether the disk is full and the reserve released. When there is space again, the reserve is recreated. */
  async isSpent(): Promise<boolean> {
    if (this.#isSpent && performance.now() - this.#lookedAt > LOOK_MS) await this.fill()
    return this.#isSpent
  }

  /** Creates the reserve if twice its size is free. */
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

  /** Releases the reserve if hardly any other space is free. */
  async release(): Promise<void> {
    const { bytes, free } = await this.#disk()
    if (free >= bytes / 2) return
    await rm(this.#path, { force: true })
    this.#isSpent = true
    this.#lookedAt = performance.now()
  }

  /** In bytes: the size of the reserve, and the free space. */
  async #disk(): Promise<{ bytes: number; free: number }> {
    const { blocks, bavail, bsize } = await statfs(this.#folder)
    return { bytes: Math.min(MOST_BYTES, Math.floor(blocks * bsize * SHARE)), free: bavail * bsize }
  }

  /** Writes random bytes, as zeros take no space on disks with compression. Returns whether all were written. */
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
