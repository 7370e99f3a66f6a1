import type { Readable } from 'node:stream'
import { MediaprocError } from '../../../errors.ts'

/** The body of a request that is stored in sections. A connection that breaks ends it: what has arrived is kept. */
export class ArrivingBody {
  /** Bytes that sections have passed on. */
  received = 0
  readonly #source: Readable
  readonly #chunks: AsyncIterator<Buffer>
  readonly #limit: number
  #next: Buffer | undefined
  #isEnded = false

  /** @param limit the most bytes that may arrive */
  constructor(source: Readable, limit: number) {
    this.#source = source
    // Not a `for await` loop, whose end would destroy the request before the answer.
    this.#chunks = source[Symbol.asyncIterator]()
    this.#limit = limit
  }

  /** Waits for the next bytes; false at the end. @throws FILE_TOO_LARGE for more bytes than the limit */
  async hasMore(): Promise<boolean> {
    while (!this.#isEnded && !this.#next?.length) {
      const { value, done } = await this.#chunks.next().catch(() => ({ value: undefined, done: true }))
      if (done) this.#isEnded = true
      else this.#next = value as Buffer
    }
    if (!this.#next?.length) return false
    if (this.received + this.#next.length <= this.#limit) return true
    throw new MediaprocError('FILE_TOO_LARGE', 'More bytes arrive than Upload-Length announced', { hint: '' })
  }

  /** At most `most` bytes. @throws FILE_TOO_LARGE */
  async *section(most: number): AsyncGenerator<Buffer> {
    let left = most
    while (left > 0 && (await this.hasMore())) {
      const chunk = this.#next?.subarray(0, left) ?? Buffer.alloc(0)
      this.#next = this.#next?.subarray(chunk.length)
      this.received += chunk.length
      left -= chunk.length
      yield chunk
    }
  }

  /** Ends it: a newer request of the same client sends the rest. */
  interrupt(): void {
    this.#source.destroy()
  }
}
