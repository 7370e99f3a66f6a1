import { randomUUID } from 'node:crypto'
import type { JobDone } from './run-files.ts'

/** Finished outputs that wait for the user's answer. */
export interface Parked {
  jobs: readonly JobDone[]
  /** Their private folder. */
  remove(): Promise<void>
}

/** Most calls whose outputs wait; the oldest is given up for another. */
const MAX_PARKED = 8
/** How long outputs wait for an answer, in milliseconds. */
const PARKED_MS = 10 * 60_000

/** Outputs that are finished and not placed, while the client asks the user. */
export class ParkedOutputs {
  readonly #waiting = new Map<string, Parked & { timer: NodeJS.Timeout }>()

  /** @returns the name under which `take` returns them, once */
  async park(parked: Parked): Promise<string> {
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size >= MAX_PARKED) await this.take(oldest)?.remove()
    const id = randomUUID()
    const timer = setTimeout(() => void this.take(id)?.remove(), PARKED_MS).unref()
    this.#waiting.set(id, { ...parked, timer })
    return id
  }

  take(id: string): Parked | undefined {
    const found = this.#waiting.get(id)
    if (!found) return undefined
    this.#waiting.delete(id)
    clearTimeout(found.timer)
    return found
  }

  async close(): Promise<void> {
    for (const id of [...this.#waiting.keys()]) await this.take(id)?.remove()
  }
}
