import type { JobIndex } from './index.ts'

/** What is counted of a job that is over. */
export interface Counted {
  ownerId: string | null
  toolId: string | null
  type: string
}

function add<Key>(counts: Map<Key, number>, key: Key, more: number): void {
  const count = (counts.get(key) ?? 0) + more
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

/** How many jobs of each owner, and of each tool, are in the index: kept beside it, as counting them all takes long. */
export class JobCounts {
  readonly #owners = new Map<string | null, number>()
  readonly #tools = new Map<string, number>()

  /** Counts what is in the index; `onOwner` is told the bytes of each owner. */
  takeOver(index: JobIndex, onOwner: (ownerId: string | null, bytes: number) => void): void {
    for (const { ownerId, jobs, bytes } of index.owners()) {
      this.#owners.set(ownerId, jobs)
      onOwner(ownerId, bytes)
    }
    for (const { toolId, runs } of index.tools()) this.#tools.set(toolId, runs)
  }

  /** A job comes into the index, or goes out of it. */
  count({ ownerId, toolId, type }: Counted, sign: 1 | -1): void {
    add(this.#owners, ownerId, sign)
    if (toolId !== null && type !== 'upload') add(this.#tools, toolId, sign)
  }

  get owners(): (string | null)[] {
    return [...this.#owners.keys()]
  }

  ofOwner(ownerId: string | null): number {
    return this.#owners.get(ownerId) ?? 0
  }

  /** The tools that were run, those that were run most first. */
  popularTools(): { toolId: string; runs: number }[] {
    const all = [...this.#tools].map(([toolId, runs]) => ({ toolId, runs }))
    return all.sort((one, other) => other.runs - one.runs)
  }
}
