import { createHash } from 'node:crypto'

/** A statement is prepared when it is executed for this time: one that is rare would only use memory of the server. */
const PREPARED_FROM = 5
/** Prepared statements of a connection. */
const MOST_PREPARED = 200
/** Different statements whose executions are counted. */
const MOST_COUNTED = 2000

/**
 * Names for the statements that are executed often. A connection that knows a name has parsed, and often planned, its statement
 * already; that is about half of the server's time for a short one.
 */
export class PreparedNames {
  readonly #counts = new Map<string, number>()
  readonly #names = new Map<string, string>()

  /** The name under which to execute a statement now; undefined for one that is not prepared. */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size >= MOST_PREPARED) return name
    const count = (this.#counts.get(text) ?? 0) + 1
    if (count < PREPARED_FROM) {
      if (this.#counts.size >= MOST_COUNTED) this.#counts.clear()
      this.#counts.set(text, count)
      return undefined
    }
    this.#counts.delete(text)
    const made = createHash('sha256').update(text).digest('hex').slice(0, 32)
    this.#names.set(text, made)
    return made
  }
}
