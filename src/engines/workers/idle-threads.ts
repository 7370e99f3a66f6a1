/** A thread unused for this long is ended, which frees its engines' memory; in milliseconds. */
const IDLE_MS = 10_000

/** Pixels of an image whose thread may be kept. */
const KEPT_PIXELS = 1_000_000

/** Whether the thread that worked on an image may be kept for the next one: after a large one it would hold its memory. */
export const isSmall = ({ width, height }: { width: number; height: number }, most = KEPT_PIXELS): boolean =>
  width * height <= most

interface Thread {
  /** Whether it accepts a request. */
  readonly isFree: boolean
  close(): Promise<void>
}

/** Threads that wait for their next work. They do not keep the process running. */
export class IdleThreads<Kind extends Thread> {
  readonly #clocks = new Map<Kind, NodeJS.Timeout>()

  keep(thread: Kind): void {
    const clock = setTimeout(() => {
      this.#forget(thread)
      void thread.close()
    }, IDLE_MS)
    this.#clocks.set(thread, clock.unref())
  }

  /** The most recently used thread, whose engines are certainly loaded. */
  take(): Kind | undefined {
    for (const thread of [...this.#clocks.keys()].reverse()) {
      this.#forget(thread)
      if (thread.isFree) return thread
    }
    return undefined
  }

  /** Ends them. */
  async close(): Promise<void> {
    const threads = [...this.#clocks.keys()]
    for (const thread of threads) this.#forget(thread)
    await Promise.all(threads.map((thread) => thread.close()))
  }

  #forget(thread: Kind): void {
    clearTimeout(this.#clocks.get(thread))
    this.#clocks.delete(thread)
  }
}
