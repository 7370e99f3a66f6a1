import type { JobRecord } from '../job-record.ts'
import type { JobListener } from '../queue.ts'

/** Listeners for jobs, by an id. */
export class Listeners {
  readonly #byId = new Map<string, Set<JobListener>>()

  /** Returns a function that stops listening. */
  add(id: string, listener: JobListener): () => void {
    const all = this.#byId.get(id) ?? new Set()
    this.#byId.set(id, all.add(listener))
    return () => {
      all.delete(listener)
      if (all.size === 0 && this.#byId.get(id) === all) this.#byId.delete(id)
    }
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  notify(id: string, record: JobRecord): void {
    for (const listener of [...(this.#byId.get(id) ?? [])]) listener(record)
  }

  /** Removes all listeners for this id. */
  forget(id: string): void {
    this.#byId.delete(id)
  }
}
