import type { WorkerThread } from './worker-thread.ts'

/** A thread unused for this long is ended, which frees its engines' memory; in milliseconds. */
const IDLE_MS = 10_000

/** Threads that wait for their next work. They do not keep the process running. */
export class IdleThreads<Thread extends Pick<WorkerThread<unknown, unknown>, 'isFree' | 'close'>> {
  readonly #clocks = new Map<Thread, NodeJS.Timeout>()

  keep(thread: Thread): void {
    const clock = setTimeout(() => {
      this.#forget(thread)
      void thread.close()
    }, IDLE_MS)
    this.#clocks.set(thread, clock.unref())
  }

  /** The most recently used thread, whose engines are certainly loaded. */
  take(): Thread | undefined {
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

  #forget(thread: Thread): void {
    clearTimeout(this.#clocks.get(thread))
    this.#clocks.delete(thread)
  }
}
