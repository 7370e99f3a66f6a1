import { createHash } from 'node:crypto'
import type { AuditEntry } from './records.ts'
import type { AuditBreak, AuditCheck } from './store.ts'

/** The first line's value instead of a previous hash. */
export const BEGINNING = '0'.repeat(64)
/** Maximum number of breaks that a check lists. */
const MOST_BREAKS = 20

/** An entry as stored: with the hash of the previous line. Lines of older versions have none. */
export type ChainedEntry = AuditEntry & { previous?: string }

/** SHA-256 of a line without its newline, as the next line contains it. */
export const hashOf = (line: string | Buffer): string => createHash('sha256').update(line).digest('hex')

/** A time of a filter in the format of the entries; undefined when it cannot be parsed. */
export function moment(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/**
 * Verifies the hash chain of the lines that it gets, first to last. A line that was changed, removed or inserted breaks
 * the link of the following line. Rewriting all later lines, or cutting the end, is detected with a hash that was stored
 * elsewhere.
 */
export class ChainCheck {
  readonly #breaks: AuditBreak[] = []
  readonly #sums = { entries: 0, unlinked: 0, cutOff: 0, broken: 0 }
  readonly #times: { first?: string; last?: string } = {}
  readonly #knownHead: string | undefined
  #head = BEGINNING
  #begins = true
  #isLinked = false
  #isKnown: boolean

  /** @param knownHead the hash of any line, from an earlier check */
  constructor(knownHead?: string) {
    this.#knownHead = knownHead
    this.#isKnown = knownHead === BEGINNING
  }

  /** A line without an entry, cut off by a crash or a full disk. */
  addCutOff(): void {
    this.#sums.cutOff++
  }

  add(line: string | Buffer, { previous, createdAt }: ChainedEntry, place: Pick<AuditBreak, 'file' | 'line'>): void {
    const isFirst = this.#sums.entries === 0
    if (isFirst) this.#begins = previous === undefined || previous === BEGINNING
    else if (previous === undefined && this.#isLinked) this.#broken({ ...place, createdAt, reason: 'unlinked' })
    else if (previous !== undefined && previous !== this.#head) this.#broken({ ...place, createdAt, reason: 'changed' })
    if (previous === undefined) this.#sums.unlinked++
    this.#isLinked ||= previous !== undefined
    this.#sums.entries++
    this.#head = hashOf(line)
    this.#isKnown ||= this.#knownHead !== undefined && [this.#head, previous].includes(this.#knownHead)
    this.#times.first ??= createdAt
    this.#times.last = createdAt
  }

  #broken(one: AuditBreak): void {
    this.#sums.broken++
    if (this.#breaks.length < MOST_BREAKS) this.#breaks.push(one)
  }

  result(): AuditCheck {
    const known = this.#knownHead === undefined ? {} : { isHeadKnown: this.#isKnown }
    return { ...this.#sums, breaks: this.#breaks, head: this.#head, begins: this.#begins, ...this.#times, ...known }
  }
}
